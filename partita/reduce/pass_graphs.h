// SPDX-License-Identifier: Apache-2.0
// The same groups seen three times: by what a device pays in the forward pass, in the backward pass, and in both.
//
// A node's time belongs to its own pass, and so does the transfer of its output. A colour class may hold nodes of both
// passes, so a group has a time in each. Seen one pass at a time, every load is again a sum of times and of nets cut,
// and the objective `gpipe` is two plain questions about one split:
//     forward loads at most F  and  backward loads at most B.
// Whatever holds of plain splits within a limit (presolve rules, windows, bounds) therefore holds in each view by
// itself. Group ids, order, support and memory are the same in all three; nets are not, as equal nets are added up in
// each view for itself.
#pragma once

#include <array>

#include "partita/model/problem.h"
#include "partita/reduce/stage_graph.h"
#include "partita/reduce/threshold.h"

namespace partita {

inline constexpr std::size_t kPasses = 2;  // forward, backward

struct PassGraphs {
  StageGraph both;
  std::array<StageGraph, kPasses> pass;

  std::size_t size() const { return both.size(); }
};

using PassNets = std::array<NetGraph, kPasses>;

// `graph` must be the stage graph that `group_of` leads to. Both passes together weigh what the problem's nodes weigh.
PassGraphs make_pass_graphs(const Problem& problem, const StageGraph& graph, const IdVector<NodeId, GroupId>& group_of);

// The two passes without an order, for splits without a shape.
PassNets make_pass_nets(const Problem& problem, std::size_t groups, const IdVector<NodeId, GroupId>& group_of);

// Contracts all three views alike; the numbering depends on labels and order only.
struct PassContraction {
  PassGraphs graphs;
  Lift lift;
};
PassContraction contract(const PassGraphs& graphs, const IdVector<GroupId, GroupId>& label);
PassGraphs reversed(const PassGraphs& graphs);

// Is there a staged split with every load within the limit of each view?
struct PassQuestion {
  Threshold both;
  std::array<Threshold, kPasses> pass;
};

}  // namespace partita
