// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/dendrogram.h"

#include <algorithm>
#include <cmath>

#include "partita/util/union_find.h"

namespace partita::detail {

Dendrogram::Dendrogram(const NetGraph& graph, double noise, Dice& dice) : nodes_(graph.size()) {
  std::vector<std::pair<double, NetId>> heavy_first;
  heavy_first.reserve(graph.net_count());
  for (NetId e : graph.nets()) heavy_first.emplace_back(-graph.cost(e) * std::exp(noise * dice.between(-1, 1)), e);
  std::sort(heavy_first.begin(), heavy_first.end());

  UnionFind<GroupId> clusters(graph.size());
  IdVector<GroupId, std::size_t> top(graph.size());  // of a cluster's representative: its tree node
  for (GroupId v : graph.all()) top[v] = v.index();
  std::vector<GroupId> members;
  for (const auto& [key, e] : heavy_first) {
    members.assign(graph.members(e).begin(), graph.members(e).end());
    if (members.size() > 2) dice.shuffle(members);
    for (std::size_t i = 1; i < members.size(); ++i) {
      const GroupId a = clusters.find(members[i - 1]), b = clusters.find(members[i]);
      if (a == b) continue;
      nodes_[top[a]].parent = nodes_[top[b]].parent = nodes_.size();
      clusters.join(a, b);
      top[clusters.find(a)] = nodes_.size();
      nodes_.push_back({});
    }
  }

  // Sizes upwards (parents come later), then places downwards: each node's children share out its range.
  for (std::size_t x = 0; x < nodes_.size(); ++x) {
    if (x < graph.size()) nodes_[x].end = 1;
    if (nodes_[x].parent != kRoot) nodes_[nodes_[x].parent].end += nodes_[x].end;
  }
  leaves_.resize(graph.size());
  std::size_t next_root = 0;
  std::vector<std::size_t> next(nodes_.size());
  for (std::size_t x = nodes_.size(); x-- > 0;) {
    TreeNode& node = nodes_[x];
    std::size_t& begin = node.parent == kRoot ? next_root : next[node.parent];
    const std::size_t size = node.end;
    node.begin = begin;
    node.end = begin += size;
    next[x] = node.begin;
    if (x < graph.size()) leaves_[node.begin] = GroupId(x);
  }
}

std::span<const GroupId> Dendrogram::above(GroupId v, std::size_t levels) const {
  std::size_t x = v.index();
  for (; levels > 0 && nodes_[x].parent != kRoot; --levels) x = nodes_[x].parent;
  return {leaves_.data() + nodes_[x].begin, leaves_.data() + nodes_[x].end};
}

}  // namespace partita::detail
