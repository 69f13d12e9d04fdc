// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/fleet/fleet.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

#include "partita/model/result.h"
#include "partita/solve/throughput/fleet/fleet_lp.h"
#include "partita/solve/throughput/fleet/fleet_search.h"
#include "partita/solve/throughput/fleet/fleet_volume.h"
#include "partita/solve/throughput/free/limit_ladder.h"
#include "partita/solve/throughput/free/narrow_order.h"

namespace partita {
namespace {

constexpr std::uint64_t kFirstTurn = 50'000;  // ticks: a hundredth of a second or so
constexpr double kTurnGrowth = 1.3;
constexpr double kSplitShare = 2, kShareWhenStagnating = 0.5;  // turns of the search, to those of the bound
constexpr double kStagnation = 1.5;
constexpr std::uint64_t kStagnationTicks = 2'000'000;
constexpr std::size_t kNarrowestLayer = 16, kWidestLayer = 10'000, kMostStates = 2'000'000;  // of a trellis
constexpr std::uint64_t kVainTicks = 20'000'000, kVainShare = 10;
constexpr auto kNapWithoutSplit = std::chrono::milliseconds(2);

class FleetSolver {
 public:
  FleetSolver(const FleetInstance& instance, const FreeOptions& options, Budget& budget, const Sink& sink)
      : instance_(instance), options_(options), budget_(budget), sink_(sink), search_(instance, options.seed) {
    const bool two_passes = std::any_of(instance.fleet.time.begin(), instance.fleet.time.end(), [](const auto& times) {
      return std::any_of(times.begin(), times.end(), [](const FleetTime& time) { return time.pass[1] > 0; });
    });
    for (const LoadWeights& weights : list_load_weights(instance.fleet.mode, two_passes))
      climbers_.push_back(std::make_unique<Climber>(weights));
  }

  FleetOutcome run(const std::vector<FreeSplit>& starts) {
    for (const FreeSplit& start : starts) search_.start_from(start);
    best_ = search_.best();
    FleetVolume volume = fleet_volume(instance_.graph, instance_.fleet);
    first_prices_ = std::move(volume.prices);
    if (volume.bound > 0) accept(volume.bound, "volume of work; without a certificate");
    if (options_.threads > 1) {
      std::jthread bounds([&] { work_at_bounds(); });
      work_at_splits();
    } else {
      take_turns();
    }
    if (found()) outcome_.split = best_;
    outcome_.finished = search_finished_ && bounds_finished_;
    return std::move(outcome_);
  }

 private:
  // One choice of weights, and how far its LP has come.
  struct Climber {
    explicit Climber(const LoadWeights& given) : weights(given) {}
    LoadWeights weights;
    std::unique_ptr<FleetLp> lp;
    LimitLadder ladder;
    double suggested = std::numeric_limits<double>::infinity();  // value of the last split whose devices the LP knows
  };

  void take_turns() {
    double turn = kFirstTurn;
    improve_split(kFirstTurn);
    while (!done()) {
      if (!bounds_finished_) raise_bound(static_cast<std::uint64_t>(turn));
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
    while (!done() && !bounds_finished_) {
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
    const bool nothing_left = search_finished_ && (bounds_finished_ || !(best_.value > 0) ||
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
    if (better) last_better_ = budget_.ticks_used();
    search_finished_ = search_.finished() || (unlimited_ && bounds_finished_ && seems_done());
    if (better) tell(Progress::Event::Split, {});
  }

  bool stagnating() const {
    return static_cast<double>(budget_.ticks_used()) >
           kStagnationTicks + kStagnation * static_cast<double>(last_better_);
  }
  // Without a limit somebody has to end the search once nothing more can be proved: when most of it was in vain.
  bool seems_done() const { return budget_.ticks_used() > kVainTicks + kVainShare * last_better_; }

  void accept(double bound, const char* text) {
    {
      const std::lock_guard lock(mutex_);
      outcome_.bound = bound;
      outcome_.proof_text = text;
    }
    tell(Progress::Event::Bound, text);
  }

  // One limit of one LP, for as many ticks.
  void raise_bound(std::uint64_t ticks) {
    const FreeSplit best = [&] {
      const std::lock_guard lock(mutex_);
      return best_;
    }();
    if (!(best.value > 0) || best.value == std::numeric_limits<double>::infinity()) return;
    Climber* const climber = next_climber();
    if (!climber) {
      bounds_finished_ = true;
      return;
    }
    if (!climber->lp) {
      const std::size_t widest = kMostStates / (instance_.graph.size() + 1);
      // Without transfers any order is as narrow as any other.
      if (order_.empty() && climber->weights.any_transfers()) order_ = narrow_order(instance_.graph, options_.seed);
      climber->lp = std::make_unique<FleetLp>(instance_, climber->weights, first_prices_,
                                              climber->weights.any_transfers() ? order_ : any_order(),
                                              std::clamp(widest, kNarrowestLayer, kWidestLayer));
    }
    if (best.value < climber->suggested) climber->lp->suggest(best);
    climber->suggested = best.value;
    const double limit = climber->ladder.next(best.value, outcome_.bound, ticks);
    if (!(limit > 0)) return;
    Budget slice(budget_, ticks);
    const Refutation answer = climber->lp->refute(limit, slice);
    tell(Progress::Event::Searching, answer == Refutation::Refuted      ? "limit refuted"
                                     : answer == Refutation::LpFeasible ? "the relaxation allows the limit"
                                                                        : "limit undecided");
    if (answer == Refutation::Refuted) {
      climber->ladder.refuted();
      accept(limit, "configuration LP; without a certificate");
    } else if (answer == Refutation::LpFeasible) {
      climber->ladder.impossible();
    } else {
      climber->ladder.undecided(false);
    }
  }

  std::vector<GroupId> any_order() const {
    std::vector<GroupId> order;
    for (GroupId v : instance_.graph.all()) order.push_back(v);
    return order;
  }

  // The one after the last that still has something to do.
  Climber* next_climber() {
    for (std::size_t i = 0; i < climbers_.size(); ++i) {
      turn_ = (turn_ + 1) % climbers_.size();
      if (!climbers_[turn_]->ladder.exhausted()) return climbers_[turn_].get();
    }
    return nullptr;
  }

  const FleetInstance& instance_;
  const FreeOptions& options_;
  Budget& budget_;
  const Sink& sink_;

  FleetSearch search_;
  std::atomic<bool> search_finished_ = false, bounds_finished_ = false;
  const bool unlimited_ =
      std::isinf(budget_.limits().seconds) && budget_.limits().ticks == std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_better_ = 0;  // ticks used when the best split was found

  std::vector<double> first_prices_;
  std::vector<GroupId> order_;  // in which few nets are open at a time
  std::vector<std::unique_ptr<Climber>> climbers_;
  std::size_t turn_ = 0;

  mutable std::mutex mutex_;  // guards what follows, which both threads see
  FreeSplit best_;
  FleetOutcome outcome_;  // its bound is written by the bounds' thread alone
};

}  // namespace

FleetOutcome solve_fleet(const FleetInstance& instance, const std::vector<FreeSplit>& starts,
                         const FreeOptions& options, Budget& budget, const Sink& sink) {
  return FleetSolver(instance, options, budget, sink).run(starts);
}

}  // namespace partita
