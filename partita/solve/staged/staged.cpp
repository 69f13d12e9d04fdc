// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/staged.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/reduce/presolve.h"
#include "partita/solve/shared/incumbent.h"
#include "partita/solve/staged/anneal.h"
#include "partita/solve/staged/ideal_search.h"
#include "partita/solve/staged/limit_question.h"
#include "partita/solve/staged/linear.h"
#include "partita/solve/staged/orders.h"
#include "partita/util/statistics.h"
#include "partita/util/within_limits.h"

namespace partita {
namespace {

// A split is worth finding if it is better by more than this; refuting it closes the gap as far as anybody asks.
constexpr double kImprovement = 1e-9;
constexpr const char* kByRelaxation = "relaxation: no sequence of windows of work fits below the bound";

class StagedSolver {
 public:
  StagedSolver(const StageGraph& graph, const StagePlatform& platform, const StagedOptions& options, Budget& budget,
               const Sink& sink)
      : graph_(graph),
        platform_(platform),
        options_(options),
        budget_(budget),
        best_(budget, sink),
        rng_(options.seed) {}

  StagedOutcome run() {
    within_limits(budget_, [this] { work(); });
    return best_.outcome();
  }

 private:
  void work() {
    find_first_splits();
    raise_simple_bounds();
    if (!best_.split()) look_for_any_split();
    if (best_.split() && !done()) {
      refresh_base();
      improve_by_orders(options_.search ? settings().first_orders : kLinearOrders);
      bisect_by_relaxation();
      if (options_.search) {
        improve_by_annealing(std::min<std::uint64_t>(settings().first_moves, 500 * base_->graph.size()));
        climb();
      }
    }
  }

  const StagedSettings& settings() const { return options_.settings; }
  LimitOptions limit_options() const { return {options_.settings, options_.presolve}; }
  bool done() const { return best_.closed(std::max(options_.gap, 2 * kImprovement)) || budget_.exhausted(); }
  double limit_to_beat() const { return best_.value() * (1 - kImprovement); }
  Threshold question(double limit) const { return {platform_, limit}; }

  void offer_linear(const StageGraph& graph, const Lift* lift, const std::vector<GroupId>& order,
                    std::size_t stride = 1) {
    Technique linear(budget_, "staged.linear", "better splits");
    const double before = best_.value();
    auto split = linear_split(graph, platform_, order, {best_.value(), stride}, budget_);
    if (!split) return;
    if (lift) {
      offer_lifted(*lift, *split);
    } else {
      best_.offer(std::move(*split));
    }
    linear.yield(best_.value() < before);
  }

  // On large graphs a coarse pass first: every later scan is cut off by the value it finds.
  void find_first_splits() {
    const std::vector<GroupId> order = file_order(graph_);
    if (graph_.size() > kCoarseFrom) offer_linear(graph_, nullptr, order, graph_.size() / 500);
    offer_linear(graph_, nullptr, order);
    offer_linear(graph_, nullptr, depth_first_order(graph_));
  }

  void raise_simple_bounds() {
    double bound = 0, light = 0;
    for (GroupId v : graph_.all()) {
      const Group& g = graph_.group(v);
      double least = best_.value();
      if (question(least).fits_accelerator(g)) least = std::min(least, g.accelerator_time);
      if (question(least).fits_host(g)) least = std::min(least, g.host_time);
      if (least < kUnlimited) {
        bound = std::max(bound, least);
        light += least;
      }
    }
    bound = std::max(bound, light / (platform_.accelerators + platform_.hosts));
    best_.raise_bound(bound * (1 - kRoundingSlack), "some device carries at least the average");
  }

