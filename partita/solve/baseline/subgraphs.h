// SPDX-License-Identifier: Apache-2.0
// Any assignment as something that can run one sample: each accelerator's set cut into subgraphs that wait for nothing
// of their own. Partitioners do not mind the order of a graph, so their sets depend on each other; the paper's code
// cuts them up before it measures them, and a user would have to.
//
// The level of a node is the most changes of device on a path to it. Nodes of one device and pass with one level are
// one piece: an edge stays in its piece or goes to a higher level, so pieces never wait in a circle. There may be ways
// with fewer. O(nodes + edges). Tests: tests/solve/subgraphs_test.cpp.
#pragma once

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

struct SubgraphCut {
  Split split;   // the same, with subgraphs
  int most = 1;  // on one accelerator, in one pass
};

// Every node must have a device.
SubgraphCut cut_into_subgraphs(const Problem& problem, const Split& split);

}  // namespace partita::detail
