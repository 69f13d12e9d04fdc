// SPDX-License-Identifier: Apache-2.0
// Upper and lower bound at work on the same question: who has the next turn, how long it is, and when both may stop.
//
// A search makes the best split better; whoever derives from this class raises the bound. The two take turns, which are
// counted in ticks and grow, so with one thread a seed and a tick limit fix the answer. With several threads the turns of
// a round are side by side, and the search goes on for as long as the bound's turn takes. Work ends when value and bound
// meet, when the budget ends, or when neither has anything left to do.
//
// Search has start_from(), improve(), best() and finished() as FreeSearch has them. Used by free.cpp. Tests:
// tests/solve/free_bound_test.cpp, tests/solve/free_threads_test.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "partita/model/result.h"
#include "partita/solve/free/free.h"
#include "partita/solve/shared/incumbent.h"
#include "partita/util/parallel.h"
#include "partita/util/statistics.h"
#include "partita/util/within_limits.h"

namespace partita::detail {

template <class Search>
class SearchAndBound {
 public:
  virtual ~SearchAndBound() = default;
  SearchAndBound(const SearchAndBound&) = delete;
  SearchAndBound& operator=(const SearchAndBound&) = delete;

 protected:
  // Tells of a graph of so many groups. The search is made of the arguments at the end.
  template <class... Arguments>
  SearchAndBound(const FreeOptions& options, Budget& budget, const Sink& sink, std::size_t groups,
                 Arguments&&... search)
      : options_(options),
        budget_(budget),
        best_(budget, sink),
        search_(std::forward<Arguments>(search)...),
        groups_(groups) {
    offer_best();
  }

  // Below the value of this split, which is above 0; for as many ticks. The search may be at work meanwhile, on another
  // thread. May throw OutOfTime.
  virtual void raise_bound(const FreeSplit& best, std::uint64_t ticks) = 0;
  // Nothing more can be proved below this value.
  virtual bool bounds_finished(double value) const = 0;
  // Frees what raise_bound() works with, which is not asked again.
  virtual void give_up_bounds() = 0;

  void start_from(const FreeSplit& split) {
    search_.start_from(split);
    offer_best();
  }
  // The same for a split that the bound came across: the search takes it over before its next turn. With a value, if
  // it is known to be legal.
  void hand_to_search(FreeSplit split) {
    if (split.value > 0) best_.offer(split);
    if (!handed_over_ || split.value <= handed_over_->value) handed_over_ = std::move(split);
  }

  // Whoever runs out of memory stops, and what was found by then stays.
  void work() {
    double turn = first_turn();
    improve_split(in_ticks(turn));
    while (!done()) {
      take_round(turn);
      turn *= settings().turn_growth;
    }
  }

  void tell_of_limit(Refutation answer) {
    best_.tell(Progress::Event::Searching, groups_,
               answer == Refutation::Refuted      ? "limit refuted"
               : answer == Refutation::LpFeasible ? "the relaxation allows the limit"
                                                  : "limit undecided");
  }

  const FreeOptions& options_;
  Budget& budget_;
  Incumbent<FreeSplit> best_;

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  static constexpr double kStagnation = 1.5;
  // Bounds, and splits made of what their LP allows, then close more of it. [InceptionV3, inference: six seconds of ten
  // were the search's.]
  static constexpr double kLittleOpen = 0.005;
  static constexpr double kPartOfBound = 0.125;  // of what the bound took, where it was more than its turn
  static constexpr std::uint64_t kStagnationTicks = 2'000'000;
  static constexpr std::uint64_t kVainTicks = 20'000'000, kVainShare = 10;

  // The bound first, where one thread does both. Else the search goes on until the bound's turn is over, in pieces.
  void take_round(double turn) {
    if (bounds_over()) return take_turn_of_search(turn);
    std::atomic<bool> bound_at_work = true;
    const std::uint64_t before = budget_.ticks_used();
    for_each(budget_, 2, [&](std::size_t i, std::size_t) {
      if (i == 0) {
        work_at_bound(in_ticks(turn));
        bound_at_work = false;
      } else if (bound_at_work) {
        while (bound_at_work && !done() && !search_finished_) improve_split(settings().first_turn);
      } else if (!done()) {
        const double took = static_cast<double>(budget_.ticks_used() - before);
        take_turn_of_search(std::max(turn, kPartOfBound * took));
      }
    });
    take_over();
  }

  // Longer than those of the bound, since better splits are still found when proofs are out of reach; shorter once nothing
  // better was found for a good part of the time, and ever shorter the longer that goes on: then better splits come from
  // the bound, if at all. Also shorter where little is open, where the search finds some until the end.
  void take_turn_of_search(double turn) {
    take_over();
    const double idle = stagnation();
    double share = settings().split_share;
    if (best_.closed(kLittleOpen)) {
      share = settings().share_when_stagnating;
    } else if (idle > 1) {
      share = settings().share_when_stagnating / std::sqrt(idle);
    }
    improve_split(in_ticks(share * turn));
  }

  void take_over() {
    within_limits(budget_, [&] {
      if (handed_over_) start_from(*std::exchange(handed_over_, std::nullopt));
    });
  }

  const FreeSettings& settings() const { return options_.settings; }
  double first_turn() const { return static_cast<double>(settings().first_turn); }
  static std::uint64_t in_ticks(double turn) { return static_cast<std::uint64_t>(std::min(turn, 1e15)); }
  bool bounds_over() const { return bounds_ended_ || bounds_finished(best_.value()); }

  bool done() const {
    if (budget_.exhausted()) return true;
    const double value = best_.value();
    const bool nothing_left = search_finished_ && (bounds_over() || !(value > 0) || value == kNone);
    return nothing_left || best_.closed(std::max(options_.gap, kClosedGap));
  }

  void work_at_bound(std::uint64_t ticks) {
    bounds_ended_ = !within_limits(budget_, [&] {
      Technique lp(budget_, "free.configuration_lp", "bounds raised");
      const double before = best_.bound();
      const std::optional<FreeSplit> best = best_.copy_of_split();
      if (best && best->value > 0) raise_bound(*best, ticks);
      lp.yield(best_.bound() > before);
    });
    if (bounds_ended_) give_up_bounds();
  }

  void improve_split(std::uint64_t ticks) {
    const bool went_well = within_limits(budget_, [&] {
      Budget slice(budget_, ticks);
      if (search_.improve(slice)) {
        last_better_ = budget_.ticks_used();
        offer_best();
      }
      search_finished_ = search_.finished() || (unlimited_ && bounds_over() && seems_done());
    });
    if (!went_well) search_finished_ = true;
  }
  void offer_best() {
    if (search_.best().value < kNone) best_.offer(search_.best());
  }

  // Above 1, nothing better was found for a good part of the time.
  double stagnation() const {
    return static_cast<double>(budget_.ticks_used()) /
           (kStagnationTicks + kStagnation * static_cast<double>(last_better_));
  }
  // Without a limit somebody has to end the search once nothing more can be proved: when most of it was in vain.
  bool seems_done() const { return budget_.ticks_used() > kVainTicks + kVainShare * last_better_; }

  Search search_;
  const std::size_t groups_;
  std::atomic<bool> search_finished_ = false;
  std::atomic<bool> bounds_ended_ = false;  // for want of memory
  const bool unlimited_ =
      std::isinf(budget_.limits().seconds) && budget_.limits().ticks == std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_better_ = 0;         // ticks used when the best split was found
  std::optional<FreeSplit> handed_over_;  // to the search
};

}  // namespace partita::detail
