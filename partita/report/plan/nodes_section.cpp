// SPDX-License-Identifier: Apache-2.0
// Where each node is, and for latency when what runs.
#include <string>

#include "partita/report/plan/sections.h"

namespace partita::detail {

void write_assignment(const Problem& problem, const Split& split, const PlacesInList& places, JsonWriter& json) {
  const auto& nodes = problem.workload->graph.nodes;
  json.object([&] {
    for (NodeId v : nodes.all()) json.field(std::to_string(nodes[v].original_id), *places[split.device_of[v]]);
  });
}

void write_schedule(const Problem& problem, const CheckReport& report, const PlacesInList& places, JsonWriter& json) {
  const auto& nodes = problem.workload->graph.nodes;
  const bool training = problem.workload->graph.has_backward();
  json.array(report.schedule, [&](const ScheduleStep& step) {
    json.object([&] {
      json.field("device", *places[step.device]);
      if (step.node.valid()) {
        json.field("node", nodes[step.node].original_id);
      } else {
        if (training) json.field("backward", step.backward);
        json.field("subgraph", step.subgraph);
        json.field("nodes", step.node_count);
      }
      json.field("start", step.start);
      json.field("finish", step.finish);
    });
  });
}

}  // namespace partita::detail
