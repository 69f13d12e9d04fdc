// SPDX-License-Identifier: Apache-2.0
// A random tree over the groups in which those joined by heavy nets meet early.
//
// Kruskal's walk over the nets from the heaviest down, costs perturbed, joins the clusters that a net's members are in;
// each join is a node of the tree. A subtree is a set of groups that would rather stay together: what annealing moves
// as a chunk where moving one group at a time would have to cut a heavy net first. O(pins * log). Tests:
// tests/solve/free_anneal_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "partita/reduce/net_graph.h"
#include "partita/util/dice.h"

namespace partita::detail {

class Dendrogram {
 public:
  // Costs are multiplied by a random factor of up to e^noise either way.
  Dendrogram(const NetGraph& graph, double noise, Dice& dice);

  // The groups of the subtree `levels` joins above v, or at the root below that. O(levels).
  std::span<const GroupId> above(GroupId v, std::size_t levels) const;

 private:
  struct TreeNode {
    std::size_t parent = kRoot;
    std::size_t begin = 0, end = 0;  // its groups in leaves_
  };
  static constexpr std::size_t kRoot = static_cast<std::size_t>(-1);

  std::vector<TreeNode> nodes_;  // one per group, then one per join
  std::vector<GroupId> leaves_;
};

}  // namespace partita::detail
