// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "partita/model/result.h"
#include "partita/solve/latency/latency_bound.h"
#include "partita/solve/latency/latency_branching.h"
#include "partita/solve/latency/latency_search.h"
#include "partita/solve/latency/path_bound.h"
#include "partita/solve/latency/spine_split.h"
#include "partita/util/within_memory.h"

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Ticks. Small graphs are solved in the first turns, and need no long ones.
constexpr std::uint64_t kFirstTurnPerGroup = 200, kShortestFirstTurn = 500, kLongestFirstTurn = 50'000;
constexpr double kTurnGrowth = 1.3;
constexpr std::uint64_t kSplitShare = 2;       // where proofs are out of reach, splits still get better
constexpr std::uint64_t kSharedTurn = 20'000;  // between looks at what other threads found
constexpr int kMostSearches = 64;
constexpr std::chrono::milliseconds kPause{2};  // until there may be a split to compare with
constexpr double kRounding = 1e-9;
constexpr const char* kByCases = "branch and bound on labels";

class LatencySolver {
 public:
  LatencySolver(const LatencyInstance& instance, const LatencyOptions& options, Budget& budget, const Sink& sink)
      : instance_(instance), options_(options), budget_(budget), sink_(sink), bound_(instance) {
    const int searches = std::clamp(options.threads - 1, 1, kMostSearches);
    for (int i = 0; i < searches; ++i)
      searches_.push_back(std::make_unique<LatencySearch>(instance, options.seed + static_cast<std::uint64_t>(i)));
  }

  LatencyOutcome run(const std::vector<LatencySplit>& starts) {
    for (const LatencySplit& start : starts) searches_[0]->offer(start);
    best_ = searches_[0]->best();
    raise_bound(path_bound(instance_), "the longest path of least node times");
    if (best_.value < kNever) tell(Progress::Event::Split, {});
    if (options_.threads > 1) {
      work_side_by_side();
    } else {
      take_turns();
    }
    if (best_.value < kNever) outcome_.split = std::move(best_);
    return std::move(outcome_);
  }

 private:
  double first_turn() const {
    return static_cast<double>(
        std::clamp(kFirstTurnPerGroup * instance_.group_count(), kShortestFirstTurn, kLongestFirstTurn));
  }

  void take_turns() {
    LatencySearch& search = *searches_[0];
    within_memory(budget_, [&] {
      for (double turn = first_turn(); !done() && !(no_more_splits() && nothing_left_to_prove()); turn *= kTurnGrowth) {
        const auto ticks = static_cast<std::uint64_t>(turn);
        improve_split(search, kSplitShare * ticks);
        if (!done()) prove(search, ticks);
      }
    });
  }

  void work_side_by_side() {
    std::vector<std::jthread> others;
    others.emplace_back([this] { work_at_bounds(); });
    for (std::size_t i = 1; i < searches_.size(); ++i)
      others.emplace_back([this, i] { work_at_splits(*searches_[i]); });
    work_at_splits(*searches_[0]);
  }

  // A thread that runs out of memory ends; the others go on with what it found.
  void work_at_splits(LatencySearch& search) {
    within_memory(budget_, [&] {
      while (!done() && !search.finished()) {
        improve_split(search, kSharedTurn);
        if (search.best().value > value()) search.offer(best());
      }
    });
    ++searches_ended_;
  }

  void work_at_bounds() {
    within_memory(budget_, [this] {
      LatencySearch judge(instance_, options_.seed);  // of the splits that cases lead to
      for (double turn = first_turn(); !done() && !nothing_left_to_prove();) {
        prove(judge, static_cast<std::uint64_t>(turn));
        if (bound_.waiting() && !can_branch()) {
          std::this_thread::sleep_for(kPause);
        } else {
          turn *= kTurnGrowth;
        }
      }
    });
  }

  // Cases tell nothing where hosts may be short of memory, for splits are then left out that fit in some other way; or
  // where it matters which class of hosts a group goes to. Nor do they know of several subgraphs on an accelerator.
  bool can_branch() const {
    bool roomy = !instance_.host_choice_open;
    for (const DeviceTable::Class& c : instance_.devices.classes())
      roomy = roomy && (!c.host || instance_.total_memory <= c.memory);
    return roomy && instance_.subgraphs == 1 && searches_[0]->uses_all_accelerators() &&
           NodeReach::affordable(instance_);
  }
  bool no_more_splits() const {
    return options_.threads > 1 ? searches_ended_ == searches_.size() : searches_[0]->finished();
  }
  bool nothing_left_to_prove() const {
    return !can_branch() && (bound_.finished() || (bound_.waiting() && no_more_splits()));
  }

