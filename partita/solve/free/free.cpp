// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free.h"

#include <algorithm>
#include <limits>

#include "partita/solve/free/free_search.h"
#include "partita/solve/free/limit_ladder.h"
#include "partita/solve/free/narrow_order.h"
#include "partita/solve/free/search_and_bound.h"
#include "partita/solve/free/volume.h"

namespace partita {
namespace {

constexpr std::size_t kNarrowestLayer = 16;  // of the trellis
constexpr double kBelowVolume = 1e-6;
constexpr std::uint64_t kVolumeTicks = 4'000'000;
constexpr int kTriesAtCheck = 4, kFinerBuckets = 4;

class FreeSolver : SearchAndBound<FreeSearch> {
 public:
  FreeSolver(const FreeInstance& instance, const FreeOptions& options, const ProofCheck& check, Budget& budget,
             const Sink& sink)
      : SearchAndBound(options, budget, sink, instance.graph.size(), instance.graph, instance.platform, options.seed,
                       options.settings),
        instance_(instance),
        check_(check) {}

  FreeOutcome run(const std::optional<FreeSplit>& start) {
    if (start) start_from(*start);
    if (options_.settings.volume_bound) within_limits(budget_, [this] { prove_volume_bound(); });
    work();
    FreeOutcome outcome{
        .split = std::nullopt, .bound = bound(), .proof_text = proof_text(), .proof = std::move(proof_)};
    if (found()) outcome.split = best();
    return outcome;
  }

 private:
  // Without transfers the trellis is a single path, so this takes no time, and there is a bound for every graph.
  void prove_volume_bound() {
    Technique volume(budget_, "free.volume_bound");
    const double limit = volume_bound(instance_.graph, instance_.platform) * (1 - kBelowVolume);
    if (!(limit > 0)) return;
    std::vector<GroupId> order;
    for (GroupId v : instance_.graph.all()) order.push_back(v);
    ConfigurationLp without_transfers(instance_.graph, instance_.platform, std::move(order), 1);
    Budget slice(budget_, kVolumeTicks);
    try {
      if (without_transfers.refute(limit, slice) == Refutation::Refuted) {
        FreeProof proof = without_transfers.proof();
        if (holds(proof)) return accept(std::move(proof), "volume of work; its certificate was verified");
      }
    } catch (const OutOfTime&) {
    }
    SearchAndBound::accept(limit, "volume of work; without a certificate");
  }

  void accept(FreeProof proof, const char* text) {
    proof_ = std::move(proof);
    SearchAndBound::accept(proof_->limit, text);
  }

  bool bounds_finished() const override { return !options_.settings.configuration_lp || ladder_.exhausted(); }
  void give_up_bounds() override { lp_.reset(); }

  // One limit.
  void raise_bound(const FreeSplit& best, std::uint64_t ticks) override {
    if (!lp_) {
      const std::size_t widest = options_.settings.most_states / (instance_.graph.size() + 1);
      lp_.emplace(instance_.graph, instance_.platform, narrow_order(instance_.graph, options_.seed, &budget_),
                  std::clamp(widest, kNarrowestLayer, std::size_t{options_.settings.widest_layer}));
      return;
    }
    if (best.value < suggested_) lp_->suggest(best);
    suggested_ = best.value;
    const double limit = ladder_.next(best.value, bound(), ticks);
    if (!(limit > 0)) return;
    Budget slice(budget_, ticks);
    const Refutation answer = lp_->refute(limit, slice);
    tell_of_limit(answer);
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
  const ProofCheck& check_;
  std::optional<ConfigurationLp> lp_;
  LimitLadder ladder_;
  double suggested_ = std::numeric_limits<double>::infinity();  // value of the last split whose devices the LP knows
  std::optional<FreeProof> proof_;                              // of the bound
};

}  // namespace

FreeOutcome solve_free(const FreeInstance& instance, const std::optional<FreeSplit>& start, const FreeOptions& options,
                       const ProofCheck& check, Budget& budget, const Sink& sink) {
  return FreeSolver(instance, options, check, budget, sink).run(start);
}

}  // namespace partita
