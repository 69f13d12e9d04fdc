// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/contiguous/contiguity.h"

#include <algorithm>

#include "partita/util/topological_order.h"

namespace partita::detail {
namespace {

bool meet(std::span<const Word> a, std::span<const Word> b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if (a[w] & b[w]) return true;
  }
  return false;
}

bool meet_outside(std::span<const Word> a, std::span<const Word> b, std::span<const Word> outside) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if (a[w] & b[w] & ~outside[w]) return true;
  }
  return false;
}

void flip_bit(std::span<Word> words, std::size_t bit) { words[bit / kWordBits] ^= Word{1} << (bit % kWordBits); }

}  // namespace

Contiguity::Contiguity(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, std::size_t devices)
    : descendants_(group_of.size(), group_of.size()),
      ancestors_(group_of.size(), group_of.size()),
      held_(devices, group_of.size()),
      moving_(words_for(group_of.size()), 0) {
  const Graph& graph = problem.workload->graph;
  std::vector<std::pair<NodeId, NodeId>> forth, back;
  std::vector<std::pair<GroupId, GroupId>> after, before;
  for (const Edge& edge : graph.edges) {
    const bool backward = graph.nodes[edge.from].backward;
    if (backward != graph.nodes[edge.to].backward || (backward && !problem.backward_shape)) continue;
    forth.emplace_back(edge.from, edge.to);
    back.emplace_back(edge.to, edge.from);
    const GroupId u = group_of[edge.from], v = group_of[edge.to];
    if (u == v) continue;
    after.emplace_back(u, v);
    before.emplace_back(v, u);
  }
  std::vector<std::pair<GroupId, NodeId>> members;
  std::size_t groups = 0;
  for (NodeId v : group_of.all()) {
    members.emplace_back(group_of[v], v);
    groups = std::max(groups, group_of[v].index() + 1);
  }
  nodes_of_ = Csr<GroupId, NodeId>(groups, members);
  after_ = Csr<GroupId, GroupId>(groups, after);
  before_ = Csr<GroupId, GroupId>(groups, before);
  successors_ = Csr<NodeId, NodeId>(group_of.size(), forth);
  predecessors_ = Csr<NodeId, NodeId>(group_of.size(), back);

  const std::vector<NodeId> order = topological_order(successors_);
  const auto close = [](BitMatrix& reached, NodeId v, std::span<const NodeId> next) {
    for (NodeId w : next) {
      reached.set(v.index(), w.index());
      reached.join_row(v.index(), w.index());
    }
  };
  for (NodeId v : order) close(ancestors_, v, predecessors_[v]);
  for (std::size_t i = order.size(); i-- > 0;) close(descendants_, order[i], successors_[order[i]]);
}

void Contiguity::reset(const IdVector<GroupId, DeviceId>& device_of) {
  held_.clear();
  for (GroupId v : device_of.all()) {
    for (NodeId node : nodes_of_[v]) held_.set(device_of[v].index(), node.index());
  }
}

void Contiguity::move(GroupId v, DeviceId from, DeviceId to) {
  for (NodeId node : nodes_of_[v]) {
    flip_bit(held_.row(from.index()), node.index());
    flip_bit(held_.row(to.index()), node.index());
  }
}

bool Contiguity::allows(std::span<const GroupId> groups, DeviceId from, DeviceId to) {
  const auto flip_moving = [&] {
    for (GroupId v : groups) {
      for (NodeId node : nodes_of_[v]) flip_bit(moving_, node.index());
    }
  };
  flip_moving();
  const bool allowed = may_leave(from, groups) && may_enter(to, groups);
  flip_moving();
  return allowed;
}

bool Contiguity::may_leave(DeviceId from, std::span<const GroupId> groups) const {
  const auto held = held_.row(from.index());
  for (GroupId v : groups) {
    for (NodeId node : nodes_of_[v]) {
      if (meet_outside(descendants_.row(node.index()), held, moving_) &&
          meet_outside(ancestors_.row(node.index()), held, moving_))
        return false;
    }
  }
  return true;
}

bool Contiguity::may_enter(DeviceId to, std::span<const GroupId> groups) {
  const auto held = held_.row(to.index());
  const auto inside = [&](NodeId v) { return test_bit(held, v.index()) || test_bit(moving_, v.index()); };
  const auto comes_back = [&](std::span<const NodeId> neighbours, const BitMatrix& reached) {
    return std::any_of(neighbours.begin(), neighbours.end(), [&](NodeId x) {
      return !inside(x) && (meet(reached.row(x.index()), held) || meet(reached.row(x.index()), moving_));
    });
  };
  for (GroupId v : groups) {
    for (NodeId node : nodes_of_[v]) {
      if (comes_back(successors_[node], descendants_) || comes_back(predecessors_[node], ancestors_)) return false;
    }
  }
  return true;
}

}  // namespace partita::detail
