// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "partita/model/result.h"
#include "partita/reduce/never.h"
#include "partita/solve/latency/latency_bound.h"
#include "partita/solve/latency/latency_branching.h"
#include "partita/solve/latency/latency_search.h"
#include "partita/solve/latency/path_bound.h"
#include "partita/solve/latency/spine_split.h"
#include "partita/solve/shared/incumbent.h"
#include "partita/util/parallel.h"
#include "partita/util/statistics.h"
#include "partita/util/threads.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

// Ticks. Small graphs are solved in the first turns, and need no long ones.
constexpr std::uint64_t kFirstTurnPerGroup = 200, kShortestFirstTurn = 500, kLongestFirstTurn = 50'000;
constexpr double kLongestSharedTurn = 200'000;   // between looks at what other threads found
constexpr int kRestForTurn = 3;                  // as long as so many turns
constexpr std::uint64_t kCasesForTurn = 50'000;  // ticks, instead of a rest: others may wait for the cases
constexpr std::uint64_t kCasesBeside = 8;        // beside labels, cases have one tick of so many
constexpr int kMostSearches = 64, kThreadsPerSearch = 4;
constexpr std::chrono::milliseconds kPause{2};  // until there may be a split to compare with
constexpr double kRounding = 1e-9;
constexpr double kNearlyClosed = 0.01;  // a gap below which searches get less and less time,
constexpr double kLeastShare = 0.25;    // but no less than this, in turns of the bound
constexpr int kTurnsBeforePairs = 2;    // of the cases: where these are quick, pairs would be slower
constexpr const char* kByCases = "branch and bound on labels";

class LatencySolver {
 public:
  LatencySolver(const LatencyInstance& instance, const LatencyOptions& options, Budget& budget, const Sink& sink)
      : instance_(instance),
        options_(options),
        budget_(budget),
        sink_(with_size(sink, instance.size())),
        best_(budget, sink_),
        search_(instance, options.seed, options.settings),
        bound_(instance, &budget, options.settings) {}

  LatencyOutcome run(const std::vector<LatencySplit>& starts) {
    for (const LatencySplit& start : starts) search_.offer(start);
    best_.offer(search_.best());
    best_.raise_bound(path_bound(instance_), "the longest path of least node times");
    if (options_.threads > 1 && start_others()) {
      work_at_splits(search_);
      --searches_going_;
      others_.clear();
    } else {
      take_turns();
    }
    LatencyOutcome outcome = best_.outcome();
    if (const char* proof = impossible_) {
      outcome.infeasible = true;
      outcome.proof = proof;
    }
    return outcome;
  }

 private:
  static Sink with_size(const Sink& sink, std::size_t size) {
    if (!sink) return {};
    return [&sink, size](Progress progress) {
      progress.groups = size;
      sink(progress);
    };
  }

  double first_turn() const {
    return static_cast<double>(
        std::clamp(kFirstTurnPerGroup * instance_.group_count(), kShortestFirstTurn, kLongestFirstTurn));
  }

  static std::uint64_t in_ticks(double turn) { return static_cast<std::uint64_t>(std::min(turn, 1e15)); }

  // Of the search, in turns of the bound: the closer the bound is, the less there is left to find.
  double share_of_splits() const {
    const double whole = static_cast<double>(options_.settings.split_share);
    return std::clamp(whole * gap() / kNearlyClosed, kLeastShare, whole);
  }
  double gap() const {
    const double value = best_.value();
    return value == kNever ? 1 : (value - best_.bound()) / value;  // not closed, so the value is not 0
  }

  void take_turns() {
    within_limits(budget_, [&] {
      for (double turn = first_turn(); !done() && !(no_more_splits() && nothing_left_to_prove());
           turn *= options_.settings.turn_growth) {
        const std::uint64_t ticks = in_ticks(turn);
        improve_split(search_, in_ticks(turn * share_of_splits()));
        if (!done()) prove(search_, ticks);
      }
    });
  }

  // The bounds' thread, and one for each further search. False where not even the first can be had; where others
  // cannot, their searches are left out.
  bool start_others() {
    side_by_side_ = true;
    std::optional<std::jthread> bounds = try_to_start([this] { work_at_bounds(); });
    if (!bounds) return side_by_side_ = false;
    others_.push_back(std::move(*bounds));
    for (int i = 1; i < std::min(options_.threads - 1, kMostSearches); ++i) {
      ++searches_going_;
      std::optional<std::jthread> search = try_to_start([this, i] {
        within_limits(budget_, [this, i] {
          LatencySearch own(instance_, options_.seed + static_cast<std::uint64_t>(i), options_.settings);
          work_at_splits(own, i >= not_to_spare());
        });
        --searches_going_;
      });
      if (search) {
        others_.push_back(std::move(*search));
      } else {
        --searches_going_;
      }
    }
    return true;
  }

