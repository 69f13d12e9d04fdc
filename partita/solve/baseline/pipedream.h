// SPDX-License-Identifier: Apache-2.0
// PipeDream's optimizer [Narayanan-SOSP'19], as the paper runs it for comparison: make the graph a path, then find the
// best split of the path.
//
// 1. Branchings become single layers. The biconnected components of the graph of groups, directions aside, are its
//    branchings and the edges between them. Within each, all groups that have an edge in it as its producer become one;
//    the end of a branching is thus the beginning of what follows. Cycles that arise are contracted.
// 2. The linearised dynamic program (staged/linear.h) over what is left, in the order of published_order.h. Where
//    groups are left that do not lie on a path, that order makes one.
//
// Some outputs are read all over the graph and tie it into one component: masks, sequence lengths, attention contexts.
// PipeDream drops inputs before it begins; the paper's code leaves out the edges of such nodes by their numbers in two
// of its files. Here the rule is general: a group that takes no time, feeds several others and whose output is next to
// free to move (at most kNextToFree of the mean transfer) makes no branching. On the paper's inputs that is the same
// choice (at most 0.045 for those left out, from 0.8 on for others but one where it makes no difference), and gives the
// paper's value in seven of eight cells. For ResNet50 (inference) the paper prints 39.38, where this gives 39.398; no
// stage of that path has a load between 39.2 and 39.398, so the printed one cannot come from it.
//
// Differences from PipeDream's own optimizer. That one replicates stages, knows levels of bandwidth, charges transfers
// between neighbouring stages alone, minds memory only on demand and has no hosts; it makes a path of antichains of the
// graph, not of contracted branchings. Here, as in the paper: no replication, the loads of docs/formats.md, memory
// always, hosts as stages. Differences from the paper's code. That one looks for components in the backward pass as
// well, where the paper's inputs have a copy of the forward one, and so the same components; here the forward pass
// decides, with orphans in their mirrored places, since in a graph with edges from forward to backward nodes nearly
// everything is on a circle. It is for graphs of layers; graphs of operators are mostly one large branching, and the
// answer is then close to a single device's.
//
// Beyond the paper. With other transfer modes, several classes of devices, link factors, copies of stages or samples in
// flight, the dynamic program over the path is the one for stages that can run in several ways
// (staged/setups/setup_linear.h), which minds all of them; so `--replicate` makes it replicate, as PipeDream's own
// does. Clusters are not looked at, and there are no copies then: the split may not be staged in them, which `check`
// says. What is made small is the largest load, also where the objective is gpipe. Tests:
// tests/solve/baselines_test.cpp, tests/golden/baselines_test.cpp, tests/util/biconnected_test.cpp.
#pragma once

#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/util/budget.h"

namespace partita::detail {

// A staged split. Nothing if no stages of the path fit the devices, or the budget ended before some were found; on the
// paper's platform, the budget is not looked at. Throws InputError(Unsupported) where there are too many ways to use
// the devices (staged/setups/device_counts.h). O(nodes + edges) and the dynamic program.
std::optional<Split> pipedream_split(const Problem& problem, Budget& budget);
inline std::optional<Split> pipedream_split(const Problem& problem) {
  Budget unlimited;
  return pipedream_split(problem, unlimited);
}

}  // namespace partita::detail
