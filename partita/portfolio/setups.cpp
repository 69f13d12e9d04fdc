// SPDX-License-Identifier: Apache-2.0
// Staged splits on any devices: the search of solve/staged/setups/. Before it, a question with fewer limits is asked of
// whoever answers that best: its bound holds for this one too, and its stages are a good order to start from. One limit
// is given up at a time; who answers the simpler question may give up the next.
//
// Clusters: all devices next to each other, on links with the least factor and the least latency that their class has
// anywhere. Without copies only, for what copies exchange
// between clusters is another matter (see without_clusters in reduce/setup_instance.h).
//
// Clusters again, once a question was too hard: each cluster as one device (clusters_as_devices.h).
//
// Samples in flight: the flat memory model, with each node at the least that it takes in whatever stage. With 1f1b at
// least one sample is in flight, and recomputing keeps a sample's activations too; with gpipe all microbatches are, at
// the less of keeping their activations and of keeping what recomputes them. A stage takes the sum of one or of the
// other over its nodes, hence at least the sum of the lesser. Recomputing only adds time. So every split costs no more,
// and fits. Only where the plain solver then answers; with gpipe and without recomputing it answers the question
// itself.
#include <algorithm>
#include <set>

#include "partita/model/exact_memory.h"
#include "partita/portfolio/clusters_as_devices.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/layers.h"
#include "partita/reduce/links.h"
#include "partita/reduce/setup_instance.h"
#include "partita/solve/staged/setups/device_counts.h"
#include "partita/solve/staged/setups/solve_setups.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

// Its answer is often enough.
constexpr std::uint64_t kTicksBefore = 20'000'000, kTicksBeforeSamples = 200'000'000;
constexpr double kMemoryRounding = 1e-12;  // of one node's memory, which is made of products

Link least_link(const Cluster& cluster, const DeviceClass& c) {
  Link least = link_within(cluster, c);
  for (const Cluster& inside : cluster.clusters) least = least_of(least, least_link(inside, c));
  return least;
}

Problem without_clusters(const Problem& problem) {
  Problem flat = problem;
  Platform& platform = flat.workload.change().platform;
  for (DeviceClass& c : platform.classes) {
    if (c.kind == DeviceKind::Host) continue;
    const Link least = least_link(*platform.clusters, c);
    c.link_factor = least.factor;
    c.link_latency = least.latency;
  }
  platform.clusters.reset();
  return flat;
}

Problem without_samples(const Problem& problem) {
  Problem flat = problem;
  flat.memory_model = MemoryModel::Flat;
  flat.recompute = false;
  flat.microbatches = 0;
  const double samples = problem.memory_model == MemoryModel::GPipe ? problem.microbatches : 1;
  Workload& workload = flat.workload.change();
  for (Node& node : workload.graph.nodes) {
    const MemoryParts& parts = node.parts;
    double in_flight = samples * parts.activation;
    if (problem.recompute) in_flight = std::min(in_flight, samples * parts.recompute_activation + parts.activation);
    node.memory = (parts.resident() + in_flight) * (1 - kMemoryRounding);
  }
  // Cutting off sizes and limits at one power of two keeps what fits: a sum of multiples of it that is within a limit is
  // within the limit cut off, too. Then no sum is rounded, however many nodes there are.
  make_memory_sums_exact(workload);
  return flat;
}

struct Simpler {
  Problem problem;
  const char* how;
  double part;
  std::uint64_t ticks;
  int devices_in_one = 1;  // values are so many times those of the question
};

std::optional<Simpler> with_fewer_limits(const Problem& problem, const PortfolioSettings& settings) {
  const Platform& platform = problem.workload->platform;
  if (!settings.simpler_question || problem.replicas > 1) return std::nullopt;
  if (platform.clusters) {
    return Simpler{without_clusters(problem), "with all devices next to each other: ", settings.flat_clusters_share,
                   kTicksBefore};
  }
  const bool plain = is_plain(platform) && problem.transfers == TransferMode::Sum;
  if (problem.memory_model == MemoryModel::Flat || !plain) return std::nullopt;
  return Simpler{without_samples(problem), "with as few samples in flight as can be: ", settings.few_samples_share,
                 kTicksBeforeSamples};
}

