// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/contiguous/contiguous_bound.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

#include "partita/model/result.h"
#include "partita/solve/free/bound_climber.h"
#include "partita/solve/free/volume.h"
#include "partita/solve/shared/incumbent.h"
#include "partita/util/parallel.h"
#include "partita/util/statistics.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

constexpr double kFirstConvexTurn = 2'000'000, kConvexTurnGrowth = 1.3;  // ticks
constexpr double kFirstFreeTurn = 50'000;
constexpr double kBelowVolumeOfWork = 1e-6;
// Before free splits take part: most proofs over convex sets take less.
constexpr std::uint64_t kHeadStart = 60'000'000;
constexpr double kHeadStartShare = 0.3;  // of the seconds, where these are limited
// Then free splits drop out: the paper's inputs get their bounds in less; where memory decides, little comes.
constexpr std::uint64_t kVainTicksPerGroup = 80'000, kLeastVainTicks = 8'000'000;

const char* words_for(Refutation answer) {
  switch (answer) {
    case Refutation::Refuted: return "limit refuted";
    case Refutation::LpFeasible: return "the relaxation allows the limit";
    default: return "limit undecided";
  }
}

std::string words_for_proof(bool free, bool by_cases) {
  return std::string(free ? "for free splits: configuration LP" : "configuration LP over convex sets") +
         (by_cases ? ", case by case; its certificate was verified" : "; its certificate was verified");
}

class ContiguousBound {
 public:
  ContiguousBound(const ContiguousQuestion& question, const FreeSplit& start, const FreeOptions& options,
                  bool with_free, Budget& budget, const Sink& sink)
      : question_(question),
        options_(options),
        budget_(budget),
        began_(budget.seconds_used()),
        best_(budget, sink),
        convex_(question.instance, question.order, options, question.holds_convex, budget, kFirstConvexTurn),
        free_(question.instance, any_set_, options, question.holds_free, budget, kFirstFreeTurn),
        with_free_(with_free) {
    best_.offer(start);
  }

  ContiguousOutcome run() {
    within_limits(budget_, [this] {
      // Limits below the volume of work are not worth a try. Over convex sets its prices are no start: where hosts take
      // part they are flat in what hosts do well, and prices nearer to a proof are hardly ever found from there.
      Volume volume = volume_bound(question_.instance, &budget_);
      floor_ = volume.bound * (1 - kBelowVolumeOfWork);
      free_.climber.start_from(std::move(volume.prices));
      begin();
      climb();
    });
    ContiguousOutcome outcome;
    static_cast<FreeOutcome&>(outcome) = {best_.outcome(), std::move(proof_)};
    outcome.of_free_splits = of_free_splits_;
    return outcome;
  }

 private:
  struct Side {
    Side(const FreeInstance& instance, const ConvexOrder& order, const FreeOptions& options, const ProofCheck& holds,
         Budget& whole, double first_turn)
        : budget(whole, whole.limits().ticks), climber(instance, order, options, holds, budget), turn(first_turn) {}
    Budget budget;  // counts the ticks of this side alone
    BoundClimber climber;
    double turn;                          // ticks of the next one
    std::atomic<std::uint64_t> vain = 0;  // ticks since it raised the bound
  };

  bool side_by_side() const { return threads_of(budget_) > 1; }
  bool done() const { return budget_.exhausted() || !(best_.value() > 0) || closed(); }
  bool closed() const { return best_.closed(std::max(options_.gap, kClosedGap)); }

  // A first turn of the convex sets, and a better start.
  void begin() {
    if (!question_.improve) return;
    if (side_by_side()) {
      Budget search(budget_, budget_.limits().ticks);
      for_each(budget_, 2, [&](std::size_t i, std::size_t) {
        if (i == 1) return improve(search);
        climb();
        search.cancel();
      });
    } else {
      if (!done() && !convex_.climber.finished(best_.value())) take_turn(convex_);
      if (!done()) improve(budget_);
    }
  }

  void improve(Budget& budget) { best_.offer(question_.improve(*best_.copy_of_split(), budget)); }

  void climb() {
    while (!done()) {
      Side* const side = whose_turn();
      if (!side) return;
      if (side_by_side() && !convex_.climber.finished(best_.value()) && may_free_climb(true)) {
        take_turns_side_by_side();
      } else {
        take_turn(*side);
      }
    }
  }

  // Turns of free splits are the shorter ones, so there are several beside one over convex sets.
  void take_turns_side_by_side() {
    std::atomic<bool> convex_at_work = true;
    for_each(budget_, 2, [&](std::size_t i, std::size_t) {
      if (i == 0) {
        take_turn(convex_);
        convex_at_work = false;
      } else {
        do {
          take_turn(free_);
        } while (convex_at_work && !done() && may_free_climb(true));
      }
    });
  }

  Side* whose_turn() {
    const bool convex_left = !convex_.climber.finished(best_.value());
    if (!may_free_climb(convex_left)) return convex_left ? &convex_ : nullptr;
    return !convex_left || free_.vain < convex_.vain ? &free_ : &convex_;
  }

  bool may_free_climb(bool convex_left) const {
    if (!with_free_ || free_.climber.finished(best_.value())) return false;
    if (!convex_left) return true;
    const bool hopeless = free_.vain >= std::max(kLeastVainTicks, kVainTicksPerGroup * question_.instance.graph.size());
    const double seconds = budget_.limits().seconds - began_;
    return !hopeless && (convex_.vain >= kHeadStart || budget_.seconds_used() - began_ >= kHeadStartShare * seconds);
  }

  void take_turn(Side& side) {
    const bool free = &side == &free_;
    Technique technique(budget_, free ? "contiguous.free_bound" : "contiguous.configuration_lp", "bounds raised");
    const std::uint64_t before = side.budget.ticks_used();
    auto news = side.climber.climb(*best_.copy_of_split(), std::max(floor_, best_.bound()),
                                   static_cast<std::uint64_t>(side.turn));
    side.vain += side.budget.ticks_used() - before + 1;
    side.turn *= free ? options_.settings.turn_growth : kConvexTurnGrowth;
    if (!news) return;
    const std::lock_guard lock(news_mutex_);
    best_.tell(Progress::Event::Searching, question_.instance.graph.size(), words_for(news->answer));
    if (news->split && question_.legal(*news->split)) best_.offer(std::move(*news->split));
    if (!news->proof) return;
    const bool by_cases = news->proof->size() > 1;
    if (!best_.raise_bound(news->proof->front().limit, words_for_proof(free, by_cases))) return;
    proof_ = std::move(news->proof);
    of_free_splits_ = free;
    side.vain = 0;
    technique.yield(1);
  }

  const ContiguousQuestion& question_;
  const FreeOptions& options_;
  Budget& budget_;
  const double began_;
  Incumbent<FreeSplit> best_;
  const ConvexOrder any_set_;
  Side convex_, free_;
  const bool with_free_;
  double floor_ = 0;
  std::mutex news_mutex_;           // of all below: both sides may have news at once
  std::optional<ProofTree> proof_;  // of the bound
  bool of_free_splits_ = false;
};

}  // namespace

ContiguousOutcome bound_contiguous(const ContiguousQuestion& question, const FreeSplit& start,
                                   const FreeOptions& options, bool with_free, Budget& budget, const Sink& sink) {
  return ContiguousBound(question, start, options, with_free, budget, sink).run();
}

}  // namespace partita::detail
