// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/free/free.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

#include "partita/model/result.h"
#include "partita/solve/throughput/free/free_search.h"
#include "partita/solve/throughput/free/limit_ladder.h"
#include "partita/solve/throughput/free/narrow_order.h"
#include "partita/solve/throughput/free/volume.h"

namespace partita {
namespace {

constexpr std::uint64_t kFirstTurn = 50'000;  // ticks: a hundredth of a second or so
constexpr double kTurnGrowth = 1.3;
// Turns of the search, to those of the bound. They are longer, since better splits are still found when proofs are out
// of reach; shorter once nothing better was found for a good part of the time.
constexpr double kSplitShare = 2, kShareWhenStagnating = 0.5;
constexpr double kStagnation = 1.5;
constexpr std::uint64_t kStagnationTicks = 2'000'000;
constexpr std::size_t kNarrowestLayer = 16, kWidestLayer = 20'000, kMostStates = 4'000'000;  // of the trellis
constexpr double kBelowVolume = 1e-6;
constexpr std::uint64_t kVolumeTicks = 4'000'000;
constexpr std::uint64_t kVainTicks = 20'000'000, kVainShare = 10;
constexpr int kTriesAtCheck = 4, kFinerBuckets = 4;
constexpr auto kNapWithoutSplit = std::chrono::milliseconds(2);

class FreeSolver {
 public:
  FreeSolver(const FreeInstance& instance, const FreeOptions& options, const ProofCheck& check, Budget& budget,
             const Sink& sink)
      : instance_(instance),
        options_(options),
        check_(check),
        budget_(budget),
        sink_(sink),
        search_(instance.graph, instance.platform, options.seed) {}

  FreeOutcome run(const std::optional<FreeSplit>& start) {
    if (start) search_.start_from(*start);
    best_ = search_.best();
    prove_volume_bound();
    if (options_.threads > 1) {
      std::jthread bounds([&] { work_at_bounds(); });
      work_at_splits();
    } else {
      take_turns();
    }
    if (found()) outcome_.split = best_;
    return std::move(outcome_);
  }

 private:
  void take_turns() {
    double turn = kFirstTurn;
    improve_split(kFirstTurn);
    while (!done()) {
      if (!ladder_.exhausted()) raise_bound(static_cast<std::uint64_t>(turn));
      if (!done())
        improve_split(static_cast<std::uint64_t>((stagnating() ? kShareWhenStagnating : kSplitShare) * turn));
      turn *= kTurnGrowth;
    }
  }

  void work_at_splits() {
    while (!done() && !search_finished_) improve_split(kFirstTurn);
  }
  void work_at_bounds() {
    double turn = kFirstTurn;
    while (!done() && !ladder_.exhausted()) {
      if (!found()) {
        std::this_thread::sleep_for(kNapWithoutSplit);
        continue;
      }
      raise_bound(static_cast<std::uint64_t>(turn));
      turn *= kTurnGrowth;
    }
  }

  double value() const {
    const std::lock_guard lock(mutex_);
    return best_.value;
  }
  bool found() const { return value() < std::numeric_limits<double>::infinity(); }
  bool done() const {
    if (budget_.exhausted()) return true;
    const std::lock_guard lock(mutex_);
    const bool nothing_left = search_finished_ && (ladder_.exhausted() || !(best_.value > 0) ||
                                                   best_.value == std::numeric_limits<double>::infinity());
    return nothing_left || best_.value - outcome_.bound <= std::max(options_.gap, kClosedGap) * best_.value;
  }

  void tell(Progress::Event event, const std::string& detail) {
    const std::lock_guard lock(mutex_);
    if (sink_) sink_({event, budget_.seconds_used(), best_.value, outcome_.bound, instance_.graph.size(), detail});
  }

  void improve_split(std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    const bool better = search_.improve(slice);
    if (better) {
      const std::lock_guard lock(mutex_);
      best_ = search_.best();
    }
    search_finished_ = search_.finished() || (unlimited_ && ladder_.exhausted() && seems_done());
    if (better) last_better_ = budget_.ticks_used();
    if (better) tell(Progress::Event::Split, {});
  }

  bool stagnating() const {
    return static_cast<double>(budget_.ticks_used()) >
           kStagnationTicks + kStagnation * static_cast<double>(last_better_);
  }

