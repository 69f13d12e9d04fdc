// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_branching.h"

#include <algorithm>
#include <limits>

#include "partita/reduce/never.h"
#include "partita/util/parallel.h"

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
  double least = open_.empty() ? kNever : open_.front().bound;
  for (const auto& now : now_) least = std::min(least, now->bound);
  return least * (1 - kRoundingOfBranches);
}

void LatencyBranching::improve(const Incumbent& incumbent, Budget& slice, std::size_t at_once) {
  const std::size_t case_bytes = sizeof(Case) + instance_.group_count() * 2 * (sizeof(GroupId) + 1) +
                                 instance_.arcs.entry_count() * 2 * sizeof(double);
  while (!finished() && !slice.exhausted() && slice.has_room_for(open_.size() * case_bytes)) {
    while (now_.size() < at_once && !open_.empty()) {
      std::pop_heap(open_.begin(), open_.end(), later);
      now_.push_back(std::make_unique<Examined>(std::move(open_.back())));
      open_.pop_back();
    }
    const double limit = incumbent.value();
    for_each(slice, now_.size(), [&](std::size_t i, std::size_t) { now_[i]->done = examine(*now_[i], limit, slice); });
    for (const auto& now : now_) {
      if (!now->done || now->bound >= incumbent.value()) continue;
      const GroupId g = undecided(*now);
      if (g.valid()) {
        divide(*now, g);
      } else {
        incumbent.offer(places(*now));
      }
    }
    std::erase_if(now_, [](const auto& now) { return now->done; });
  }
}

bool LatencyBranching::examine(Examined& now, double limit, Budget& slice) const {
  while (now.bound < limit) {
    const int direction = now.sweeps % 2;
    if (!now.sweep) {
      if (direction == 0) now.model = std::make_unique<BlockModel>(instance_, now.facts, budget_);
      now.sweep = std::make_unique<LatencyLabels>(*now.model, reach_, direction == 1, now.labels[direction],
                                                  now.labels[1 - direction], LatencyLabels::Way{limit});
    }
    const bool done = now.sweep->advance(slice);
    now.bound = std::max(now.bound, now.sweep->bound());
    if (!done) return false;
    now.labels[direction] = now.sweep->labels();
    now.sweep.reset();
    ++now.sweeps;
    if (direction == 0) continue;
    if (now.sweeps >= 2 * kMostRounds || !join_ends(*now.model, now.labels, limit, now.facts)) break;
  }
  now.sweep.reset();
  return true;
}

// Of the groups without a place, one on the longest way through the graph, so that its place tells the most.
GroupId LatencyBranching::undecided(const Examined& now) const {
  GroupId best;
  double longest = -1;
  for (NodeId v : instance_.order) {
    const LatencyNode& node = instance_.nodes[v];
    const bool either = now.facts.on_host[node.group] && now.facts.on_accelerator[node.group];
    const bool nowhere = !now.facts.on_host[node.group] && !now.facts.device[node.group].valid();
    if (!either && !nowhere) continue;
    const double longer = std::max(node.accelerator_time, node.host_time);
    const double way = std::min(time_around(*now.model, now.labels, v) + longer, 1e300);
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