  double value() const {
    const std::lock_guard lock(mutex_);
    return best_.value;
  }
  LatencySplit best() const {
    const std::lock_guard lock(mutex_);
    return best_;
  }

  bool done() const {
    if (budget_.exhausted()) return true;
    const std::lock_guard lock(mutex_);
    return decided_ ||
           (best_.value < kNever && best_.value - outcome_.bound <= std::max(options_.gap, kClosedGap) * best_.value);
  }

  void take(const LatencySplit& split) {
    LatencySplit copy = split;  // if memory ends here, the best stays whole
    {
      const std::lock_guard lock(mutex_);
      if (split.value >= best_.value) return;
      best_ = std::move(copy);
    }
    tell(Progress::Event::Split, {});
  }

  void offer(LatencySearch& judge, const LatencySplit& split) {
    if (judge.offer(split)) take(judge.best());
  }

  void improve_split(LatencySearch& search, std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    if (search.improve(slice)) take(search.best());
  }

  // Spines and labels first, then cases.
  void prove(LatencySearch& judge, std::uint64_t ticks) {
    improve_bound(ticks);
    const std::vector<std::vector<NodeId>> blocks = bound_.take_suggestion();
    if (!blocks.empty() && judge.suggest(split_from_blocks(instance_, blocks))) take(judge.best());
    if (!done() && (bound_.finished() || bound_.waiting()) && can_branch()) divide_into_cases(judge, ticks);
  }

  void improve_bound(std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    bound_.improve(value(), slice);
    if (bound_.bound() == kNever) {
      prove_infeasible(bound_.proof());
    } else {
      raise_bound(bound_.bound(), bound_.proof());
    }
  }

  void divide_into_cases(LatencySearch& judge, std::uint64_t ticks) {
    if (!branching_) branching_.emplace(instance_, bound_.facts());
    Budget slice(budget_, ticks);
    const auto offer_places = [&](const std::vector<LatencyValue::Place>& place) {
      LatencySplit split{0, IdVector<GroupId, DeviceId>(place.size())};
      for (GroupId g : split.accelerator_of.all()) {
        if (place[g.index()] != instance_.accelerators())
          split.accelerator_of[g] = DeviceId(static_cast<std::size_t>(place[g.index()]));
      }
      offer(judge, split);
    };
    branching_->improve({[this] { return value(); }, offer_places}, slice);
    const double known = value();
    if (branching_->finished() && known == kNever) {
      prove_infeasible(kByCases);
      return;
    }
    raise_bound(std::min(branching_->bound(), known * (1 - kRounding)), kByCases);
    const std::lock_guard lock(mutex_);
    decided_ = decided_ || branching_->finished();
  }

  void prove_infeasible(const char* proof) {
    const std::lock_guard lock(mutex_);
    decided_ = outcome_.infeasible = true;
    outcome_.proof = proof;
  }

  void raise_bound(double bound, const char* proof) {
    {
      const std::lock_guard lock(mutex_);
      if (bound <= outcome_.bound) return;
      outcome_.bound = bound;
      outcome_.proof = proof;
    }
    tell(Progress::Event::Bound, proof);
  }

  void tell(Progress::Event event, const std::string& detail) {
    const std::lock_guard lock(mutex_);
    if (sink_) sink_({event, budget_.seconds_used(), best_.value, outcome_.bound, instance_.size(), detail});
  }

  const LatencyInstance& instance_;
  const LatencyOptions& options_;
  Budget& budget_;
  const Sink& sink_;
  std::vector<std::unique_ptr<LatencySearch>> searches_;  // one for each thread but the bounds'
  LatencyBound bound_;                                    // this and branching_ are the business of one thread
  std::optional<LatencyBranching> branching_;

  std::atomic<std::size_t> searches_ended_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  LatencySplit best_;
  LatencyOutcome outcome_;
  bool decided_ = false;
};

}  // namespace

LatencyOutcome solve_latency(const LatencyInstance& instance, const std::vector<LatencySplit>& starts,
                             const LatencyOptions& options, Budget& budget, const Sink& sink) {
  return LatencySolver(instance, options, budget, sink).run(starts);
}

}  // namespace partita
