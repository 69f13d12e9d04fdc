// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/block_finish.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>

#include "partita/solve/latency/pair_times.h"
#include "partita/solve/latency/walk_together.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kWorkPerTick = 64;
constexpr std::size_t kMostCasesOfPairs = 120;  // for one level of one question
constexpr std::size_t kMostEdgesOfPairs = 6;    // into one set, the latest

std::size_t first_at_least(const std::vector<double>& levels, double time) {
  return static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), time) - levels.begin());
}

}  // namespace

BlockFinish::BlockFinish(const BlockModel& model, const NodeReach& reach, bool reversed, double toll)
    : model_(model), reach_(reach), reversed_(reversed), toll_(toll), block_(model, reach, reversed) {}
BlockFinish::BlockFinish(BlockFinish&&) noexcept = default;
BlockFinish::~BlockFinish() = default;

void BlockFinish::look_at_pairs(const NodeReach& reach, KnownPairTimes& known) {
  pairs_ = std::make_unique<PairTimes>(model_, reach, reversed_, toll_, known);
  known_ = &known;
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
  Walk walk = begin_walk(question, levels);
  go_on(walk, 0, std::numeric_limits<std::size_t>::max(), question, labels, levels, ticks);
  return walk.best;
}

BlockFinish::Walk BlockFinish::begin_walk(const Question& question, const std::vector<double>& levels) {
  return {question.at_most, first_at_least(levels, question.at_most)};
}

void BlockFinish::go_on(Walk& walk, std::size_t last, std::size_t most_steps, const Question& question,
                        const EdgeLabels& labels, const std::vector<double>& levels, std::uint64_t& ticks) {
  auto& [best, level, load] = walk;
  const std::uint64_t work_before = block_.work();
  block_.count(model_.node_count() / 8 + 16);
  bool possible = level > last && begin(question);
  for (std::size_t step = 0; possible && level > last && step < most_steps; ++step) {
    const double t = levels[--level];
    const double room = best - t;
    block_.demand_edges(labels, t);
    possible = block_.close() && rule_out(question, room);
    if (!possible) break;
    const PartialBlock::Cut cut = block_.least_load(room);
    possible = cut.load != kNever;
    if (!possible) break;
    load = std::max(load, std::min(cut.load, room));
    const double entering = cut.complete ? largest_entering(labels) : t;
    if (entering >= t) {
      if (pairs_ && cut.complete) {
        best = least_at({question, t, t, labels, levels}, best, ticks);
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
        best = least_at({question, levels[above], t, labels, levels}, best, ticks);
        possible = begin(question);
      } else {
        lower(best, levels[above] + load);
      }
      level = above;
    }
    level = std::min(level, first_at_least(levels, best - load));
  }
  if (!possible) level = 0;  // nor is it before
  ticks += 1 + (block_.work() - work_before) / kWorkPerTick;
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

// Several cases at once, where there are threads: the latest, as one thread would.
double BlockFinish::least_at(const AskedAt& asked, double at_most, std::uint64_t& ticks) {
  std::vector<Case> open{{{}, {asked.question.left_out.begin(), asked.question.left_out.end()}}};
  double best = at_most;
  for (std::size_t looked_at = 0; !open.empty();) {
    const std::size_t count = std::min(open.size(), threads());
    const std::vector<Case> now(open.rbegin(), open.rbegin() + static_cast<std::ptrdiff_t>(count));
    open.resize(open.size() - count);
    std::vector<std::vector<Case>> parts(count);
    std::vector<double> least(count, best);
    share(count, ticks, [&](std::size_t i, BlockFinish& finish, std::uint64_t& own_ticks) {
      parts[i] = finish.divide(now[i], asked, looked_at + i < kMostCasesOfPairs, least[i], own_ticks);
    });
    looked_at += count;
    best = std::ranges::min(least);
    for (std::size_t i = count; i-- > 0;) {
      for (Case& part : parts[i]) open.push_back(std::move(part));
    }
  }
  return best;
}

std::size_t BlockFinish::threads() const { return pairs_ && !recorded_ ? threads_of_question(model_.budget()) : 1; }

// work(i, finish, ticks), each with a BlockFinish for itself.
template <class Work>
void BlockFinish::share(std::size_t count, std::uint64_t& ticks, const Work& work) {
  if (count == 1 || threads() == 1) {
    for (std::size_t i = 0; i < count; ++i) work(i, *this, ticks);
    return;
  }
  std::atomic<std::uint64_t> all_ticks = 0;
  const auto make = [&] {
    auto finish = std::make_unique<BlockFinish>(model_, reach_, reversed_, toll_);
    finish->look_at_pairs(reach_, *known_);
    return finish;
  };
  for_each(*model_.budget(), count, [&](std::size_t i, std::size_t) {
    known_->with_pairs.lend(make, [&](BlockFinish& finish) {
      std::uint64_t own_ticks = 0;
      work(i, finish, own_ticks);
      all_ticks += own_ticks;
    });
  });
  ticks += all_ticks;
}

// The cases that this one is divided into, if it is.
std::vector<BlockFinish::Case> BlockFinish::divide(const Case& now, const AskedAt& asked, bool by_edges, double& best,
                                                   std::uint64_t& ticks) {
  std::vector<Case> parts;
  Question here = asked.question;
  here.left_out = now.out;
  if (!begin(here, now.in)) return parts;
  block_.demand_edges(asked.labels, asked.t);
  if (!block_.close() || !rule_out(here, best - asked.from)) return parts;
  const PartialBlock::Cut cut = block_.least_load(best - asked.from);
  if (!cut.complete || !(asked.from + cut.load < best)) return parts;
  std::vector<EnteringEdge> entering;
  if (by_edges) entering = latest_entering(asked.labels);
  const auto [start, late] = latest_together(entering, asked, best - cut.load, best, ticks);
  lower(best, start + cut.load);
  // Either all of them enter, or there is a first that does not, and those before it do. So no set is in two cases:
  // where branches are chains of nodes, each of which may be the one that is cut, that is the difference between a
  // hundred cases and thousands.
  Case before = now;
  const auto add = [&](NodeId v, bool in) {
    parts.push_back(before);
    (in ? parts.back().in : parts.back().out).push_back(v);
  };
  for (const EnteringEdge& e : late) {
    if (block_.side(e.consumer) != Side::In) add(e.consumer, false);
    add(e.producer, true);
    before.in.push_back(e.consumer);
    before.out.push_back(e.producer);
  }
  return parts;
}

// Which are known from then on.
void BlockFinish::ask_all_pairs(const std::vector<EnteringEdge>& entering, const AskedAt& asked, double at_most,
                                std::uint64_t& ticks) {
  std::vector<std::pair<const EnteringEdge*, const EnteringEdge*>> pairs;
  for (std::size_t i = 0; i < entering.size(); ++i) {
    for (std::size_t j = i + 1; j < entering.size(); ++j) pairs.emplace_back(&entering[i], &entering[j]);
  }
  share(pairs.size(), ticks, [&](std::size_t i, BlockFinish& finish, std::uint64_t& own_ticks) {
    finish.pairs_->both(*pairs[i].first, *pairs[i].second, asked.labels, asked.levels, at_most, own_ticks);
  });
}

// First two, then more of them, while that is later; no more than it takes for `enough`.
BlockFinish::Late BlockFinish::latest_together(const std::vector<EnteringEdge>& entering, const AskedAt& asked,
                                               double enough, double at_most, std::uint64_t& ticks) {
  if (threads() > 1) ask_all_pairs(entering, asked, at_most, ticks);
  const auto& [question, from, t, labels, levels] = asked;
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
