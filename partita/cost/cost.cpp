// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/cost/backward_pass.h"
#include "partita/cost/estimate.h"
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

class Pricing {
 public:
  Pricing(const PlatformSpec& platform, const CostOptions& options)
      : platform_(platform), options_(options), measured_class_(measured_class(platform.platform, options)) {}

  void price(Node& node, const Work& work) {
    node.facts.source = source_of(work, options_.efficiencies);
    node.time.clear();
    for (const DeviceRates& rates : platform_.rates)
      node.time.push_back(kUnitsPerSecond * estimate(work, rates, options_.efficiencies));
    const auto measured = options_.measured.find(node.name);
    if (measured == options_.measured.end()) return;
    ++used_;
    node.facts.source = CostSource::Measured;
    const double ms = kUnitsPerSecond * measured->second;
    const double estimated = node.time[measured_class_.index()];
    for (double& time : node.time) time = estimated > 0 ? ms * (time / estimated) : ms;
  }

  // Measured times that no operator has: of another model, or of operators that were fused.
  std::size_t unused() const { return options_.measured.size() - used_; }
  std::size_t used() const { return used_; }

 private:
  const PlatformSpec& platform_;
  const CostOptions& options_;
  ClassId measured_class_;
  std::size_t used_ = 0;
};

}  // namespace

Workload cost_workload(const Network& network, const PlatformSpec& platform, const CostOptions& options) {
  if (!is_physical(platform)) {
    throw InputError(ErrorKind::BadPlatform, "PlatformSpec::rates",
                     "is empty, so the devices' speeds are not known; a model file needs a platform that says what its "
                     "devices can do, such as compose_platform(\"4xa100\")");
  }
  NetworkGraph made = graph_of_network(network, options.shared_weights, cost_of_a_byte(platform.platform));
  if (options.training) add_backward_pass(network, options.optimizer, made);

  Pricing pricing(platform, options);
  for (NodeId v : made.graph.nodes.all()) pricing.price(made.graph.nodes[v], made.work[v]);
  if (!options.measured.empty() && pricing.used() == 0) {
    throw InputError(ErrorKind::BadField, "CostOptions::measured",
                     fmt::format("none of its {} names is an operator of {}; is it a profile of another model?",
                                 options.measured.size(), network.name));
  }

  Workload workload;
  workload.name = network.name;
  workload.graph = std::move(made.graph);
  workload.platform = with_relative_links(platform.platform);
  workload.time_unit = "ms";
  workload.notes = network.notes;
  workload.notes.insert(workload.notes.end(), made.notes.begin(), made.notes.end());
  if (pricing.unused() > 0) {
    workload.notes.push_back(fmt::format("{} of {} measured times name no operator of the model and are not used",
                                         pricing.unused(), options.measured.size()));
  }
  validate(workload);
  return workload;
}

}  // namespace partita
