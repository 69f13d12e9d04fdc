// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_branching.h"

#include <algorithm>
#include <limits>

#include "partita/reduce/never.h"

namespace partita::detail {
namespace {

constexpr double kRoundingOfBranches = 1e-9;
constexpr int kMostRounds = 4;  // of sweeps in both directions, for one case

}  // namespace

LatencyBranching::LatencyBranching(const LatencyInstance& instance, const LatencyFacts& facts, const Budget* budget)
    : instance_(instance), budget_(budget), reach_(instance, budget) {
  const EdgeLabels none(BlockModel(instance, facts).edge_count(), 0);
  open_.push_back({0, 0, facts, {none, none}});
}

// Heaps have the greatest on top.
bool LatencyBranching::later(const Case& a, const Case& b) {
  return a.bound != b.bound ? a.bound > b.bound : a.depth < b.depth;
}

double LatencyBranching::bound() const {
  double least = now_ ? now_->bound : kNever;
  if (!open_.empty()) least = std::min(least, open_.front().bound);
  return least * (1 - kRoundingOfBranches);
}

void LatencyBranching::improve(const Incumbent& incumbent, Budget& slice) {
  const std::size_t case_bytes = sizeof(Case) + instance_.group_count() * 2 * (sizeof(GroupId) + 1) +
                                 instance_.arcs.entry_count() * 2 * sizeof(double);
  while (!finished() && !slice.exhausted() && slice.has_room_for(open_.size() * case_bytes)) {
    if (!now_) {
      std::pop_heap(open_.begin(), open_.end(), later);
      now_ = std::make_unique<Case>(std::move(open_.back()));
      open_.pop_back();
      sweeps_ = 0;
    }
    if (!examine(incumbent.value(), slice)) return;
    if (now_->bound < incumbent.value()) {
      const GroupId g = undecided();
      if (g.valid()) {
        divide(*now_, g);
      } else {
        incumbent.offer(places(*now_));
      }
    }
    now_.reset();
  }
}

bool LatencyBranching::examine(double limit, Budget& slice) {
  while (now_->bound < limit) {
    const int direction = sweeps_ % 2;
    if (!sweep_) {
      if (direction == 0) model_ = std::make_unique<BlockModel>(instance_, now_->facts, budget_);
      sweep_ = std::make_unique<LatencyLabels>(*model_, reach_, direction == 1, now_->labels[direction],
                                               now_->labels[1 - direction], LatencyLabels::Way{limit});
    }
    const bool done = sweep_->advance(slice);
    now_->bound = std::max(now_->bound, sweep_->bound());
    if (!done) return false;
    now_->labels[direction] = sweep_->labels();
    sweep_.reset();
    ++sweeps_;
    if (direction == 0) continue;
    if (sweeps_ >= 2 * kMostRounds || !join_ends(*model_, now_->labels, limit, now_->facts)) break;
  }
  sweep_.reset();
  return true;
}

// Of the groups without a place, one on the longest way through the graph, so that its place tells the most.
GroupId LatencyBranching::undecided() const {
  const Case& now = *now_;
  GroupId best;
  double longest = -1;
  for (NodeId v : instance_.order) {
    const LatencyNode& node = instance_.nodes[v];
    const bool either = now.facts.on_host[node.group] && now.facts.on_accelerator[node.group];
    const bool nowhere = !now.facts.on_host[node.group] && !now.facts.device[node.group].valid();
    if (!either && !nowhere) continue;
    const double longer = std::max(node.accelerator_time, node.host_time);
    const double way = std::min(time_around(*model_, now.labels, v) + longer, 1e300);
    if (way <= longest) continue;
    longest = way;
    best = node.group;
  }
  return best;
}

void LatencyBranching::divide(const Case& now, GroupId g) {
  const auto add = [&](const auto& assume) {
    Case part{now.bound, now.depth + 1, now.facts, {now.labels[0], now.labels[1]}};
    assume(part.facts);
    if (part.facts.contradiction) return;
    open_.push_back(std::move(part));
    std::push_heap(open_.begin(), open_.end(), later);
  };
  if (now.facts.on_host[g]) add([&](LatencyFacts& facts) { facts.on_accelerator[g] = 0; });
  if (!now.facts.on_accelerator[g]) return;
  for (std::size_t c = 0; c < instance_.devices.accelerator_classes(); ++c) {
    const DeviceTable::Class& equals = instance_.devices.classes()[c];
    if (!instance_.class_holds[c][g]) continue;
    std::size_t used = 0;
    for (DeviceId d : now.facts.device) {
      if (d.valid() && instance_.devices.class_number(d) == c) used = std::max(used, d.index() + 1 - equals.first);
    }
    for (std::size_t i = 0; i < std::min(used + 1, equals.count); ++i)
      add([&](LatencyFacts& facts) { facts.put(g, DeviceId(equals.first + i)); });
  }
}

std::vector<LatencyValue::Place> LatencyBranching::places(const Case& now) const {
  std::vector<LatencyValue::Place> place;
  for (GroupId g : now.facts.device.all()) {
    const DeviceId d = now.facts.device[g];
    place.push_back(
        static_cast<LatencyValue::Place>(d.valid() ? d.index() : static_cast<std::size_t>(instance_.accelerators())));
  }
  return place;
}

}  // namespace partita::detail
