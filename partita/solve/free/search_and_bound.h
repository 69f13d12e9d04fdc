// SPDX-License-Identifier: Apache-2.0
// Upper and lower bound at work on the same question: who has the next turn, how long it is, and when both may stop.
//
// A search makes the best split better; whoever derives from this class raises the bound. With one thread the two take
// turns, which are counted in ticks and grow, so a seed and a tick limit fix the answer. With two threads they run side
// by side. Work ends when value and bound meet, when the budget ends, or when neither has anything left to do.
//
// Search has start_from(), improve(), best() and finished() as FreeSearch has them. Used by free.cpp. Tests:
// tests/solve/free_bound_test.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "partita/model/result.h"
#include "partita/solve/free/free.h"
#include "partita/solve/shared/incumbent.h"
#include "partita/util/statistics.h"
#include "partita/util/threads.h"
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

  // Below the value of this split, which is above 0; for as many ticks. Called by the bounds' thread alone. May throw
  // OutOfTime.
  virtual void raise_bound(const FreeSplit& best, std::uint64_t ticks) = 0;
  // Nothing more can be proved below this value. Any thread may ask.
  virtual bool bounds_finished(double value) const = 0;
  // Frees what raise_bound() works with, which is not asked again. Called by the bounds' thread alone.
  virtual void give_up_bounds() = 0;

  void start_from(const FreeSplit& split) {
    search_.start_from(split);
    offer_best();
  }

  void work() {
    if (options_.threads > 1) {
      const std::optional<std::jthread> bounds = try_to_start([&] { work_at_bounds(); });
      if (bounds) return work_at_splits();
    }
    take_turns();
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
  static constexpr std::uint64_t kStagnationTicks = 2'000'000;
  static constexpr std::uint64_t kVainTicks = 20'000'000, kVainShare = 10;
  static constexpr auto kNap = std::chrono::milliseconds(2);

  // Whoever runs out of memory stops, and what was found by then stays; on two threads the other one goes on.
  void take_turns() {
    double turn = first_turn();
    if (!within_limits(budget_, [&] { improve_split(in_ticks(turn)); })) search_finished_ = true;
    while (!done()) {
      if (!bounds_over()) work_at_bound(in_ticks(turn));
      // Turns of the search are longer, since better splits are still found when proofs are out of reach; shorter once
      // nothing better was found for a good part of the time.
      const double share = stagnating() ? settings().share_when_stagnating : settings().split_share;
      if (!done() && !within_limits(budget_, [&] { improve_split(in_ticks(share * turn)); })) search_finished_ = true;
      turn *= settings().turn_growth;
    }
  }

  void work_at_splits() {
    while (!done() && !search_finished_) {
      if (!within_limits(budget_, [&] { improve_split(settings().first_turn); })) search_finished_ = true;
    }
  }
  void work_at_bounds() {
    double turn = first_turn();
    while (!done() && !bounds_ended_) {
      // Without a split, or until there is a better one.
      if (best_.value() == kNone || bounds_over()) {
        std::this_thread::sleep_for(kNap);
        continue;
      }
      work_at_bound(in_ticks(turn));
      turn *= settings().turn_growth;
    }
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
    Budget slice(budget_, ticks);
    if (search_.improve(slice)) {
      last_better_ = budget_.ticks_used();
      offer_best();
    }
    search_finished_ = search_.finished() || (unlimited_ && bounds_over() && seems_done());
  }
  void offer_best() {
    if (search_.best().value < kNone) best_.offer(search_.best());
  }

  bool stagnating() const {
    return static_cast<double>(budget_.ticks_used()) >
           kStagnationTicks + kStagnation * static_cast<double>(last_better_);
  }
  // Without a limit somebody has to end the search once nothing more can be proved: when most of it was in vain.
  bool seems_done() const { return budget_.ticks_used() > kVainTicks + kVainShare * last_better_; }

  Search search_;
  const std::size_t groups_;
  std::atomic<bool> search_finished_ = false;
  std::atomic<bool> bounds_ended_ = false;  // for want of memory
  const bool unlimited_ =
      std::isinf(budget_.limits().seconds) && budget_.limits().ticks == std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_better_ = 0;  // ticks used when the best split was found
};

}  // namespace partita::detail