std::optional<Simpler> with_fewer_devices(const Problem& problem, const PortfolioSettings& settings) {
  if (!settings.simpler_question) return std::nullopt;
  std::optional<ClustersAsDevices> simpler = clusters_as_devices(problem);
  if (!simpler) return std::nullopt;
  return Simpler{std::move(simpler->problem), "with each cluster as one device: ", settings.flat_clusters_share,
                 kTicksBeforeSamples, simpler->devices_in_one};
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

SetupHint ask(const std::optional<Simpler>& simpler, const SetupInstance& instance, const PlanOptions& options,
              Budget& budget) {
  SetupHint hint;
  if (!simpler) return hint;
  Technique asking(budget, "portfolio.simpler_question", "bounds");
  Budget part(budget, simpler->ticks, simpler->part * budget.seconds_left());
  PlanOptions plain = options;
  plain.certificate = false;  // of another question
  const Plan found = answer_within(simpler->problem, plain, part);
  hint.bound = found.result.bound / simpler->devices_in_one;
  asking.yield(hint.bound > 0);
  hint.proof = simpler->how + found.result.proof;
  hint.infeasible = found.result.status == Status::Infeasible;
  if (found.result.split && simpler->devices_in_one == 1) hint.order = order_of(instance, *found.result.split);
  return hint;
}

// In clusters the presolve rules for cheap groups do not hold, and a model's thousand operators stay that many. Where nodes
// say which layer they are of, the question with whole layers is small, and the order of its answer leads to a split that is at
// least as good. That question comes here too, with at most half of the groups; where whole layers leave more, it is not asked.
std::vector<GroupId> order_by_layers(const Problem& problem, const SetupInstance& instance, const PlanOptions& options,
                                     Budget& budget) {
  constexpr double kShare = 0.2;  // of the time
  constexpr std::size_t kFewGroups = 100;
  if (!problem.workload->platform.clusters || !options.settings.portfolio.simpler_question) return {};
  std::set<std::int64_t> layers;
  for (const Node& node : problem.workload->graph.nodes)
    if (node.layer) layers.insert(*node.layer);
  if (layers.empty() || instance.graph.size() <= 2 * layers.size() + kFewGroups) return {};
  if (2 * make_setup_instance(keep_layers_together(problem).problem).graph.size() > instance.graph.size()) return {};
  PlanOptions whole = options;
  whole.contract_layers = true;
  Budget part(budget, kTicksBeforeSamples, kShare * budget.seconds_left());
  Technique asking(budget, "portfolio.whole_layers", "orders");
  const Plan found = answer_within(problem, whole, part);
  asking.yield(found.result.split.has_value());
  return found.result.split ? order_of(instance, *found.result.split) : std::vector<GroupId>{};
}

}  // namespace

void plan_setups(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  const SetupInstance instance = make_setup_instance(problem);
  refuse_too_many_vectors(instance.rules);
  tell_steps(instance.steps, instance.graph.size(), budget, sink);
  // What memory a group takes at least is known beforehand in the flat model alone.
  if (problem.memory_model == MemoryModel::Flat && ruled_out(problem, instance.group_of, plan.result)) return;
  const PortfolioSettings& settings = options.settings.portfolio;
  SetupHint hint = ask(with_fewer_limits(problem, settings), instance, options, budget);
  if (std::vector<GroupId> order = order_by_layers(problem, instance, options, budget); !order.empty())
    hint.order = std::move(order);
  const auto another = [&] { return ask(with_fewer_devices(problem, settings), instance, options, budget); };
  const SetupOutcome outcome = solve_setups(instance,
                                            {options.algorithm != Algorithm::Linear, options.gap, options.seed, hint,
                                             another, options.settings.setups, options.settings.presolve},
                                            budget, sink);
  settle(
      problem, outcome, [&](const SetupPipeline& split) { return lift_parts(problem, instance, split.parts); },
      [&] { return nothing_fits(problem, "proved by exhaustive search"); }, plan);
}

}  // namespace partita::detail
