// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/staged.h"

#include <algorithm>

#include "partita/solve/staged/staged_frame.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

class StagedSolver : StagedFrame<StageGraph> {
 public:
  StagedSolver(const StageGraph& graph, const StagePlatform& platform, const StagedOptions& options, Budget& budget,
               const Sink& sink)
      : StagedFrame(graph, platform, options, budget, sink, 1e-9, 0) {}

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

  Threshold question(double limit) const { return {platform_, limit}; }
  Threshold question_to_beat() const override { return question(value_to_beat()); }

  void try_order(const std::vector<GroupId>& order) override {
    if (const auto split = linear_split(base_->graph, platform_, order, {best_.value()}, budget_))
      offer_from_base(split->stages);
  }

  std::optional<StagedSplit> any_split_of_base() const override {
    return linear_split(base_->graph, platform_, file_order(base_->graph), {}, budget_);
  }

  void try_order_of_graph(const std::vector<GroupId>& order, std::size_t stride = 1) {
    Technique linear(budget_, "staged.linear", "better splits");
    if (auto split = linear_split(graphs_, platform_, order, {best_.value(), stride}, budget_))
      linear.yield(best_.offer(std::move(*split)));
  }

  // On large graphs a coarse pass first: every later scan is cut off by the value it finds.
  void find_first_splits() {
    const std::vector<GroupId> order = file_order(graphs_);
    if (graphs_.size() > kCoarseFrom) try_order_of_graph(order, graphs_.size() / 500);
    try_order_of_graph(order);
    try_order_of_graph(depth_first_order(graphs_));
  }

  void raise_simple_bounds() {
    double bound = 0, light = 0;
    for (GroupId v : graphs_.all()) {
      const Group& g = graphs_.group(v);
      double least = best_.value();
      if (question(least).fits_accelerator(g)) least = std::min(least, g.accelerator_time);
      if (question(least).fits_host(g)) least = std::min(least, g.host_time);
      if (least < kUnlimited) {
        bound = std::max(bound, least);
        light += least;
      }
    }
    bound = std::max(bound, light / (platform_.accelerators + platform_.hosts));
    refuted(bound, "some device carries at least the average");
  }

  // Memory binds so tightly that the first orders could not be cut at all: try others, then ask the exact search.
  void look_for_any_split() {
    for (int i = 0; i < settings().first_orders && !best_.split() && !budget_.exhausted(); ++i)
      try_order_of_graph(order_to_try(graphs_, orders_tried_++, rng_));
    if (best_.split() || !graphs_.has_closure()) return;
    double most = 1;  // more than any load can be
    for (GroupId v : graphs_.all()) most += graphs_.accelerator_time(v) + graphs_.host_time(v);
    for (NetId e : graphs_.nets()) most += graphs_.cost(e);
    const LimitAnswer reply =
        ask_limit(graphs_, question(most), budget_.limits().ticks, budget_, log(), limit_options());
    if (reply.answer == Answer::No) best_.prove_infeasible();
    if (reply.split) offer(reply.split->stages);
  }

  // On the shrunk graph where it is much smaller. Where that lost too much, the graph itself refutes a little more, and
  // is worth looking at in full.
  void bisect_by_relaxation() {
    if (!base_->graph.has_closure()) return;
    if (!options_.search) return bisect_graph(std::min(settings().bisections, kLinearBisections), Effort::Quick);
    if (!settings().shrink || settings().bisections == 0) return bisect_graph(settings().bisections, Effort::Full);
    const auto shrunk = much_smaller(base_->graph, question(value_to_beat()), budget_);
    if (!shrunk) return bisect_graph(settings().bisections, Effort::Full);
    bisect(settings().bisections,
           [&](const Threshold& asked) { return relaxation_refutes_shrunk(*shrunk, asked, budget_, limit_options()); });
    if (done()) return;
    const double a_little_more = best_.bound() + (value_to_beat() - best_.bound()) / 32;
    if (!relaxation_refutes(base_->graph, question(a_little_more), Effort::Full, budget_, limit_options())) return;
    refuted(a_little_more, kByRelaxation);
    bisect_graph(settings().bisections, Effort::Full);
  }

  void bisect_graph(int steps, Effort effort) {
    bisect(steps, [&](const Threshold& asked) {
      return relaxation_refutes(base_->graph, asked, effort, budget_, limit_options());
    });
  }

  template <class Refutes>
  void bisect(int steps, Refutes refutes) {
    double low = best_.bound(), high = value_to_beat();
    for (int i = 0; i < steps && high - low > kBisectTo * high && !done(); ++i) {
      const double limit = (low + high) / 2;
      Technique relaxation(budget_, "staged.bisection", "limits refuted");
      if (refutes(question(limit))) {
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
      if (gap < kNearlyClosed * best_.value() || limit > value_to_beat()) limit = value_to_beat();
      const LimitAnswer reply =
          ask_limit(base_->graph, question(limit), slice, budget_, log(), limit_options(), &known_);
      hard_ = reply.hard;
      if (reply.split) offer_from_base(reply.split->stages);
      if (reply.split && reply.answer != Answer::Yes) improve_from(*reply.split);
      if (reply.answer == Answer::No) {
        refuted(limit, kBySearch);
        share = share < 0.5 ? 2 * share : (1 + share) / 2;  // what is easy so far may be so up to the end
      } else if (reply.answer == Answer::Yes) {
        refresh_base();
        share = 0.5;
      } else {
        share *= 0.5;
        if (share < kSmallestShare) {
          if (reply.out_of_memory) break;  // more time would end the same way
          share = 0.25;
          slice *= 3;
        }
        improve_by_annealing(slice / 2);
        improve_by_orders(settings().orders_per_failure);
      }
    }
  }

  static constexpr std::size_t kCoarseFrom = 3000;
  static constexpr int kLinearOrders = 3, kLinearBisections = 5;
  static constexpr double kBisectTo = 1e-3;
};

}  // namespace

StagedOutcome solve_staged(const StageGraph& graph, const StagePlatform& platform, const StagedOptions& options,
                           Budget& budget, const Sink& sink) {
  return StagedSolver(graph, platform, options, budget, sink).run();
}

}  // namespace partita::detail
