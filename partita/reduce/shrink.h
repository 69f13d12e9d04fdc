// SPDX-License-Identifier: Apache-2.0
// A smaller graph on which every split is at least as cheap: groups without time, and those that float, vanish into
// their nets.
//
// What makes the ideals of a modern graph many is not its spine but what lies beside it: views that hand a tensor on,
// weight gradients that hardly anything precedes, masks and constants. Each may sit in any of many stages, adds a free
// bit to every ideal and widens every window. Here each is removed, and its time and its nets are left to its
// neighbours (shrink_nets.h), by steps that make no load larger. The order through what was removed is kept. So
//     a chain of ideals of the large graph, without what was removed, is one of the small graph, and no stage of it has
//     a larger load, needs more memory or asks more of its device,
// and a limit that the small graph refutes is refuted for the large one. A stage of removed groups alone is empty
// there: who asks case by case, where devices must hold something, has to allow for that. A split of the small graph is
// lifted, and may cost more than it seems.
//
// The dose (shrink_dose.h) says who is removed. A group *floats* if the part of the heaviest path that it is not
// comparable with weighs more than kFloatingShare of what a stage within the limit T can take of the path, T / x(V). It
// removes
//   - views, which cost nothing anywhere, if little is lost with them (shrink_nets.h);
//   - with a dose for views alone nothing else; else all groups without accelerator time, and those whose nets can take
//     their time and that weigh at most a share of T: one share for floaters, and a smaller one for the others, the spine.
// Groups that accelerators cannot run stay, for they say much about where hosts are. What a removed group needs in
// memory, or of a host, is lost; where memory cannot bind (memory_need.h), nothing is. [bert-large-training: 1,401
// groups -> 493, llama-1b-training: 2,347 -> 515, both with the same optimum without floaters of up to 1 %.]
//
// With a limit on each pass, a group is removed from both passes or from neither, each pass by steps of its own. The
// view of both passes together is then the sum of the two small passes, net by net and group by group, rounded down: so
//     for every S that a device may hold:  forward'(S) <= forward(S),  backward'(S) <= backward(S),  and
//     both'(S) <= forward'(S) + backward'(S) <= forward(S) + backward(S) = both(S),
// all at once, for the same S. (Costs that were capped are paid by no S within the limits.) The small graph is one with
// two passes like any other, and what presolve and the search conclude from the passes about their sum holds there.
// [Shrinking the view of both by steps of its own is no larger either, but the views no longer add up, and arguments by
// exchange were wrong in 8 of 60,000 random cases.] Needs the closure.
// Tests: tests/reduce/shrink_test.cpp, tests/solve/limit_question_test.cpp.
#pragma once

#include <vector>

#include "partita/reduce/pass_graphs.h"
#include "partita/reduce/shrink_dose.h"
#include "partita/reduce/shrink_nets.h"
#include "partita/reduce/staged_instance.h"
#include "partita/util/budget.h"

namespace partita::detail {

template <class Graphs>  // StageGraph or PassGraphs
struct Shrunk {
  Graphs graph;
  std::vector<GroupId> removed;  // groups of the large graph
  Lift lift;                     // those removed have no image

  bool changed() const { return !removed.empty(); }
};

// When time is up, fewer groups are removed. The log is of the first pass.
template <class Graphs>
Shrunk<Graphs> shrink(const Graphs& graphs, const QuestionOf<Graphs>& question, const ShrinkDose& dose,
                      const Budget& budget, ShrinkLog* log = nullptr);

// Stages of the large graph: what was removed goes where most of the cost of its nets is, as far as the order allows.
// Loads have to be recomputed, and whether the devices can hold them asked: legal_stages.
template <class Graphs>
std::vector<Stage> lift_shrunk(const Graphs& graphs, const Shrunk<Graphs>& shrunk, const std::vector<Stage>& stages);

// Whether every device can run what it holds and has memory for it.
bool legal_stages(const StageGraph& graph, const StagePlatform& platform, const std::vector<Stage>& stages);

}  // namespace partita::detail
