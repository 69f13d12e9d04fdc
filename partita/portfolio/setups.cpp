// SPDX-License-Identifier: Apache-2.0
// Staged splits on any devices: the search of solve/staged/setups/. Where there are clusters, the same question on
// devices that are all next to each other, on the best links there are, is asked first, of whoever answers it best: its
// bound holds for this one too, and its stages are a good order to start from.
#include <algorithm>

#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/setup_instance.h"
#include "partita/solve/staged/setups/device_counts.h"
#include "partita/solve/staged/setups/solve_setups.h"
#include "partita/util/statistics.h"

namespace partita {
namespace {

constexpr std::uint64_t kTicksBeforeClusters = 20'000'000;

double least_factor(const Cluster& cluster) {
  double least = cluster.factor;
  for (const Cluster& inside : cluster.clusters) least = std::min(least, least_factor(inside));
  return least;
}

// Without copies only: what copies exchange between clusters is another matter (see without_clusters).
std::optional<Problem> without_clusters(const Problem& problem) {
  const std::optional<Cluster>& clusters = problem.workload->platform.clusters;
  if (!clusters || problem.replicas > 1) return std::nullopt;
  Problem flat = problem;
  flat.workload.change().platform.clusters.reset();
  for (Edge& edge : flat.workload.change().graph.edges) edge.cost *= least_factor(*clusters);
  return flat;
}

// The groups by the stages of a split, from the END of the pipeline, and along the order within a stage.
std::vector<GroupId> order_of(const SetupInstance& instance, const Split& split) {
  IdVector<DeviceId, std::size_t> place(split.order.empty() ? 0 : 1 + std::ranges::max(split.order).index());
  for (std::size_t i = 0; i < split.order.size(); ++i) place[split.order[i]] = split.order.size() - i;
  IdVector<GroupId, std::size_t> place_of(instance.graph.size());
  for (NodeId v : instance.group_of.all()) place_of[instance.group_of[v]] = place[split.device_of[v]];
  std::vector<GroupId> order;
  for (GroupId v : instance.graph.all()) order.push_back(v);
  std::stable_sort(order.begin(), order.end(), [&](GroupId a, GroupId b) { return place_of[a] < place_of[b]; });
  return order;
}

SetupHint ask_without_clusters(const Problem& problem, const SetupInstance& instance, const PlanOptions& options,
                               Budget& budget) {
  SetupHint hint;
  const PortfolioSettings& settings = options.settings.portfolio;
  const std::optional<Problem> flat = settings.flat_clusters ? without_clusters(problem) : std::nullopt;
  if (!flat) return hint;
  Technique asked(budget, "portfolio.flat_clusters", "bounds");
  Budget part(budget, kTicksBeforeClusters, settings.flat_clusters_share * budget.seconds_left());
  const Plan found = answer_within(*flat, options, part);
  hint.bound = found.result.bound;
  asked.yield(hint.bound > 0);
  hint.proof = "with all devices next to each other: " + found.result.proof;
  hint.infeasible = found.result.status == Status::Infeasible;
  if (found.result.split) hint.order = order_of(instance, *found.result.split);
  return hint;
}

}  // namespace

void plan_setups(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  const SetupInstance instance = make_setup_instance(problem);
  refuse_too_many_vectors(instance.rules);
  for (const std::string& step : instance.steps) {
    if (sink) sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, instance.graph.size(), step});
  }
  // What memory a group takes at least is known beforehand in the flat model alone.
  if (problem.memory_model == MemoryModel::Flat && ruled_out(problem, instance.group_of, result)) return;
  const SetupHint hint = ask_without_clusters(problem, instance, options, budget);
  const SetupOutcome outcome = solve_setups(instance,
                                            {options.algorithm != Algorithm::Linear, options.gap, options.seed, hint,
                                             options.settings.setups, options.settings.presolve},
                                            budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.pipeline) {
    result.split = lift_parts(problem, instance, outcome.pipeline->parts);
    settle_status(problem, outcome.pipeline->value, outcome.bound, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason = nothing_fits(problem, "proved by exhaustive search");
  } else {
    result.reason = kNoSplitYet;
  }
}

}  // namespace partita
