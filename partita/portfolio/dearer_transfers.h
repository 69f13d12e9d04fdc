// SPDX-License-Identifier: Apache-2.0
// A shared link as part of the loads of the devices behind it: a plain question whose answer bounds that with the link.
//
// Let T be the value of a split s, L_d the load of device d and H that of the link, so that L_d <= T and H <= T. Let h_d
// be what d itself moves over the link, at the link's price. Then h_d <= H, as H is the sum of all of them, and for every
// w in [0, 1]
//
//     (1 - w) L_d + w h_d <= (1 - w) T + w H <= T.                                                              (1)
//
// The plain question asked here has the left side, or something below it, as the load of every d behind the link: times
// and the exchange of weights count (1 - w) times, and a transfer costs (1 - w) times what d pays itself plus w times
// what the link asks for. Other devices keep their loads. So s costs at most T in it; and as the same splits are legal,
// no split with the link is below a bound of the plain question. What has to be shown is that the load of d there, L'_d,
// is at most the left side of (1).
//
//   - Transfers `sum`: loads are sums, so they are equal. `overlap` and `duplex`: max(a, b + x) <= max(a, b) + x pass by
//     pass, and with `duplex` x is the larger of two directions, which is also how H counts.
//   - Copies: r devices that share a stage have h_d / r each, of which there are r in H.
//   - gpipe: (1) holds for each pass by itself, and so for the sum of the largest.
//   - Clusters: an output that leaves d once pays the dearest of several ways. Where some go over the link and others do
//     not, the dearest of their new prices is at most the dearest old price plus the link's. Where a link or a factor of
//     a cluster cannot say who is behind the shared link and who is not, prices are what is right for all of them, or less.
//   - Exchange of weights goes by the factors of clusters: the bandwidth rises by as much as any of them does.
//
// Two cases allow more. If every device of the platform is behind one link, an output that d moves is moved by another
// device as well: what d reads was written by somebody, once for each output, and what d writes is read by somebody. So
// H >= 2 h_d unless directions are counted apart (duplex), and h_d may count twice in (1). And if a pass is all there is
// to a load (no backward pass, or gpipe) and transfers run beside computing, a load is the largest of compute, exchange
// and transfers, each at most T by itself: only transfers need to be weighed, compute and exchange count in full. With the
// mode `sum` each is at most T too, so the question may be asked with `overlap` in its place. That is done for w = 1: what
// devices pay themselves is then left out, and compute and the link each count in full. Between the two, no w < 1 sees
// that one device alone computes for long where two of them move too much: a sum of both is small on either side.
//
// Tests: tests/portfolio/shared_links_test.cpp, against brute force.
#pragma once

#include <optional>

#include "partita/model/problem.h"

namespace partita::detail {

// The plain question for a shared link of the problem and a weight w in (0, 1], a sum of few powers of two; nothing where
// a level's link cannot be told from others by the prices of clusters, or for w = 1 and loads of two passes. Its platform has no shared links; splits mean the
// same in both. O(nodes + clusters).
std::optional<Problem> with_dearer_transfers(const Problem& problem, const SharedLink& link, double weight);

}  // namespace partita::detail