  // Without a limit somebody has to end the search once nothing more can be proved: when most of it was in vain.
  bool seems_done() const { return budget_.ticks_used() > kVainTicks + kVainShare * last_better_; }

  // Without transfers the trellis is a single path, so this takes no time, and there is a bound for every graph.
  void prove_volume_bound() {
    const double limit = volume_bound(instance_.graph, instance_.platform) * (1 - kBelowVolume);
    if (!(limit > 0)) return;
    std::vector<GroupId> order;
    for (GroupId v : instance_.graph.all()) order.push_back(v);
    ConfigurationLp without_transfers(instance_.graph, instance_.platform, std::move(order), 1);
    Budget slice(budget_, kVolumeTicks);
    if (without_transfers.refute(limit, slice) != Refutation::Refuted) return;
    FreeProof proof = without_transfers.proof();
    if (holds(proof)) accept(std::move(proof), "volume of work; its certificate was verified");
  }

  void accept(FreeProof proof, const char* text) {
    {
      const std::lock_guard lock(mutex_);
      outcome_.bound = proof.limit;
      outcome_.proof = std::move(proof);
      outcome_.proof_text = text;
    }
    tell(Progress::Event::Bound, text);
  }

  // One limit, for as many ticks.
  void raise_bound(std::uint64_t ticks) {
    const FreeSplit best = [&] {
      const std::lock_guard lock(mutex_);
      return best_;
    }();
    if (!(best.value > 0) || best.value == std::numeric_limits<double>::infinity()) return;
    if (!lp_) {
      const std::size_t widest = kMostStates / (instance_.graph.size() + 1);
      lp_.emplace(instance_.graph, instance_.platform, narrow_order(instance_.graph, options_.seed),
                  std::clamp(widest, kNarrowestLayer, kWidestLayer));
      return;
    }
    if (best.value < suggested_) lp_->suggest(best);
    suggested_ = best.value;
    const double limit = ladder_.next(best.value, outcome_.bound, ticks);
    if (!(limit > 0)) return;
    Budget slice(budget_, ticks);
    const Refutation answer = lp_->refute(limit, slice);
    tell(Progress::Event::Searching, answer == Refutation::Refuted      ? "limit refuted"
                                     : answer == Refutation::LpFeasible ? "the relaxation allows the limit"
                                                                        : "limit undecided");
    FreeProof proof = answer == Refutation::Refuted ? lp_->proof() : FreeProof{};
    if (answer == Refutation::Refuted && holds(proof)) {
      ladder_.refuted();
      accept(std::move(proof), "configuration LP; its certificate was verified");
    } else if (answer == Refutation::LpFeasible) {
      ladder_.impossible();
    } else {
      ladder_.undecided(answer == Refutation::Refuted);
    }
  }

  // Whoever checks the proof may put labels into buckets in another way, so it gets further tries with finer ones.
  bool holds(FreeProof& proof) {
    for (int i = 0; i < kTriesAtCheck && !budget_.exhausted(); ++i) {
      if (check_(proof, budget_)) return true;
      proof.buckets *= kFinerBuckets;
    }
    return false;
  }

  const FreeInstance& instance_;
  const FreeOptions& options_;
  const ProofCheck& check_;
  Budget& budget_;
  const Sink& sink_;

  FreeSearch search_;
  std::atomic<bool> search_finished_ = false;
  const bool unlimited_ =
      std::isinf(budget_.limits().seconds) && budget_.limits().ticks == std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_better_ = 0;  // ticks used when the best split was found

  std::optional<ConfigurationLp> lp_;
  LimitLadder ladder_;
  double suggested_ = std::numeric_limits<double>::infinity();  // value of the last split whose devices the LP knows

  mutable std::mutex mutex_;  // guards what follows, which both threads see
  FreeSplit best_;
  FreeOutcome outcome_;  // its bound and proof are written by the bounds' thread alone
};

}  // namespace

FreeOutcome solve_free(const FreeInstance& instance, const std::optional<FreeSplit>& start, const FreeOptions& options,
                       const ProofCheck& check, Budget& budget, const Sink& sink) {
  return FreeSolver(instance, options, check, budget, sink).run(start);
}

}  // namespace partita
