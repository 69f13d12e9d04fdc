// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/fleet/fleet.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "partita/solve/free/fleet/fleet_lp.h"
#include "partita/solve/free/fleet/fleet_search.h"
#include "partita/solve/free/fleet/fleet_volume.h"
#include "partita/solve/free/limit_ladder.h"
#include "partita/solve/free/narrow_order.h"
#include "partita/solve/free/search_and_bound.h"

namespace partita {
namespace {

constexpr std::size_t kNarrowestLayer = 16, kWidestLayer = 10'000, kMostStates = 2'000'000;  // of a trellis

class FleetSolver : SearchAndBound<FleetSearch> {
 public:
  FleetSolver(const FleetInstance& instance, const FreeOptions& options, Budget& budget, const Sink& sink)
      : SearchAndBound(options, budget, sink, instance.graph.size(), instance, options.seed, &budget),
        instance_(instance) {
    const bool two_passes = std::any_of(instance.fleet.time.begin(), instance.fleet.time.end(), [](const auto& times) {
      return std::any_of(times.begin(), times.end(), [](const FleetTime& time) { return time.pass[1] > 0; });
    });
    for (const LoadWeights& weights : list_load_weights(instance.fleet.mode, two_passes))
      climbers_.push_back(std::make_unique<Climber>(weights));
  }

  FleetOutcome run(const std::vector<FreeSplit>& starts) {
    for (const FreeSplit& start : starts) start_from(start);
    if (within_limits(budget_, [this] { bound_by_volume(); })) work();
    FleetOutcome outcome{.split = std::nullopt,
                         .bound = bound(),
                         .proof_text = proof_text(),
                         .finished = search_finished() && bounds_finished()};
    if (found()) outcome.split = best();
    return outcome;
  }

 private:
  void bound_by_volume() {
    FleetVolume volume = fleet_volume(instance_.graph, instance_.fleet, &budget_);
    first_prices_ = std::move(volume.prices);
    if (volume.bound > 0) accept(volume.bound, "volume of work; without a certificate");
  }

  // One choice of weights, and how far its LP has come.
  struct Climber {
    explicit Climber(const LoadWeights& given) : weights(given) {}
    LoadWeights weights;
    std::unique_ptr<FleetLp> lp;
    LimitLadder ladder;
    double suggested = std::numeric_limits<double>::infinity();  // value of the last split whose devices the LP knows
  };

  bool bounds_finished() const override { return bounds_finished_; }
  void give_up_bounds() override { climbers_.clear(); }

  // One limit of one LP.
  void raise_bound(const FreeSplit& best, std::uint64_t ticks) override {
    Climber* const climber = next_climber();
    if (!climber) {
      bounds_finished_ = true;
      return;
    }
    if (!climber->lp) {
      const std::size_t widest = kMostStates / (instance_.graph.size() + 1);
      // Without transfers any order is as narrow as any other.
      if (order_.empty() && climber->weights.any_transfers())
        order_ = narrow_order(instance_.graph, options_.seed, &budget_);
      climber->lp = std::make_unique<FleetLp>(instance_, climber->weights, first_prices_,
                                              climber->weights.any_transfers() ? order_ : any_order(),
                                              std::clamp(widest, kNarrowestLayer, kWidestLayer));
    }
    if (best.value < climber->suggested) climber->lp->suggest(best);
    climber->suggested = best.value;
    const double limit = climber->ladder.next(best.value, bound(), ticks);
    if (!(limit > 0)) return;
    Budget slice(budget_, ticks);
    const Refutation answer = climber->lp->refute(limit, slice);
    tell_of_limit(answer);
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
  std::atomic<bool> bounds_finished_ = false;
  std::vector<double> first_prices_;
  std::vector<GroupId> order_;  // in which few nets are open at a time
  std::vector<std::unique_ptr<Climber>> climbers_;
  std::size_t turn_ = 0;
};

}  // namespace

FleetOutcome solve_fleet(const FleetInstance& instance, const std::vector<FreeSplit>& starts,
                         const FreeOptions& options, Budget& budget, const Sink& sink) {
  return FleetSolver(instance, options, budget, sink).run(starts);
}

}  // namespace partita
