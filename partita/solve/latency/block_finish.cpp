// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/block_finish.h"

#include <algorithm>
#include <optional>

#include "partita/solve/latency/pair_times.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kWorkPerTick = 64;
constexpr int kMostCasesOfPairs = 120;        // for one level of one question
constexpr std::size_t kMostEdgesOfPairs = 6;  // into one set, the latest

}  // namespace

BlockFinish::BlockFinish(const BlockModel& model, const NodeReach& reach, bool reversed, double toll)
    : model_(model), reversed_(reversed), toll_(toll), block_(model, reach, reversed) {}
BlockFinish::BlockFinish(BlockFinish&&) noexcept = default;
BlockFinish::~BlockFinish() = default;

void BlockFinish::look_at_pairs(const NodeReach& reach, KnownPairTimes& known) {
  pairs_ = std::make_unique<PairTimes>(model_, reach, reversed_, toll_, known);
}

bool BlockFinish::begin(const Question& question, std::span<const NodeId> more) {
  block_.begin(PartialBlock::Part::Whole, NodeId(), model_.instance().nodes[question.node].backward, toll_);
  bool possible = block_.take_in(model_.cluster_of(question.node));
  for (NodeId v : question.also) possible = possible && block_.take_in(model_.cluster_of(v));
  for (NodeId v : more) possible = possible && block_.take_in(model_.cluster_of(v));
  return possible;
}

double BlockFinish::least(const Question& question, const EdgeLabels& labels, const std::vector<double>& levels,
                          std::uint64_t& ticks) {
  double best = question.at_most;
  const std::uint64_t work_before = block_.work();
  block_.count(model_.node_count() / 8 + 16);
  double load = 0;
  const auto first_at_least = [&](double time) {
    return static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), time) - levels.begin());
  };
  // Sets that edges with labels above levels[level] enter have been looked at.
  std::size_t level = first_at_least(best);
  bool possible = level > 0 && begin(question);
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
      if (pairs_ && cut.complete) {
        best = least_at(question, t, t, best, labels, levels, ticks);
        possible = begin(question);
      } else {
        lower(best, t + load);
      }
    } else {
      // Sets entered at levels from here down to the one above the cut's cannot do better than this; the cut's own
      // level is looked at again, since more is forced there.
      const auto above =
          static_cast<std::size_t>(std::upper_bound(levels.begin(), levels.end(), entering) - levels.begin());
      if (pairs_ && levels[above] + load < best) {
        best = least_at(question, levels[above], t, best, labels, levels, ticks);
        possible = begin(question);
      } else {
        lower(best, levels[above] + load);
      }
      level = above;
    }
    level = std::min(level, first_at_least(best - load));
  }
  ticks += 1 + (block_.work() - work_before) / kWorkPerTick;
  return best;
}

// To what the set at hand has given.
void BlockFinish::lower(double& best, double found) {
  if (!(found < best)) return;
  best = found;
  if (!recorded_) return;
  recorded_->clear();
  block_.for_each_inside([&](ClusterId c) {
    for (NodeId v : model_.nodes(c)) recorded_->push_back(v);
  });
}

// Of sets that are entered at `from` or later, but not after t: each case is nodes that are in, and nodes that are out,
// besides those of the question.
double BlockFinish::least_at(const Question& question, double from, double t, double at_most, const EdgeLabels& labels,
                             const std::vector<double>& levels, std::uint64_t& ticks) {
  struct Case {
    std::vector<NodeId> in, out;
  };
  std::vector<Case> open{{{}, {question.left_out.begin(), question.left_out.end()}}};
  double best = at_most;
  for (int looked_at = 0; !open.empty(); ++looked_at) {
    const Case now = std::move(open.back());
    open.pop_back();
    Question here = question;
    here.left_out = now.out;
    if (!begin(here, now.in)) continue;
    block_.demand_edges(labels, t);
    if (!block_.close() || !rule_out(here, best - from)) continue;
    const PartialBlock::Cut cut = block_.least_load(best - from);
    if (!cut.complete || !(from + cut.load < best)) continue;
    std::vector<EnteringEdge> entering;
    if (looked_at < kMostCasesOfPairs) entering = latest_entering(labels);
    const auto [start, late] = latest_together(entering, from, best - cut.load, labels, levels, best, ticks);
    lower(best, start + cut.load);
    // Either all of them enter, or there is a first that does not, and those before it do. So no set is in two cases: where
    // branches are chains of nodes, each of which may be the one that is cut, that is the difference between a hundred
    // cases and thousands.
    Case before = now;
    const auto add = [&](NodeId v, bool in) {
      open.push_back(before);
      (in ? open.back().in : open.back().out).push_back(v);
    };
    for (const EnteringEdge& e : late) {
      if (block_.side(e.consumer) != Side::In) add(e.consumer, false);
      add(e.producer, true);
      before.in.push_back(e.consumer);
      before.out.push_back(e.producer);
    }
  }
  return best;
}

// First two, then more of them, while that is later; no more than it takes for `enough`.
BlockFinish::Late BlockFinish::latest_together(const std::vector<EnteringEdge>& entering, double from, double enough,
                                               const EdgeLabels& labels, const std::vector<double>& levels,
                                               double at_most, std::uint64_t& ticks) {
  Late late{from, {}};
  if (!entering.empty() && entering[0].label > from) late = {entering[0].label, {entering[0]}};
  for (std::size_t i = 0; i < entering.size(); ++i) {
    for (std::size_t j = i + 1; j < entering.size() && late.start < enough; ++j) {
      if (entering[i].producer == entering[j].producer) continue;
      const double both = pairs_->both(entering[i], entering[j], labels, levels, at_most, ticks);
      if (both > late.start) late = {both, {entering[i], entering[j]}};
    }
  }
  std::vector<EnteringEdge> group = late.edges;
  if (group.empty() && !entering.empty()) group = {entering[0]};
  for (std::size_t i = 0; i < entering.size() && late.start < enough; ++i) {
    const auto same = [&](const EnteringEdge& e) { return e.producer == entering[i].producer; };
    if (std::any_of(group.begin(), group.end(), same)) continue;
    group.push_back(entering[i]);
    const double all = pairs_->all(group, labels, levels, at_most, ticks);
    if (all > late.start) {
      late = {all, group};
    } else if (group.size() > 2) {
      group.pop_back();
    }
  }
  return late;
}

std::vector<EnteringEdge> BlockFinish::latest_entering(const EdgeLabels& labels) const {
  std::vector<EnteringEdge> found;
  block_.for_each_inside([&](ClusterId c) {
    for (NodeId v : model_.nodes(c)) {
      for (const auto& [producer, edge] : edges_in(v)) {
        if (labels[edge] > 0 && !block_.is_inside(model_.cluster_of(producer)))
          found.push_back({edge, producer, v, labels[edge]});
      }
    }
  });
  std::sort(found.begin(), found.end(), [](const EnteringEdge& a, const EnteringEdge& b) {
    return a.label != b.label ? a.label > b.label : a.edge < b.edge;
  });
  if (found.size() > kMostEdgesOfPairs) found.resize(kMostEdgesOfPairs);
  return found;
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
