// SPDX-License-Identifier: Apache-2.0
// A relaxation that frees the search of views: groups that cost nothing and only hand a tensor on.
//
// Such a group may sit in any stage between its producer and its consumers, and with many of them the number of ideals
// explodes. Here each is removed and its consumers read its inputs instead, as if every stage had a copy of its own.
//
// Let v have no time and no memory, let e be its net to its consumers K = e - v, and let its other nets e_1, e_2, ...
// cost no more than e in total. Remove v and e, and add K to each e_i. Claim: no set X of groups without v gets a
// higher load than X or X + v had. Proof, for the nets that changed:
//   v was in X, and e_i + K is now cut by X. Either e_i was not within X, then it was cut; or it was, then K is not
//   within X, so e was cut, and its cost covers all such e_i together. v was not in X, and X now holds part of e_i + K.
//   Either it held part of e_i, then e_i was cut, for v was outside; or it holds part of K, then e was cut, and its
//   cost covers all such e_i together.
// So refuting the relaxed question refutes the real one. A split of the relaxed graph is lifted by putting v with its
// first consumer; if a stage boundary runs between the consumers, its real value may be higher, so it has to be
// recomputed. Tests: tests/reduce/clone_relaxation_test.cpp.
#pragma once

#include <vector>

#include "partita/reduce/staged_instance.h"

namespace partita::detail {

struct CloneRelaxation {
  StageGraph graph;
  std::vector<GroupId> removed;  // groups of the old graph
  Lift lift;                     // old groups; those removed have no image

  bool changed() const { return !removed.empty(); }
};

CloneRelaxation relax_clones(const StageGraph& graph);

// A legal staged split of the old graph from one of the relaxed graph. Loads have to be recomputed.
std::vector<Stage> lift_relaxed(const StageGraph& graph, const CloneRelaxation& relaxation,
                                const std::vector<Stage>& stages);

}  // namespace partita::detail
