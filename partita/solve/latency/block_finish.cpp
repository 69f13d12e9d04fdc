// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/block_finish.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr std::uint64_t kWorkPerTick = 64;

}  // namespace

double BlockFinish::least(const Question& question, const EdgeLabels& labels, const std::vector<double>& levels,
                          std::uint64_t& ticks) {
  double best = question.at_most;
  const std::uint64_t work_before = block_.work();
  block_.count(model_.node_count() / 8 + 16);
  block_.begin(PartialBlock::Part::Whole, NodeId(), model_.instance().nodes[question.node].backward, toll_);
  double load = 0;
  const auto first_at_least = [&](double time) {
    return static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), time) - levels.begin());
  };
  // Sets that edges with labels above levels[level] enter have been looked at.
  std::size_t level = first_at_least(best);
  bool possible = level > 0 && block_.take_in(model_.cluster_of(question.node));
  for (NodeId v : question.also) possible = possible && block_.take_in(model_.cluster_of(v));
  while (possible && level > 0) {
    const double t = levels[--level];
    const double room = best - t;
    block_.demand_edges(labels, t);
    if (!block_.close() || !rule_out(question, room)) break;
    const PartialBlock::Cut cut = block_.least_load(room);
    if (cut.load == kNever) break;
    load = std::max(load, std::min(cut.load, room));
    const double entering = cut.complete ? largest_entering(labels) : t;
    if (entering >= t) {
      best = std::min(best, t + load);
    } else {
      // Sets entered at levels from here down to the one above the cut's cannot do better than this; the cut's own
      // level is looked at again, since more is forced there.
      const auto above =
          static_cast<std::size_t>(std::upper_bound(levels.begin(), levels.end(), entering) - levels.begin());
      best = std::min(best, levels[above] + load);
      level = above;
    }
    level = std::min(level, first_at_least(best - load));
  }
  ticks += 1 + (block_.work() - work_before) / kWorkPerTick;
  return best;
}

// Does the forced part stay within the memory, and below `room`, if it takes c in with all between?
bool BlockFinish::fits(ClusterId c, double room) {
  double memory = block_.memory(), time = block_.time();
  return block_.for_each_taken_with(c, [&](ClusterId x) {
    memory += block_.memory_of(x);
    time += block_.time_of(x);
    return memory <= model_.memory_limit() && time < room;
  });
}

bool BlockFinish::rule_out(const Question& question, double room) {
  if (question.without.valid()) {
    if (block_.side(question.without) == Side::In) return false;
    block_.leave_out(model_.cluster_of(question.without));
    bool free = true;  // what lies below it would close a path around it
    for_each_bit(block_.below(question.without), [&](std::size_t x) {
      free = free && block_.side(NodeId(x)) != Side::In;
      if (free) block_.leave_out(model_.cluster_of(NodeId(x)));
    });
    if (!free) return false;
  }
  for (NodeId v : question.left_out) {
    if (block_.side(v) == Side::In) return false;
    block_.leave_out(model_.cluster_of(v));
  }
  for (ClusterId c : model_.clusters()) {
    if (block_.side(c) == Side::Open && !block_.may_run(c)) block_.leave_out(c);
  }
  if (!block_.spread_out()) return false;
  for (ClusterId c : model_.clusters()) {
    if (block_.side(c) == Side::Open && !fits(c, room)) block_.leave_out(c);
  }
  block_.count(model_.cluster_count() / 2);
  return block_.spread_out();
}

// Of the labels of edges into the block found. None that is demanded, so none above t.
double BlockFinish::largest_entering(const EdgeLabels& labels) const {
  double largest = 0;
  block_.for_each_inside([&](ClusterId c) {
    for (NodeId v : model_.nodes(c)) {
      for (const auto& [producer, edge] : edges_in(v)) {
        if (!block_.is_inside(model_.cluster_of(producer))) largest = std::max(largest, labels[edge]);
      }
    }
  });
  return largest;
}

}  // namespace partita::detail
