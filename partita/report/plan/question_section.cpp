// SPDX-License-Identifier: Apache-2.0
// What was asked, in full.
#include <optional>
#include <variant>
#include <vector>

#include "partita/report/plan/sections.h"
#include "partita/report/platform_json.h"
#include "partita/report/question_json.h"

namespace partita::detail {

void add_latency_question(const Problem& problem, const Result& result, const CheckReport& report, JsonWriter& json) {
  json.field("subgraphs", problem.subgraphs);
  json.key("host_cores").object([&] {
    json.field("policy", problem.strict_host_cores ? "strict" : "unlimited");
    json.field("available", problem.workload->platform.device_count(DeviceKind::Host));
    json.field("busy", result.split ? std::optional(report.host_cores) : std::nullopt);
  });
}

namespace {

void write_id_lists(const Graph& graph, const std::vector<std::vector<NodeId>>& lists, JsonWriter& json) {
  json.array([&] {
    for (const std::vector<NodeId>& nodes : lists) {
      json.array([&] {
        for (NodeId v : nodes) json.value(graph.nodes[v].original_id);
      });
    }
  });
}

void write_wishes(const Problem& problem, JsonWriter& json) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  const Wishes& wishes = problem.wishes;
  json.object([&] {
    json.key("pins").array([&] {
      for (const Pin& pin : wishes.pins) {
        const DeviceId* device = std::get_if<DeviceId>(&pin.to);
        const ClassId c = device ? platform.class_of(*device) : std::get<ClassId>(pin.to);
        json.object([&] {
          json.field("node", graph.nodes[pin.node].original_id);
          json.field("class", platform.classes[c].name);
          if (device) json.field("index", device->index() - platform.first_device(c).index());
        });
      }
    });
    write_id_lists(graph, wishes.together, json.key("together"));
    write_id_lists(graph, wishes.apart, json.key("apart"));
  });
}

}  // namespace

void write_whole_question(const Problem& problem, const PlatformSpec& devices, const RunRecord& run, JsonWriter& json) {
  json.object([&] {
    add_question(problem, json);
    if (run.contract_layers) json.field("contract_layers", true);
    if (!run.engine.empty()) json.field("engine", run.engine);
    if (!problem.wishes.empty()) write_wishes(problem, json.key("wishes"));
    const bool given = !devices.platform.classes.empty();
    write_platform(given ? devices : PlatformSpec{problem.workload->platform}, json.key("platform"));
  });
}

}  // namespace partita::detail
