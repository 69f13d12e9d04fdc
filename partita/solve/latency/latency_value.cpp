// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_value.h"

#include <algorithm>

namespace partita {
namespace {

constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

}  // namespace

LatencyValue::LatencyValue(const LatencyInstance& instance)
    : instance_(instance),
      accelerators_(instance.accelerators()),
      accelerator_blocks_(static_cast<Index>(accelerators_) * (instance.has_backward ? 2 : 1)) {
  IdVector<NodeId, Index> position(instance.size());
  for (std::size_t i = 0; i < instance.order.size(); ++i) position[instance.order[i]] = static_cast<Index>(i);
  for (NodeId v : instance.order) {
    const LatencyNode& node = instance.nodes[v];
    nodes_.push_back({node.accelerator_time, node.host_time, node.cost, static_cast<Index>(node.group.index()),
                      static_cast<Index>(arc_to_.size()), node.backward, node.own_transfers});
    for (const LatencyInstance::Arc& arc : instance.arcs[v]) {
      arc_to_.push_back(position[arc.to]);
      arc_cost_.push_back(arc.cost);
    }
  }
  nodes_.push_back({0, 0, 0, 0, static_cast<Index>(arc_to_.size()), false, false});
  for (GroupId g : instance.classes.graph.all()) group_memory_.push_back(instance.group(g).memory);
  const std::size_t blocks = accelerator_blocks_ + instance.size();
  block_of_.resize(instance.size());
  waits_for_.resize(blocks);
  stack_.resize(blocks);
  ready_.resize(blocks);
  load_.resize(accelerator_blocks_);
  seen_.resize(accelerator_blocks_);
  used_.resize(static_cast<std::size_t>(accelerators_));
  first_member_.resize(accelerator_blocks_);
  next_member_.resize(instance.size());
}

const LatencyValue::Measure& LatencyValue::measure(const std::vector<Place>& place) {
  measured_ = {};
  std::fill(waits_for_.begin(), waits_for_.end(), 0);
  std::fill(ready_.begin(), ready_.end(), 0);
  std::fill(load_.begin(), load_.end(), 0);
  std::fill(seen_.begin(), seen_.end(), kNone);
  std::fill(used_.begin(), used_.end(), 0);
  std::fill(first_member_.begin(), first_member_.end(), kNone);
  add_up_loads(place);
  run_blocks();
  const double limit = instance_.memory_limit();
  for (std::size_t g = 0; g < place.size(); ++g) {
    if (place[g] != accelerators_) used_[static_cast<std::size_t>(place[g])] += group_memory_[g];
  }
  for (const double used : used_) {
    if (used > limit) measured_.excess += limit > 0 ? (used - limit) / limit : used;
  }
  return measured_;
}

void LatencyValue::add_up_loads(const std::vector<Place>& place) {
  const Index count = static_cast<Index>(nodes_.size() - 1);
  for (Index v = 0; v < count; ++v) {
    const Node& node = nodes_[v];
    const Place p = place[node.group];
    if (p == accelerators_) {
      block_of_[v] = accelerator_blocks_ + v;
    } else {
      const Index block = static_cast<Index>(node.backward ? accelerators_ + p : p);
      block_of_[v] = block;
      next_member_[v] = first_member_[block];
      first_member_[block] = v;
    }
  }
  for (Index v = 0; v < count; ++v) {
    const Node& node = nodes_[v];
    const Index home = block_of_[v];
    double leaves = 0;
    for (Index a = node.first_arc, end = nodes_[v + 1].first_arc; a < end; ++a) {
      const Index there = block_of_[arc_to_[a]];
      if (there == home) continue;
      ++waits_for_[there];
      if (node.own_transfers) {
        leaves += arc_cost_[a];
        if (there < accelerator_blocks_) load_[there] += arc_cost_[a];
      } else {
        leaves = node.cost;
        if (there < accelerator_blocks_ && seen_[there] != v) {
          seen_[there] = v;
          load_[there] += node.cost;
        }
      }
    }
    if (home < accelerator_blocks_) {
      load_[home] += node.accelerator_time + leaves;
    } else {
      measured_.total += node.host_time;
    }
  }
  for (const double load : load_) measured_.total += load;
}

void LatencyValue::run_blocks() {
  const Index count = static_cast<Index>(nodes_.size() - 1);
  const Index one_pass = static_cast<Index>(accelerators_);
  std::size_t top = 0, left = 0;
  const bool two_passes = accelerator_blocks_ > one_pass;
  for (Index b = 0; b < accelerator_blocks_; ++b) {
    if (first_member_[b] == kNone) continue;
    ++left;
    // An accelerator does one thing at a time, so its backward block comes after its forward block.
    if (two_passes && b >= one_pass && first_member_[b - one_pass] != kNone) ++waits_for_[b];
    if (waits_for_[b] == 0) stack_[top++] = b;
  }
  for (Index v = 0; v < count; ++v) {
    const Index b = block_of_[v];
    if (b < accelerator_blocks_) continue;
    ++left;
    if (waits_for_[b] == 0) stack_[top++] = b;
  }
  double latest = 0;
  const auto hand_on = [&](Index to, double finish) {
    ready_[to] = std::max(ready_[to], finish);
    if (--waits_for_[to] == 0) stack_[top++] = to;
  };
  const auto hand_out = [&](Index v, Index home, double finish) {
    for (Index a = nodes_[v].first_arc, end = nodes_[v + 1].first_arc; a < end; ++a) {
      const Index there = block_of_[arc_to_[a]];
      if (there != home) hand_on(there, finish);
    }
  };
  while (top > 0) {
    const Index b = stack_[--top];
    --left;
    if (b >= accelerator_blocks_) {
      const Index v = b - accelerator_blocks_;
      const double finish = ready_[b] + nodes_[v].host_time;
      latest = std::max(latest, finish);
      hand_out(v, b, finish);
    } else {
      const double finish = ready_[b] + load_[b];
      latest = std::max(latest, finish);
      for (Index v = first_member_[b]; v != kNone; v = next_member_[v]) hand_out(v, b, finish);
      if (two_passes && b < one_pass && first_member_[b + one_pass] != kNone) hand_on(b + one_pass, finish);
    }
  }
  measured_.latency = latest;
  measured_.waiting = left;
}

}  // namespace partita
