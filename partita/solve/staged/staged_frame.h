// SPDX-License-Identifier: Apache-2.0
// What the staged solvers share: the best split and bound so far, the graph presolved for everything better, and ways
// to better splits. What differs is the question asked, and how the bound climbs: staged.cpp (the largest load, one
// limit) and gpipe_staged.cpp (a limit on each pass).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "partita/model/result.h"
#include "partita/reduce/memory_need.h"
#include "partita/reduce/presolve.h"
#include "partita/solve/shared/incumbent.h"
#include "partita/solve/staged/anneal.h"
#include "partita/solve/staged/limit_question.h"
#include "partita/solve/staged/linear.h"
#include "partita/solve/staged/orders.h"
#include "partita/solve/staged/staged.h"
#include "partita/util/parallel.h"
#include "partita/util/statistics.h"

namespace partita::detail {

template <class Graphs>  // StageGraph or PassGraphs
class StagedFrame {
 protected:
  // A split is worth finding if it is better by more than `improvement`; refuting it closes the gap as far as anybody
  // asks. A new base is worth making once the value has fallen by more than `worth_presolving`.
  StagedFrame(const Graphs& graphs, const StagePlatform& platform, const StagedOptions& options, Budget& budget,
              const Sink& sink, double improvement, double worth_presolving)
      : graphs_(graphs),
        platform_(platform),
        options_(options),
        budget_(budget),
        improvement_(improvement),
        worth_presolving_(worth_presolving),
        close_enough_(2 * improvement),
        best_(budget, sink),
        rng_(options.seed) {}
  virtual ~StagedFrame() = default;

  // What every better split answers with yes.
  virtual QuestionOf<Graphs> question_to_beat() const = 0;
  // Offers what the linearised DP finds on the base with this order.
  virtual void try_order(const std::vector<GroupId>& order) = 0;
  // A split of the base by the linearised DP, however bad.
  virtual std::optional<StagedSplit> any_split_of_base() const = 0;

  const StagedSettings& settings() const { return options_.settings; }
  LimitOptions limit_options() { return {options_.settings, options_.presolve, &history_}; }
  bool done() const { return best_.closed(std::max(options_.gap, close_enough_.load())) || budget_.exhausted(); }
  double value_to_beat() const { return best_.value() * (1 - improvement_); }
  void refuted(double limit, const char* proof) { best_.raise_bound(limit * (1 - kRoundingSlack), proof); }

  // Values are recomputed: a presolved graph has capped costs, and tells the loads above its limit too low.
  bool offer(std::vector<Stage> stages) {
    const double value = pass_value(graphs_, stages).sum();
    return best_.offer({value, std::move(stages)});
  }
  bool offer_from_base(const std::vector<Stage>& stages) { return offer(lift_stages(base_->lift, stages)); }

  // The graph presolved for everything below the best value. What holds below one value holds below every smaller one,
  // so later presolves start from here.
  void refresh_base() {
    if (base_ && best_.value() > base_value_ * (1 - worth_presolving_)) return;
    base_value_ = best_.value();
    PresolveSettings options = options_.presolve;
    options.windows = options.windows && options_.search;
    options.unaffordable_cut = options.unaffordable_cut && options_.search;
    Graphs start = base_ ? base_->graph : graphs_;
    // Whoever beats the best is within this limit, now and later.
    if (!memory_can_bind(start, question_to_beat())) forget_memory(start);
    Presolved base = presolve(start, question_to_beat(), options, budget_);
    if (base_) base.lift = compose(base_->lift, base.lift);
    base_ = std::move(base);
    known_ = {};
    for (const RuleCount& rule : base_->rules) {
      best_.tell(Progress::Event::Reduced, base_->graph.size(),
                 fmt::format("{}: {} groups removed", rule.rule, rule.groups_removed));
    }
    best_.tell(Progress::Event::Reduced, base_->graph.size(),
               fmt::format("{} groups -> {}", graphs_.size(), base_->graph.size()));
    if (base_->infeasible) refuted(value_to_beat(), kByRelaxation);
  }

