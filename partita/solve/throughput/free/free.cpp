// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/free/free.h"

#include <algorithm>
#include <limits>

#include "partita/reduce/threshold.h"
#include "partita/solve/throughput/free/free_search.h"
#include "partita/solve/throughput/free/narrow_order.h"

namespace partita {
namespace {

// How far below the best value the first limit is: closer than anybody asks, yet not so close that rounding of loads to
// integers, or ties, make the refutation hard.
constexpr double kJustBelow = 5e-7;
constexpr std::uint64_t kFirstTurn = 2'000'000;  // ticks: half a second or so
constexpr double kTurnGrowth = 1.5;
constexpr std::size_t kWidestLayer = 20'000;
constexpr double kClosest = 1e-4;  // bisection ends when bound and value are this near, relative to the value

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
    raise_average_bound();
    std::uint64_t turn = kFirstTurn;
    take_turn_at_splits(turn / 2);
    while (!done()) {
      take_turn_at_bounds(turn);
      if (!done()) take_turn_at_splits(turn);
      turn = static_cast<std::uint64_t>(static_cast<double>(turn) * kTurnGrowth);
    }
    if (search_.best().value < std::numeric_limits<double>::infinity()) outcome_.split = search_.best();
    return std::move(outcome_);
  }

 private:
  double value() const { return search_.best().value; }
  bool found() const { return value() < std::numeric_limits<double>::infinity(); }
  bool done() const {
    if (budget_.exhausted()) return true;
    return found() && value() - outcome_.bound <= std::max(options_.gap, 1e-6 * 0.99) * value();
  }

  void tell(Progress::Event event, const std::string& detail) const {
    if (sink_) sink_({event, budget_.seconds_used(), value(), outcome_.bound, instance_.graph.size(), detail});
  }

  void raise_average_bound() {
    const StagePlatform& platform = instance_.platform;
    double light = 0, heaviest = 0;
    for (GroupId v : instance_.graph.all()) {
      const Group& g = instance_.graph.group(v);
      double least = std::numeric_limits<double>::infinity();
      if (platform.accelerators > 0 && g.on_accelerator) least = g.accelerator_time;
      if (platform.hosts > 0 && g.on_host) least = std::min(least, g.host_time);
      light += least;
      heaviest = std::max(heaviest, least);
    }
    const double bound = std::max(heaviest, light / (platform.accelerators + platform.hosts)) * (1 - kRoundingSlack);
    raise_bound(bound, "some device carries at least the average");
  }

  void raise_bound(double bound, const char* text) {
    if (bound <= outcome_.bound) return;
    outcome_.bound = bound;
    outcome_.proof_text = text;
    tell(Progress::Event::Bound, text);
  }

  void take_turn_at_splits(std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    if (!search_.improve(slice)) return;
    tell(Progress::Event::Split, {});
    if (lp_) lp_->suggest(search_.best());
    hard_from_ = std::numeric_limits<double>::infinity();
    bisecting_ = false;  // a new best value: try to prove it right away
    attempts_ = 0;
  }

  void take_turn_at_bounds(std::uint64_t ticks) {
    if (!found() || value() <= 0) return;
    if (!lp_) {
      lp_.emplace(instance_.graph, instance_.platform, narrow_order(instance_.graph, options_.seed), kWidestLayer);
      lp_->suggest(search_.best());
    }
    const double top = value() * (1 - kJustBelow);
    const double limit = next_limit(top);
    if (limit <= 0) return;
    Budget slice(budget_, ticks);
    const Refutation answer = lp_->refute(limit, slice);
    tell(Progress::Event::Searching, answer == Refutation::Refuted      ? "limit refuted"
                                     : answer == Refutation::LpFeasible ? "the relaxation allows the limit"
                                                                        : "limit undecided");
    if (answer == Refutation::Refuted) {
      if (check_(lp_->proof())) {
        outcome_.proof = lp_->proof();
        raise_bound(limit, "configuration LP; its certificate was verified");
      } else {
        bisecting_ = true;
      }
      return;
    }
    if (answer == Refutation::LpFeasible) lp_feasible_from_ = std::min(lp_feasible_from_, limit);
    if (answer == Refutation::Undecided && limit < top) hard_from_ = std::min(hard_from_, limit);
    bisecting_ = true;
  }

  // Just below the best value; once that proved too hard, every other time half way up from the bound; once it proved
  // possible for the relaxation, always so. 0 if the relaxation can do no more.
  double next_limit(double top) {
    if (top < lp_feasible_from_ && (!bisecting_ || ++attempts_ % 2 == 0)) return top;
    const double near = kClosest * value();
    if (std::min({top, lp_feasible_from_, hard_from_}) - outcome_.bound < near)
      hard_from_ = top;  // turns have grown: again
    const double high = std::min({top, lp_feasible_from_, hard_from_});
    return high - outcome_.bound < near ? 0 : (outcome_.bound + high) / 2;
  }

  const FreeInstance& instance_;
  const FreeOptions& options_;
  const ProofCheck& check_;
  Budget& budget_;
  const Sink& sink_;
  FreeSearch search_;
  std::optional<ConfigurationLp> lp_;
  FreeOutcome outcome_;
  double lp_feasible_from_ = std::numeric_limits<double>::infinity();  // the relaxation allows limits from here on
  double hard_from_ = std::numeric_limits<double>::infinity();  // limits from here on took longer than their turn
  bool bisecting_ = false;
  int attempts_ = 0;
};

}  // namespace

FreeOutcome solve_free(const FreeInstance& instance, const std::optional<FreeSplit>& start, const FreeOptions& options,
                       const ProofCheck& check, Budget& budget, const Sink& sink) {
  return FreeSolver(instance, options, check, budget, sink).run(start);
}

}  // namespace partita
