// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/engine_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "partita/util/error.h"
#include "partita/write/engines/layer_pipeline.h"

namespace partita::detail {
namespace {

void refuse_question(const char* field, const std::string& problem) {
  throw InputError(ErrorKind::Usage, field, problem);
}

void remove_class(Cluster& cluster, ClassId c) {
  if (c.index() < cluster.devices.size()) cluster.devices[c] = 0;
  for (Cluster& inside : cluster.clusters) remove_class(inside, c);
}

// Classes stay, so that times keep their places; nothing is left of those of hosts.
void remove_hosts(Platform& platform) {
  for (const ClassId c : platform.classes_of(DeviceKind::Host)) {
    platform.classes[c].count = 0;
    if (platform.clusters) remove_class(*platform.clusters, c);
  }
}

}  // namespace

void ask_for_engine(const Engine& engine, Problem& problem, PlatformSpec& devices) {
  const EngineRules& rules = engine.rules;
  if (rules.in_a_row && problem.objective != Objective::Latency && problem.shape != Shape::Staged) {
    refuse_question("Question::shape",
                    fmt::format("{} runs stages in a row; leave it out for {}, or give Question::shape "
                                "= staged",
                                engine.title, engine.name));
  }
  if (problem.replicas > 1 && !rules.copies)
    refuse_question("Question::replicas", fmt::format("{} has no copies of single stages; leave it out", engine.title));
  if (rules.no_training && problem.workload->graph.has_backward())
    refuse_question("training", fmt::format("{} runs models forward alone; leave it out", engine.title));
  const Platform& platform = problem.workload->platform;
  const std::size_t accelerators = platform.device_count(DeviceKind::Accelerator);
  if (rules.most_accelerators > 0 && accelerators > static_cast<std::size_t>(rules.most_accelerators)) {
    refuse_question(
        "PlatformOverrides::platform",
        fmt::format("{} uses {} accelerator beside the host, and there are {}; give one, as in a100+epyc, or "
                    "plan for triton or genai, which run a session for each stage",
                    engine.title, rules.most_accelerators, accelerators));
  }
  if (rules.hosts == HostUse::Anywhere || platform.device_count(DeviceKind::Host) == 0) return;
  if (accelerators == 0 && rules.hosts == HostUse::First) return;
  if (accelerators == 0) {
    refuse_question("PlatformOverrides::platform",
                    fmt::format("has hosts alone, and {} runs on accelerators; give some", engine.title));
  }
  remove_hosts(problem.workload.change().platform);
  remove_hosts(devices.platform);
}

LayerEnds ends_to_ask_for(const EngineRules& rules, const Graph& graph, const WeightNames& weights) {
  if (!rules.in_a_row) return rules.ends;
  return layers_are_complete(graph, weights) ? std::max(rules.ends, LayerEnds::Together) : LayerEnds::WithLayers;
}

}  // namespace partita::detail
