// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "partita/solve/latency/latency_bound.h"
#include "partita/solve/latency/latency_branching.h"
#include "partita/solve/latency/latency_search.h"
#include "partita/solve/latency/path_bound.h"

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kClosed = 0.99e-6;  // a gap that nobody asks to be closed
// Ticks. Small graphs are solved in the first turns, and need no long ones.
constexpr std::uint64_t kFirstTurnPerGroup = 200, kShortestFirstTurn = 500, kLongestFirstTurn = 50'000;
constexpr double kTurnGrowth = 1.3;
constexpr std::uint64_t kSplitShare = 2;  // where proofs are out of reach, splits still get better
constexpr double kRounding = 1e-9;
constexpr const char* kByCases = "branch and bound on labels";

class LatencySolver {
 public:
  LatencySolver(const LatencyInstance& instance, const LatencyOptions& options, Budget& budget, const Sink& sink)
      : instance_(instance),
        options_(options),
        budget_(budget),
        sink_(sink),
        search_(instance, options.seed),
        bound_(instance) {}

  LatencyOutcome run(const std::vector<LatencySplit>& starts) {
    for (const LatencySplit& start : starts) search_.offer(start);
    raise_bound(path_bound(instance_), "the longest path of least node times");
    if (search_.best().value < kNever) tell(Progress::Event::Split, {});
    double turn = static_cast<double>(
        std::clamp(kFirstTurnPerGroup * instance_.group_count(), kShortestFirstTurn, kLongestFirstTurn));
    while (!done()) {
      const auto ticks = static_cast<std::uint64_t>(turn);
      improve_split(kSplitShare * ticks);
      if (!done()) improve_bound(ticks);
      if (!done() && labels_are_done()) divide_into_cases(ticks);
      turn *= kTurnGrowth;
    }
    if (search_.best().value < kNever) outcome_.split = search_.best();
    return std::move(outcome_);
  }

 private:
  bool labels_are_done() const { return bound_.finished() || bound_.waiting(); }

  // Cases tell nothing where hosts may be short of memory, for splits are then left out that fit in some other way. Nor
  // do they know of several subgraphs on an accelerator.
  bool can_branch() const {
    const StagePlatform& platform = instance_.classes.platform;
    const bool roomy = platform.hosts == 0 || instance_.classes.graph.total_memory() <= platform.host_memory;
    return roomy && instance_.subgraphs == 1 && NodeReach::affordable(instance_);
  }

  bool done() const {
    if (budget_.exhausted() || outcome_.infeasible) return true;
    if (branching_ && branching_->finished()) return true;
    if (search_.finished() && bound_.finished() && !can_branch()) return true;
    const double value = search_.best().value;
    return value < kNever && value - outcome_.bound <= std::max(options_.gap, kClosed) * value;
  }

  void improve_split(std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    if (search_.improve(slice)) tell(Progress::Event::Split, {});
  }

  void improve_bound(std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    bound_.improve(search_.best().value, slice);
    if (bound_.bound() == kNever) {
      outcome_.infeasible = true;
      outcome_.proof = bound_.proof();
    } else {
      raise_bound(bound_.bound(), bound_.proof());
    }
  }

  void divide_into_cases(std::uint64_t ticks) {
    if (!can_branch()) return;
    if (!branching_) branching_.emplace(instance_, bound_.facts());
    Budget slice(budget_, ticks);
    const auto offer = [this](const std::vector<LatencyValue::Place>& place) {
      LatencySplit split{0, IdVector<GroupId, DeviceId>(place.size())};
      for (GroupId g : split.accelerator_of.all()) {
        if (place[g.index()] != instance_.accelerators())
          split.accelerator_of[g] = DeviceId(static_cast<std::size_t>(place[g.index()]));
      }
      if (search_.offer(split)) tell(Progress::Event::Split, {});
    };
    branching_->improve({[this] { return search_.best().value; }, offer}, slice);
    const double value = search_.best().value;
    if (branching_->finished() && value == kNever) {
      outcome_.infeasible = true;
      outcome_.proof = kByCases;
    } else {
      raise_bound(std::min(branching_->bound(), value * (1 - kRounding)), kByCases);
    }
  }

  void raise_bound(double bound, const char* proof) {
    if (bound <= outcome_.bound) return;
    outcome_.bound = bound;
    outcome_.proof = proof;
    tell(Progress::Event::Bound, proof);
  }

  void tell(Progress::Event event, const std::string& detail) {
    if (sink_) sink_({event, budget_.seconds_used(), search_.best().value, outcome_.bound, instance_.size(), detail});
  }

  const LatencyInstance& instance_;
  const LatencyOptions& options_;
  Budget& budget_;
  const Sink& sink_;
  LatencySearch search_;
  LatencyBound bound_;
  std::optional<LatencyBranching> branching_;
  LatencyOutcome outcome_;
};

}  // namespace

LatencyOutcome solve_latency(const LatencyInstance& instance, const std::vector<LatencySplit>& starts,
                             const LatencyOptions& options, Budget& budget, const Sink& sink) {
  return LatencySolver(instance, options, budget, sink).run(starts);
}

}  // namespace partita