  // Tries `count` more orders on the base; presolves again after a success, for better splits have smaller graphs.
  void improve_by_orders(int count) {
    if (done()) return;
    const double before = best_.value();
    for (int i = 0; i < count && !done(); ++i) {
      Technique linear(budget_, "staged.linear", "better splits");
      const double last = best_.value();
      try_order(order_to_try(view(base_->graph, 0), orders_tried_++, rng_));
      budget_.spend(base_->graph.size());
      linear.yield(best_.value() < last);
    }
    if (best_.value() < before && !done()) refresh_base();
  }

  // The configuration LP, turn by turn (sets_climber.h), has as many ticks as all else had since `start`, but for a
  // slice. `climb` has its turn, unless no turn is worth anything: then it says false.
  template <class Climb>
  void catch_up_by_sets(std::uint64_t start, std::uint64_t slice, Climb climb) {
    while (settings().convex_sets && !done()) {
      const std::uint64_t others = budget_.ticks_used() - start - ticks_of_sets_;
      if (others <= charged_to_sets_ + slice || !charged_turn_of_sets(slice, climb)) return;
    }
  }

  // The LP before all else, for about as many ticks.
  template <class Climb>
  void climb_by_sets_first(std::uint64_t ticks, std::uint64_t slice, Climb climb) {
    while (settings().convex_sets && !done() && charged_to_sets_ < ticks && charged_turn_of_sets(slice, climb)) {
    }
  }

  // Turns that raise the bound cost a part of their ticks: what does well goes on.
  template <class Climb>
  bool charged_turn_of_sets(std::uint64_t slice, Climb climb) {
    const std::uint64_t before = budget_.ticks_used();
    const double bound = best_.bound();
    const bool more = turn_of_sets(slice, climb);
    const std::uint64_t ticks = budget_.ticks_used() - before;
    ticks_of_sets_ += ticks;
    charged_to_sets_ += best_.bound() > bound ? ticks / kPartOfGoodTurns : ticks;
    return more;
  }

  template <class Climb>
  void climb_by_sets_alone(std::uint64_t slice, Climb climb) {
    while (settings().convex_sets && !done() && turn_of_sets(slice, climb)) {
    }
  }

  template <class Climb>
  bool turn_of_sets(std::uint64_t slice, Climb climb) {
    budget_.spend(1);  // so that turns come to an end
    const bool more = climb(slice);
    // The LP asks for a little less than the search does, and that is enough.
    if (best_.closed(kClosedGap)) close_enough_ = kClosedGap;
    return more;
  }

  bool has_threads() const { return threads_of(budget_) > 1; }

  // A search and, on another thread, turns of something else until the search is over or no turn is worth anything.
  // Whoever closes the gap ends the work of both. The turns may raise bounds, but offer no splits: the search reads the
  // best one without asking.
  template <class Search, class Turn>
  void side_by_side(Search search, Turn turn) {
    std::atomic<bool> searching = true;
    for_each(budget_, 2, [&](std::size_t i, std::size_t) {
      if (i == 0) {
        const Ended ended{searching};
        search();
      } else {
        while (searching && !done() && turn()) {
        }
      }
      if (done()) budget_.cancel();
    });
  }

  // From the best, or afresh from where an order leads, which is away from what the best is stuck in.
  void improve_by_annealing(std::uint64_t moves, bool afresh = false) {
    if (done() || !settings().annealing || moves == 0) return;
    Technique annealing(budget_, "staged.annealing", "better splits");
    const std::optional<StagedSplit> start = afresh ? any_split_of_base() : best_on_base();
    if (!start) return;
    AnnealOptions options;
    options.moves = moves;
    // From 0.2 % to 3 % of the value; no single temperature is best.
    options.hot = 0.002 * std::pow(15, std::uniform_real_distribution<double>(0, 1)(rng_));
    options.cold = options.hot / 100;
    const auto better = anneal(base_->graph, platform_, *start, options, rng_, budget_);
    if (!better || !offer_from_base(better->stages)) return;
    annealing.yield(1);
    if (!done()) refresh_base();
  }

