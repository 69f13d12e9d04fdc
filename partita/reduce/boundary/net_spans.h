// SPDX-License-Identifier: Apache-2.0
// Which nets an accelerator pays for at both of its boundaries, one by one.
//
// A stage S is the difference of two ideals, I below I'. The cost of a boundary is delta(I), the cost of the nets with
// members on both sides of it. The load of S would be x(S) + delta(I) + delta(I'), were it not for nets that span S, with
// members in I and outside I': they cross both boundaries, but are paid once or, with no member in S, not at all.
//
// Lemma. Let span(e) be the largest x(V) - x(ancestors of u) - x(descendants of w) over members u != w of e such that w
// is no ancestor of u. If e spans S, then x(S) <= span(e).
// Proof. Some member u is in I and some w is outside I'. As I is an ideal and w is not in it, w is no ancestor of u. I
// holds the ancestors of u, and the descendants of w are outside I', so x(S) = x(V) - x(I) - x(V - I') <= span(e).
//
// Theorem. Let delta_W count only the nets with span(e) < W. Every accelerator's stage within the limit T has
//     x(S) < W   or   x(S) + delta_W(I) + delta_W(I') <= T.
// Proof. If x(S) >= W, no net counted spans S. One that crosses the boundary of I has then all its members inside I', so
// some in S and some in I: S cuts it and pays it, and it does not cross the boundary of I'. Likewise at I'. So S pays
// each net that delta_W(I) or delta_W(I') counts, and none is counted twice.
//
// A class is a threshold W with its nets. What pays depends on where the spans are: fixed shares of T missed a cluster
// of nets at half a stage altogether, so thresholds are quantiles, by cost, of the spans below 0.9 T.
#pragma once

#include <vector>

#include "partita/reduce/boundary/whole_weights.h"
#include "partita/util/time_watch.h"

namespace partita::detail {

struct SpanClass {
  Whole threshold = 0;           // W: says nothing of stages with less work
  IdVector<NetId, char> counts;  // the nets with a smaller span
};

// By net; -1 where nothing larger is possible. Needs the closure.
IdVector<NetId, Whole> net_spans(const StageGraph& graph, const WholeWeights& weights, TimeWatch& watch);

// At most four, of different nets, none empty; the smallest threshold first.
std::vector<SpanClass> span_classes(const StageGraph& graph, const WholeWeights& weights,
                                    const IdVector<NetId, Whole>& spans);

}  // namespace partita::detail
