// SPDX-License-Identifier: Apache-2.0
// The steps of a certificate: from groups and transfers to fewer, so that whatever split is within the limit still is.
//
// With loads x of groups and costs c of transfers, on each class of accelerators by itself, what a step must not do is
// make x(S) + cost of the transfers that S cuts larger for any set S that a device can hold within the limit. Hosts pay
// for neither, and for them a group that is removed is one less.
//
// *Shift.* For v and h in a transfer e and t <= c(e), x(v): x(v) -= t, x(h) += t, c(e) -= t. S with both or neither:
//   the work is the same, and nothing costs more. S with h alone: t more work, but S cuts e, which costs t less. S with
//   v alone: t less, twice.
// *Drop.* x(v) is made 0, and v leaves a transfer e. A set that cuts e - v cuts e, with v or without.
// *Clone.* x(v) is made 0. A transfer e of v, the bridge, is taken for two, of which the first costs as much as others
//   e_1, e_2, ... together; v drops the second. K = e - v joins the others, v leaves them, and the first is gone. Let S
//   be without v. If S now cuts e_i + K - v, either S holds some of e_i, and S cut e_i, for v was outside; or S holds
//   some of K, and S cut e, whose cost covers all such e_i together. From S + v: either S lacks some of e_i - v, and S
//   + v cut e_i; or it lacks some of K, and S + v cut e, whose cost covers all such. A dearer e_i is taken for two
//   likewise: the part that fits is extended, v drops the rest. So v is in no transfer and weighs nothing: S without v
//   is a set of what is left. The order through v is kept.
// *Link.* x(v) is made 0. Transfers a and b of v pay m each, at most what the cheaper one costs, for one of cost m that
//   has the members of both but v, or some of these. Let S be without v and cut the link: it holds some member and lacks
//   another. Then S cut the transfer of the one, for v was outside, and S + v that of the other: m was paid.
// *Join.* If no split within the limit has u and v apart, they are one group. Apart, u's accelerator holds a set with u
//   and without v, which costs at least x(u) and all transfers of both. If that is too much on all accelerators, u is
//   on a host, which must be able to hold it; if it is too much for v too, both are on hosts, of which there must be
//   two. A minimum cut is a better bound than x(u) and the transfers of both: a set S with u and without v costs at
//   least the flow from u to v and, through each group x, to a sink by x(x) at most, where a transfer carries at most
//   its cost: what leaves S does so through transfers that S cuts, or ends in groups of S.
// *Windows*, of staged splits: groups that are never separated are one, and hosts hold only what they can
//   (stage_windows.h). If there is no place for the boundaries of stages, there is no split within the limit.
// *Cycles.* In the order of a staged split labels never fall, so groups on a cycle have one label on every device: they
//   are together, and become one group, before the first step, and where joins make a cycle.
// Tests: tests/check/claim_steps_test.cpp.
#pragma once

#include "partita/check/certificate.h"
#include "partita/check/claim_instance.h"

namespace partita::detail {

// Holds: every step is one of the above, and the instance is what they leave, or a step has refuted the limit. Groups are
// numbered by their first nodes.
CertificateVerdict take_steps(const Problem& problem, const Certificate& certificate, ClaimInstance& instance,
                              Budget& budget);

}  // namespace partita::detail