  // Memory binds so tightly that the first orders could not be cut at all: try others, then ask the exact search.
  void look_for_any_split() {
    for (int i = 0; i < settings().first_orders && !best_.split() && !budget_.exhausted(); ++i)
      offer_linear(graph_, nullptr, next_order(graph_));
    if (best_.split() || !graph_.has_closure()) return;
    double most = 1;  // more than any load can be
    for (GroupId v : graph_.all()) most += graph_.accelerator_time(v) + graph_.host_time(v);
    for (NetId e : graph_.nets()) most += graph_.cost(e);
    const LimitAnswer reply =
        ask_limit(graph_, question(most), budget_.limits().ticks, budget_, log(), limit_options());
    if (reply.answer == Answer::No) best_.prove_infeasible();
    if (reply.split) best_.offer({largest_load(graph_, reply.split->stages), reply.split->stages});
  }

  // The value is recomputed: a presolved graph has capped costs, and tells the loads above its limit too low.
  void offer_lifted(const Lift& lift, const StagedSplit& split) {
    std::vector<Stage> stages = lift_stages(lift, split.stages);
    const double value = largest_load(graph_, stages);
    best_.offer({value, std::move(stages)});
  }

  // The graph presolved for everything below the best value. What holds below one value holds below every smaller one,
  // so later presolves start from here.
  void refresh_base() {
    PresolveSettings options = options_.presolve;
    options.windows = options.windows && options_.search;
    options.unaffordable_cut = options.unaffordable_cut && options_.search;
    Presolved base = presolve(base_ ? base_->graph : graph_, question(limit_to_beat()), options, budget_);
    if (base_) base.lift = compose(base_->lift, base.lift);
    base_ = std::move(base);
    for (const RuleCount& rule : base_->rules) {
      best_.tell(Progress::Event::Reduced, base_->graph.size(),
                 fmt::format("{}: {} groups removed", rule.rule, rule.groups_removed));
    }
    best_.tell(Progress::Event::Reduced, base_->graph.size(),
               fmt::format("{} groups -> {}", graph_.size(), base_->graph.size()));
    if (base_->infeasible) refuted(limit_to_beat(), kByRelaxation);
  }

  void refuted(double limit, const char* proof) { best_.raise_bound(limit * (1 - kRoundingSlack), proof); }

  // Tries `count` more orders on the base; presolves again after a success, for better splits have smaller graphs.
  void improve_by_orders(int count) {
    if (done()) return;
    const double before = best_.value();
    for (int i = 0; i < count && !done(); ++i) {
      offer_linear(base_->graph, &base_->lift, next_order(base_->graph));
      budget_.spend(base_->graph.size());
    }
    if (best_.value() < before && !done()) refresh_base();
  }

  void improve_by_annealing(std::uint64_t moves) {
    if (done() || !settings().annealing || moves == 0) return;
    Technique annealing(budget_, "staged.annealing", "better splits");
    const std::optional<StagedSplit> start = best_on_base();
    if (!start) return;
    AnnealOptions options;
    options.moves = moves;
    options.hot = 0.002 * std::pow(15, draw(0, 1));  // from 0.2 % to 3 % of the value; no single one is best
    options.cold = options.hot / 100;
    auto better = anneal(base_->graph, platform_, *start, options, rng_, budget_);
    if (!better || better->value >= best_.value()) return;
    annealing.yield(1);
    offer_lifted(base_->lift, *better);
    if (!done()) refresh_base();
  }

  // The stage of a base group is that of its members. The base is made for better splits than the best, so the best
  // itself may be none of the base: groups joined that it keeps apart, groups on hosts that the windows keep off them.
  // Then the best that the linearised DP finds on the base is a start too.
  std::optional<StagedSplit> best_on_base() {
    IdVector<GroupId, std::size_t> stage_of(base_->graph.size(), kNoStage);
    const std::vector<Stage>& stages = best_.split()->stages;
    bool possible = true;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (GroupId v : stages[s].groups) {
        std::size_t& at = stage_of[base_->lift[v]];
        const Group& g = base_->graph.group(base_->lift[v]);
        possible = possible && (at == kNoStage || at == s) && (stages[s].on_host ? g.on_host : g.on_accelerator);
        at = s;
      }
    }
    if (!possible) return linear_split(base_->graph, platform_, file_order(base_->graph), {}, budget_);
    StagedSplit split;
    for (const Stage& stage : stages) split.stages.push_back({stage.on_host, {}});
    for (GroupId v : base_->graph.all()) split.stages[stage_of[v]].groups.push_back(v);
    split.value = largest_load(base_->graph, split.stages);
    return split;
  }