  // A thread that runs out of memory ends; the others go on with what it found. A search that has had its share of
  // ticks, as with one thread, rests for most of the time, or works at cases: its core is for the bounds, which share
  // what they do. Where the gap is nearly closed, that is the share of all searches together. Those to spare have a
  // turn, and go on once the bounds need no cores any more.
  void work_at_splits(LatencySearch& search, bool spare = false) {
    within_limits(budget_, [&] {
      double used = 0;
      const double first = first_turn() * static_cast<double>(options_.settings.split_share);
      for (double turn = first; !done() && !search.finished();
           turn = std::max(turn, std::min(turn * options_.settings.turn_growth, kLongestSharedTurn))) {
        if (&search == &search_) take_suggestions();
        const auto begin = std::chrono::steady_clock::now();
        used += static_cast<double>(improve_split(search, in_ticks(turn)));
        if (search.best().value > best_.value()) search.offer(*best_.copy_of_split());
        while (spare && !bounds_rest_ && !done()) std::this_thread::sleep_for(kPause);
        const int together = gap() < kNearlyClosed ? std::min(searches_going_.load(), not_to_spare()) : 1;
        const double share = first + static_cast<double>(ticks_of_bounds_) * share_of_splits() / together;
        if (used > share && !bounds_rest_ && !done()) {
          const auto rest = std::max(kRestForTurn, together) * (std::chrono::steady_clock::now() - begin);
          if (!work_at_cases_beside(search, begin + rest)) std::this_thread::sleep_for(rest);
        }
      }
    });
  }

  int not_to_spare() const { return std::max(1, options_.threads / kThreadsPerSearch); }

  void work_at_bounds() {
    within_limits(budget_, [this] {
      LatencySearch judge(instance_, options_.seed);  // of the splits that cases lead to
      for (double turn = first_turn(); !done() && !nothing_left_to_prove();) {
        prove(judge, in_ticks(turn));
        bounds_rest_ = bound_.waiting() && !can_branch();
        if (bounds_rest_) {
          std::this_thread::sleep_for(kPause);
        } else {
          turn *= options_.settings.turn_growth;
        }
      }
    });
    bounds_rest_ = true;
  }

  // Cases tell nothing where hosts may be short of memory, for splits are then left out that fit in some other way; or
  // where it matters which class of hosts a group goes to. Nor do they know of several subgraphs on an accelerator.
  bool can_branch() const {
    bool roomy = options_.settings.branching && !instance_.host_choice_open;
    for (const DeviceTable::Class& c : instance_.devices.classes())
      roomy = roomy && (!c.host || instance_.total_memory <= c.memory);
    return roomy && instance_.subgraphs == 1 && search_.uses_all_accelerators() && NodeReach::affordable(instance_);
  }
  bool no_more_splits() const { return side_by_side_ ? searches_going_ == 0 : search_.finished(); }
  bool nothing_left_to_prove() const {
    return !can_branch() && (bound_.finished() || (bound_.waiting() && no_more_splits()));
  }

  bool done() const {
    return budget_.exhausted() || impossible_ || decided_ || best_.closed(std::max(options_.gap, kClosedGap));
  }

  // The ticks that it took.
  std::uint64_t improve_split(LatencySearch& search, std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    if (search.improve(slice)) best_.offer(search.best());
    return slice.ticks_used();
  }

  // Spines and labels first, then cases.
  void prove(LatencySearch& judge, std::uint64_t ticks) {
    try {
      improve_bound(ticks);
      for (const LatencyBound::Blocks& blocks : bound_.take_suggestions()) {
        if (options_.settings.spine_suggestions) suggest(split_from_blocks(instance_, blocks), judge);
      }
      if (done() || !(bound_.finished() || bound_.waiting())) return;
      if (side_by_side_ && can_branch() && bound_.look_at_pairs()) return hand_over_cases(ticks);
      take_back_cases();
      if (can_branch()) divide_into_cases(judge, ticks, threads_of(budget_));
      // Cases begin anew with what pairs teach about all splits.
      if (!done() && (!can_branch() || ++turns_of_cases_ >= kTurnsBeforePairs) && bound_.look_at_pairs())
        branching_.reset();
    } catch (const OutOfTime&) {  // done() says so, too
    }
  }

  // The judge knows its value at once; a search on another thread also goes on from there.
  void suggest(LatencySplit split, LatencySearch& judge) {
    if (judge.suggest(split, budget_)) best_.offer(judge.best());
    if (!side_by_side_) return;
    const std::lock_guard lock(mutex_);
    suggested_.push_back(std::move(split));
  }

  void take_suggestions() {
    std::vector<LatencySplit> splits;
    {
      const std::lock_guard lock(mutex_);
      splits.swap(suggested_);
    }
    for (const LatencySplit& split : splits) {
      if (search_.suggest(split, budget_)) best_.offer(search_.best());
    }
  }

