// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/cost/backward_pass.h"
#include "partita/cost/estimate.h"
#include "partita/cost/measured_times.h"
#include "partita/cost/network_graph.h"
#include "partita/cost/physical_links.h"
#include "partita/model/validate.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

ClassId measured_class(const Platform& platform, const CostOptions& options) {
  for (ClassId c : platform.classes.all()) {
    const DeviceClass& one = platform.classes[c];
    if (options.measured_on.empty() ? one.kind == DeviceKind::Accelerator : one.name == options.measured_on) return c;
  }
  if (options.measured_on.empty()) return ClassId(0);
  throw InputError(ErrorKind::BadPlatform, "CostOptions::measured_on",
                   fmt::format("the platform has no class called '{}'", options.measured_on));
}

void estimate_all(const PlatformSpec& platform, const Efficiencies& efficiencies, NetworkGraph& made) {
  for (NodeId v : made.graph.nodes.all()) {
    Node& node = made.graph.nodes[v];
    node.facts.source = source_of(made.work[v], efficiencies);
    for (const DeviceRates& rates : platform.rates)
      node.time.push_back(kUnitsPerSecond * estimate(made.work[v], rates, efficiencies));
  }
}

}  // namespace

Workload cost_workload(const Network& network, const PlatformSpec& platform, const CostOptions& options) {
  if (!is_physical(platform)) {
    throw InputError(ErrorKind::BadPlatform, "PlatformSpec::rates",
                     "is empty, so the devices' speeds are not known; a model file needs a platform that says what its "
                     "devices can do, such as compose_platform(\"4xa100\")");
  }
  const std::vector<MeasuredGroup> measured = measured_groups(network, options.measured);
  std::vector<std::vector<OperatorId>> fused;
  for (const MeasuredGroup& group : measured) fused.push_back(group.operators);
  NetworkGraph made = graph_of_network(network, options.shared_weights, cost_of_a_byte(platform.platform), fused);
  if (options.training) add_backward_pass(network, options.optimizer, made);
  estimate_all(platform, options.efficiencies, made);
  apply_measured(measured, measured_class(platform.platform, options), made);

  Workload workload;
  workload.name = network.name;
  workload.graph = std::move(made.graph);
  workload.platform = with_relative_links(platform.platform);
  workload.time_unit = "ms";
  workload.notes = network.notes;
  workload.notes.insert(workload.notes.end(), made.notes.begin(), made.notes.end());
  if (!measured.empty() && options.training) {
    workload.notes.emplace_back(
        "times of the backward pass are estimates, longer or shorter by as much as the measured times of "
        "the operators are");
  }
  validate(workload);
  return workload;
}

}  // namespace partita