  // From a split of the base that is not good enough, but whose shape comes from the best split of a smaller graph: the
  // order that it suggests, cut anew, then a short annealing from where it is.
  void improve_from(const StagedSplit& split) {
    if (done()) return;
    Technique lifted(budget_, "staged.lifted", "better splits");
    const double before = best_.value();
    std::vector<GroupId> order;
    for (const Stage& stage : split.stages) order.insert(order.end(), stage.groups.begin(), stage.groups.end());
    try_order(order);
    budget_.spend(base_->graph.size());
    if (settings().annealing && split.value < best_.value() * kWorthAnnealing) {
      const AnnealOptions options{std::min<std::uint64_t>(settings().first_moves, 100 * base_->graph.size()), 0.005,
                                  0.00005};
      if (const auto better = anneal(base_->graph, platform_, split, options, rng_, budget_))
        offer_from_base(better->stages);
    }
    lifted.yield(best_.value() < before);
    if (best_.value() < before && !done()) refresh_base();
  }

  // The stage of a base group is that of its members. The base is made for better splits than the best, so the best
  // itself may be none of the base: groups joined that it keeps apart, groups on hosts that the windows keep off them.
  // Then the best that the linearised DP finds on the base is a start too.
  std::optional<StagedSplit> best_on_base() const {
    constexpr std::size_t kNoStage = std::numeric_limits<std::size_t>::max();
    IdVector<GroupId, std::size_t> stage_of(base_->graph.size(), kNoStage);
    const std::vector<Stage>& stages = best_.split()->stages;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (GroupId v : stages[s].groups) {
        std::size_t& at = stage_of[base_->lift[v]];
        const Group& g = view(base_->graph, 0).group(base_->lift[v]);
        const bool possible = (at == kNoStage || at == s) && (stages[s].on_host ? g.on_host : g.on_accelerator);
        if (!possible) return any_split_of_base();
        at = s;
      }
    }
    StagedSplit split;
    for (const Stage& stage : stages) split.stages.push_back({stage.on_host, {}});
    for (GroupId v : stage_of.all()) split.stages[stage_of[v]].groups.push_back(v);
    split.value = pass_value(base_->graph, split.stages).sum();
    return split;
  }

  SearchLog log() const {
    return
        [this](std::size_t groups, const std::string& text) { best_.tell(Progress::Event::Searching, groups, text); };
  }

  struct Ended {
    std::atomic<bool>& going_on;
    ~Ended() { going_on = false; }
  };

  static constexpr const char* kByRelaxation = "relaxation: no sequence of windows of work fits below the bound";
  static constexpr const char* kBySets =
      "configuration LP: no convex sets of the devices hold everything below the bound";
  static constexpr const char* kBySearch = "exhaustive search: no chain of ideals fits below the bound";
  static constexpr std::uint64_t kPartOfGoodTurns = 8;
  static constexpr double kWorthAnnealing = 1.1;
  static constexpr double kNearlyClosed = 1e-4, kSmallestShare = 0.06;

  const Graphs& graphs_;
  const StagePlatform& platform_;
  const StagedOptions& options_;
  Budget& budget_;  // the solver's own, which it may cancel
  const double improvement_, worth_presolving_;
  std::atomic<double> close_enough_;  // gaps up to this are as good as none
  Incumbent<StagedSplit> best_;
  Rng rng_;
  std::optional<Presolved<Graphs>> base_;
  double base_value_ = 0;
  ShrunkAnswers known_;  // about the base
  int orders_tried_ = 0;
  SearchHistory history_;
  std::uint64_t ticks_of_sets_ = 0, charged_to_sets_ = 0;
};

}  // namespace partita::detail