  void improve_bound(std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    bound_.improve(best_.value(), slice);
    ticks_of_bounds_ += slice.ticks_used();
    if (bound_.bound() == kNever) {
      impossible_ = bound_.proof();
    } else {
      best_.raise_bound(bound_.bound(), bound_.proof());
    }
  }

  // While labels go on, a search that would rest works at cases: for a turn, and then a little now and then.
  void hand_over_cases(std::uint64_t turn) {
    const std::lock_guard lock(cases_mutex_);
    if (!branching_) branching_.emplace(instance_, bound_.facts(), &budget_);
    ticks_before_cases_ = ticks_of_bounds_;
    ticks_left_for_cases_ = turn;
    cases_are_beside_ = true;
  }

  // They begin anew with what labels have taught since, unless they have come further.
  void take_back_cases() {
    if (!cases_are_beside_.exchange(false)) return;
    const std::lock_guard lock(cases_mutex_);
    if (!(branching_->bound() > bound_.bound())) branching_.reset();
  }

  // Until then, unless the bounds want them back. False if there is nothing to do, or no room for more of them.
  bool work_at_cases_beside(LatencySearch& judge, std::chrono::steady_clock::time_point until) {
    const std::unique_lock lock(cases_mutex_, std::try_to_lock);
    if (!lock) return false;
    while (cases_are_beside_ && !done()) {
      if (std::chrono::steady_clock::now() >= until) return true;
      const std::uint64_t now = ticks_of_bounds_;
      ticks_left_for_cases_ += (now - std::exchange(ticks_before_cases_, now)) / kCasesBeside;
      if (ticks_left_for_cases_ < kCasesForTurn) break;
      const std::uint64_t used = divide_into_cases(judge, kCasesForTurn, 1);
      if (used == 0) break;
      ticks_left_for_cases_ -= std::min(used, ticks_left_for_cases_);
    }
    return false;
  }

  // The ticks that it took.
  std::uint64_t divide_into_cases(LatencySearch& judge, std::uint64_t ticks, std::size_t at_once) {
    Technique branching(budget_, "latency.branching", "bounds raised");
    if (!branching_) branching_.emplace(instance_, bound_.facts(), &budget_);
    Budget slice(budget_, ticks);
    const auto offer_places = [&](const std::vector<LatencyValue::Place>& place) {
      LatencySplit split{0, IdVector<GroupId, DeviceId>(place.size())};
      for (GroupId g : split.accelerator_of.all()) {
        if (place[g.index()] != instance_.accelerators())
          split.accelerator_of[g] = DeviceId(static_cast<std::size_t>(place[g.index()]));
      }
      if (judge.offer(split)) best_.offer(judge.best());
    };
    branching_->improve({[this] { return best_.value(); }, offer_places}, slice, at_once);
    ticks_of_bounds_ += slice.ticks_used();
    const double known = best_.value();
    if (branching_->finished() && known == kNever) {
      impossible_ = kByCases;
    } else {
      branching.yield(best_.raise_bound(std::min(branching_->bound(), known * (1 - kRounding)), kByCases));
      decided_ = branching_->finished();
    }
    return slice.ticks_used();
  }

  const LatencyInstance& instance_;
  const LatencyOptions& options_;
  Budget& budget_;
  const Sink sink_;
  Incumbent<LatencySplit> best_;
  LatencySearch search_;  // of this thread; the others have their own
  LatencyBound bound_;    // the business of one thread, as branching_ is, but while that is beside
  std::optional<LatencyBranching> branching_;
  int turns_of_cases_ = 0;
  std::atomic<bool> cases_are_beside_ = false;
  std::mutex cases_mutex_;  // of all these, where one of several threads may take them
  std::uint64_t ticks_before_cases_ = 0, ticks_left_for_cases_ = 0;

  std::atomic<bool> side_by_side_ = false;
  std::mutex mutex_;                     // of what the bounds suggest
  std::vector<LatencySplit> suggested_;  // to the first search
  std::atomic<int> searches_going_ = 1;
  // Said by the thread of the bounds:
  std::atomic<bool> decided_ = false;              // the cases have all been through
  std::atomic<const char*> impossible_ = nullptr;  // there is no split, and this is why
  std::atomic<std::uint64_t> ticks_of_bounds_ = 0;
  std::atomic<bool> bounds_rest_ = false;  // they have nothing to do, for now or for good

  std::vector<std::jthread> others_;  // last, so that they end before what they use does
};

}  // namespace

LatencyOutcome solve_latency(const LatencyInstance& instance, const std::vector<LatencySplit>& starts,
                             const LatencyOptions& options, Budget& budget, const Sink& sink) {
  return LatencySolver(instance, options, budget, sink).run(starts);
}

}  // namespace partita::detail
