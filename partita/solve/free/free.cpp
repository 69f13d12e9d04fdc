// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "partita/solve/configuration/limit_ladder.h"
#include "partita/solve/configuration/narrow_order.h"
#include "partita/solve/free/free_search.h"
#include "partita/solve/free/part_loads.h"
#include "partita/solve/free/search_and_bound.h"
#include "partita/solve/free/sum_loads.h"
#include "partita/solve/free/volume.h"

namespace partita::detail {
namespace {

constexpr std::size_t kNarrowestLayer = 16;  // of a trellis
constexpr double kBelowVolume = 5e-7;
constexpr std::uint64_t kVolumeTicks = 4'000'000;
constexpr int kTriesAtCheck = 4, kFinerBuckets = 4;

template <class Loads>
class FreeSolver : SearchAndBound<FreeSearch<Loads>> {
  using Base = SearchAndBound<FreeSearch<Loads>>;
  using Base::best_, Base::budget_, Base::options_;

 public:
  FreeSolver(const FreeInstance& instance, const FreeOptions& options, const ProofCheck& check, Budget& budget,
             const Sink& sink)
      : Base(options, budget, sink, instance.graph.size(), instance, options.seed, options.settings),
        instance_(instance),
        check_(check),
        bounds_finished_(!options.settings.configuration_lp) {
    const bool two_passes = std::ranges::any_of(instance.time, [](const auto& times) {
      return std::ranges::any_of(times, [](const ClassTime& time) { return time.pass[1] > 0; });
    });
    for (const LoadWeights& weights : list_load_weights(instance.mode, two_passes))
      climbers_.push_back(std::make_unique<Climber>(weights));
  }

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
    first_prices_ = std::move(copy);  // whole or not at all, if memory ends here
    if (!options_.settings.volume_bound) return;
    const double limit = volume.bound * (1 - kBelowVolume);
    if (!(limit > 0)) return;
    technique.yield(1);
    ConfigurationLp without_transfers(model_of(instance_, compute_alone()), std::move(volume.prices), any_order(),
                                      {.widest = 1});
    Budget slice(budget_, kVolumeTicks);
    try {
      if (without_transfers.refute(limit, slice) == Refutation::Refuted) {
        FreeProof proof = without_transfers.proof();
        if (holds(proof)) return accept(std::move(proof), "volume of work; its certificate was verified");
      }
    } catch (const OutOfTime&) {
    }
    best_.raise_bound(limit, "volume of work; without a certificate");
  }

  void accept(FreeProof proof, const char* text) {
    if (best_.raise_bound(proof.limit, text)) proof_ = std::move(proof);
  }

  // One choice of weights, and how far its LP has come.
  struct Climber {
    explicit Climber(const LoadWeights& given) : weights(given) {}
    LoadWeights weights;
    std::unique_ptr<ConfigurationLp> lp;
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
    if (!climber->lp) make_lp(*climber);
    if (best.value < climber->suggested) climber->lp->suggest(best);
    climber->suggested = best.value;
    const double limit = climber->ladder.next(best.value, best_.bound(), ticks);
    if (!(limit > 0)) return;
    Budget slice(budget_, ticks);
    const Refutation answer = climber->lp->refute(limit, slice);
    Base::tell_of_limit(answer);
    FreeProof proof = answer == Refutation::Refuted ? climber->lp->proof() : FreeProof{};
    if (answer == Refutation::Refuted && holds(proof)) {
      climber->ladder.refuted();
      accept(std::move(proof), "configuration LP; its certificate was verified");
    } else if (answer == Refutation::LpFeasible) {
      climber->ladder.impossible();
    } else {
      climber->ladder.undecided(answer == Refutation::Refuted);
    }
  }

  void make_lp(Climber& climber) {
    const std::size_t trellises = std::max<std::size_t>(instance_.devices.accelerator_classes(), 1);
    const std::size_t parts = trellises * (climbers_.size() > 1 ? 2 : 1);
    // Of the trellises of all classes of an LP; half as many where there are several LPs.
    const std::size_t widest = options_.settings.most_states / parts / (instance_.graph.size() + 1);
    // Without transfers any order is as narrow as any other.
    const bool transfers = climber.weights.any_transfers();
    if (order_.empty() && transfers) order_ = narrow_order(instance_.graph, options_.seed, &budget_);
    climber.lp = std::make_unique<ConfigurationLp>(
        model_of(instance_, climber.weights), first_prices_, transfers ? order_ : any_order(),
        Trellis::Size{std::clamp(widest, kNarrowestLayer, std::size_t{options_.settings.widest_layer})});
  }

  std::vector<GroupId> any_order() const {
    std::vector<GroupId> order;
    for (GroupId v : instance_.graph.all()) order.push_back(v);
    return order;
  }

  // The one after the last that still has something to do; compute alone, which is the first, begins.
  Climber* next_climber() {
    for (std::size_t i = 0; i < climbers_.size(); ++i) {
      Climber* const climber = climbers_[turn_].get();
      turn_ = (turn_ + 1) % climbers_.size();
      if (!climber->ladder.exhausted()) return climber;
    }
    return nullptr;
  }

  // Whoever checks the proof may put labels into buckets in another way, so it gets further tries with finer ones.
  bool holds(FreeProof& proof) {
    for (int i = 0; i < kTriesAtCheck && !budget_.exhausted(); ++i) {
      if (check_(proof, budget_)) return true;
      for (FreeProof::Devices& of_class : proof.devices) of_class.buckets *= kFinerBuckets;
    }
    return false;
  }

  const FreeInstance& instance_;
  const ProofCheck& check_;
  std::atomic<bool> bounds_finished_;
  GroupPrices first_prices_;
  std::vector<GroupId> order_;  // in which few nets are open at a time
  std::vector<std::unique_ptr<Climber>> climbers_;
  std::size_t turn_ = 0;
  std::optional<FreeProof> proof_;  // of the bound
};

}  // namespace

FreeOutcome solve_free(const FreeInstance& instance, const std::vector<FreeSplit>& starts, const FreeOptions& options,
                       const ProofCheck& check, Budget& budget, const Sink& sink) {
  if (SumLoads::serves(instance)) return FreeSolver<SumLoads>(instance, options, check, budget, sink).run(starts);
  return FreeSolver<PartLoads>(instance, options, check, budget, sink).run(starts);
}

}  // namespace partita::detail