  double draw(double low, double high) { return std::uniform_real_distribution<double>(low, high)(rng_); }

  std::vector<GroupId> next_order(const StageGraph& graph) { return order_to_try(graph, orders_tried_++, rng_); }

  void bisect_by_relaxation() {
    if (!base_->graph.has_closure()) return;
    double low = best_.bound(), high = limit_to_beat();
    const int steps = options_.search ? settings().bisections : std::min(settings().bisections, kLinearBisections);
    for (int i = 0; i < steps && high - low > kBisectTo * high && !done(); ++i) {
      const double limit = (low + high) / 2;
      Technique relaxation(budget_, "staged.bisection", "limits refuted");
      if (relaxation_refutes(base_->graph, question(limit), effort(), budget_, limit_options())) {
        relaxation.yield(1);
        low = limit;
        refuted(limit, kByRelaxation);
      } else {
        high = limit;
      }
    }
  }

  void climb() {
    if (!base_->graph.has_closure()) return;
    double share = 0.25;
    std::uint64_t slice = settings().first_slice;
    while (!done()) {
      const double gap = best_.value() - best_.bound();
      double limit = best_.bound() + gap * share;
      if (gap < kNearlyClosed * best_.value() || limit > limit_to_beat()) limit = limit_to_beat();
      const Answer answer = ask(limit, slice);
      if (answer == Answer::No) {
        share = std::min(0.5, share * 2);
      } else if (answer == Answer::Yes) {
        share = 0.5;
      } else {
        share *= 0.5;
        if (share < kSmallestShare) {
          if (out_of_memory_) break;  // more time would end the same way
          share = 0.25;
          slice *= 3;
        }
        improve_by_annealing(slice / 2);
        improve_by_orders(settings().orders_per_failure);
      }
    }
  }

  Answer ask(double limit, std::uint64_t slice) {
    const LimitAnswer reply = ask_limit(base_->graph, question(limit), slice, budget_, log(), limit_options());
    out_of_memory_ = reply.out_of_memory;
    if (reply.split) offer_lifted(base_->lift, *reply.split);
    if (reply.answer == Answer::No) refuted(limit, "exhaustive search: no chain of ideals fits below the bound");
    if (reply.answer == Answer::Yes) refresh_base();
    return reply.answer;
  }

  SearchLog log() const {
    return
        [this](std::size_t groups, const std::string& text) { best_.tell(Progress::Event::Searching, groups, text); };
  }

  Effort effort() const { return options_.search ? Effort::Full : Effort::Quick; }

  static constexpr std::size_t kCoarseFrom = 3000;
  static constexpr int kLinearOrders = 3, kLinearBisections = 5;
  static constexpr std::size_t kNoStage = static_cast<std::size_t>(-1);
  static constexpr double kBisectTo = 1e-3, kNearlyClosed = 1e-4, kSmallestShare = 0.06;

  const StageGraph& graph_;
  const StagePlatform& platform_;
  const StagedOptions& options_;
  Budget& budget_;
  Incumbent<StagedSplit> best_;
  Rng rng_;
  std::optional<Presolved> base_;
  int orders_tried_ = 0;
  bool out_of_memory_ = false;  // in the last search
};

}  // namespace

StagedOutcome solve_staged(const StageGraph& graph, const StagePlatform& platform, const StagedOptions& options,
                           Budget& budget, const Sink& sink) {
  return StagedSolver(graph, platform, options, budget, sink).run();
}

}  // namespace partita
