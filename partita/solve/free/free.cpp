// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "partita/solve/free/bound_climber.h"
#include "partita/solve/free/free_search.h"
#include "partita/solve/free/part_loads.h"
#include "partita/solve/free/search_and_bound.h"
#include "partita/solve/free/sum_loads.h"
#include "partita/solve/free/volume.h"

namespace partita::detail {
namespace {

constexpr double kBelowVolume = 5e-7;
constexpr std::uint64_t kVolumeTicks = 4'000'000;
constexpr std::uint64_t kLeastOfTurn = 8;  // an eighth

template <class Loads>
class FreeSolver : SearchAndBound<FreeSearch<Loads>> {
  using Base = SearchAndBound<FreeSearch<Loads>>;
  using Base::best_, Base::budget_, Base::options_;

 public:
  FreeSolver(const FreeInstance& instance, const FreeOptions& options, const ProofCheck& check, Budget& budget,
             const Sink& sink)
      : Base(options, budget, sink, instance.graph.size(), instance, options.seed, options.settings),
        instance_(instance),
        bounds_budget_(budget, budget.limits().ticks),
        climber_(instance, any_set_, options_, check, bounds_budget_) {}

  FreeOutcome run(const std::vector<FreeSplit>& starts) {
    for (const FreeSplit& start : starts) Base::start_from(start);
    within_limits(budget_, [this] { bound_by_volume(); });
    Base::work();
    return {best_.outcome(), std::move(proof_)};
  }

 private:
  // Without transfers a trellis is a single path, so this takes no time, and there is a bound for every graph.
  void bound_by_volume() {
    Technique technique(budget_, "free.volume_bound", "bounds raised");
    Volume volume = volume_bound(instance_, &budget_);
    GroupPrices copy = volume.prices;
    climber_.start_from(std::move(copy));  // whole or not at all, if memory ends here
    if (!options_.settings.volume_bound) return;
    const double limit = volume.bound * (1 - kBelowVolume);
    if (!(limit > 0)) return;
    technique.yield(1);
    ConfigurationLp without_transfers(model_of(instance_, compute_alone()), std::move(volume.prices), any_order(),
                                      {.widest = 1});
    Budget slice(budget_, kVolumeTicks);
    try {
      if (without_transfers.refute(limit, slice) == Refutation::Refuted) {
        ProofTree proof{without_transfers.proof()};
        if (climber_.holds(proof)) return accept(std::move(proof), "volume of work; its certificate was verified");
      }
    } catch (const OutOfTime&) {
    }
    best_.raise_bound(limit, "volume of work; without a certificate");
  }

  void accept(ProofTree proof, const char* text) {
    if (best_.raise_bound(proof.front().limit, text)) proof_ = std::move(proof);
  }

  bool bounds_finished(double value) const override { return climber_.finished(value); }
  void give_up_bounds() override { climber_.give_up(); }

  // One limit after the other, each for as long as it is worth. What is left of a turn in the end is not enough to begin
  // another.
  void raise_bound(const FreeSplit& best, std::uint64_t ticks) override {
    const std::uint64_t end = bounds_budget_.ticks_used() + ticks;
    for (std::uint64_t left = ticks; left > ticks / kLeastOfTurn;) {
      const bool one_more = raise_bound_once(best_.copy_of_split().value_or(best), left);
      if (!one_more || budget_.exhausted() || best_.closed(std::max(options_.gap, kClosedGap))) return;
      left = end - std::min(end, bounds_budget_.ticks_used());
    }
  }

  // One limit of one LP; false if none is left.
  bool raise_bound_once(const FreeSplit& best, std::uint64_t ticks) {
    auto news = climber_.climb(best, best_.bound(), ticks);
    if (!news) return false;
    Base::tell_of_limit(news->answer);
    if (news->split) Base::hand_to_search(std::move(*news->split));
    if (!news->proof) return true;
    const bool by_cases = news->proof->size() > 1;
    accept(std::move(*news->proof), by_cases ? "configuration LP, case by case; its certificate was verified"
                                             : "configuration LP; its certificate was verified");
    return true;
  }

  std::vector<GroupId> any_order() const {
    std::vector<GroupId> order;
    for (GroupId v : instance_.graph.all()) order.push_back(v);
    return order;
  }

  const FreeInstance& instance_;
  const ConvexOrder any_set_;
  Budget bounds_budget_;  // counts the ticks of the bound alone
  BoundClimber climber_;
  std::optional<ProofTree> proof_;  // of the bound
};

}  // namespace

FreeOutcome solve_free(const FreeInstance& instance, const std::vector<FreeSplit>& starts, const FreeOptions& options,
                       const ProofCheck& check, Budget& budget, const Sink& sink) {
  if (SumLoads::serves(instance)) return FreeSolver<SumLoads>(instance, options, check, budget, sink).run(starts);
  return FreeSolver<PartLoads>(instance, options, check, budget, sink).run(starts);
}

}  // namespace partita::detail
