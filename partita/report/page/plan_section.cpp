// SPDX-License-Identifier: Apache-2.0
// The result, the load of each device as `check` found it, and what the bottleneck moves.
#include <algorithm>

#include "partita/check/claims.h"
#include "partita/check/in_use.h"
#include "partita/check/shared_links.h"
#include "partita/check/speed_up.h"
#include "partita/report/json_parts.h"
#include "partita/report/page/cuts.h"
#include "partita/report/page/sections.h"

namespace partita::detail {
namespace {

bool runs_a_copy(const CheckReport& report, DeviceId device) {
  const DeviceId original = report.devices[device].original;
  return original.valid() && original != device;
}

void write_memory_items(const Problem& problem, const MemoryItems& items, JsonWriter& json) {
  if (problem.memory_model == MemoryModel::Flat) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("weights", items.weights);
    json.field("gradients", items.gradients);
    json.field("optimizerState", items.optimizer_state);
    json.field("activation", items.activation);
    json.field("recomputed", items.recomputed);
    json.field("inFlight", items.in_flight);
  });
}

void write_load(const Problem& problem, const CheckReport& report, DeviceId device, JsonWriter& json) {
  const DeviceReport& costs = report.devices[device];
  json.object([&] {
    json.field("device", device);
    json.field("load", report.load[device]);
    write_pass(costs.forward, json.key("forward"));
    write_pass(costs.backward, json.key("backward"));
    json.field("sync", costs.sync);
    json.field("sharing", costs.sharing);
    json.field("copyOf", runs_a_copy(report, device) ? costs.original : DeviceId());
    json.field("recomputes", costs.recomputes);
    json.field("memory", costs.memory);
    write_memory_items(problem, costs.memory_items, json.key("memoryItems"));
    json.field("nodes", report.devices[costs.original].node_count);
  });
}

void write_cuts(const Graph& graph, const std::vector<Cut>& cuts, JsonWriter& json) {
  const std::size_t shown = std::min(cuts.size(), kMostCuts);
  json.key("cuts").array(ids<Id<Cut>>(shown), [&](Id<Cut> place) {
    const Cut& cut = cuts[place.index()];
    json.object([&] {
      json.field("node", cut.producer);
      json.field("direction", cut.direction == Cut::Direction::In ? "in" : "out");
      json.field("cost", cut.cost);
      json.column("devices", cut.devices);
      json.field("backward", graph.nodes[cut.producer].backward);
    });
  });
  double rest = 0;
  for (std::size_t i = shown; i < cuts.size(); ++i) rest += cuts[i].cost;
  json.key("cutsLeftOut").object([&] {
    json.field("count", cuts.size() - shown);
    json.field("cost", rest);
  });
}

// A split that breaks a rule may leave nodes out.
bool is_complete(const Split& split) {
  return std::ranges::all_of(split.device_of, [](DeviceId device) { return device.valid(); });
}

void write_worth(const Problem& problem, const Result& result, const CheckReport& report, JsonWriter& json) {
  const std::optional<SpeedUp> gain = result.split ? speed_up(problem, result.value) : std::nullopt;
  json.field("speedUp", gain ? speed_up_text(problem, *gain) : "");
  const std::optional<LoneBottleneck> alone = result.split ? lone_bottleneck(problem, result.value) : std::nullopt;
  json.column("loneBottleneck", alone ? alone->nodes : std::vector<NodeId>());
  json.field("loneBottleneckText",
             alone ? lone_bottleneck_text(problem, *alone, result.value) : slowest_link_text(problem, report));
}

}  // namespace

void write_plan(const Problem& problem, const Result& result, const CheckReport* of_split, JsonWriter& json) {
  static const CheckReport kNothing;
  const CheckReport& report = result.split && of_split ? *of_split : kNothing;
  const bool latency = problem.objective == Objective::Latency;
  const DeviceId bottleneck = latency || report.slowest_link ? DeviceId() : report.bottleneck;
  json.object([&] {
    json.field("status", to_string(result.status));
    json.field("value", result.value);
    json.field("bound", result.bound);
    json.field("gap", result.gap());
    json.field("proof", result.proof);
    json.field("plainProof", plain_proof(result));
    json.field("unverified", result.unverified);
    json.field("reason", result.reason);
    write_worth(problem, result, report, json);
    json.field("seconds", result.seconds);
    json.field("bottleneck", bottleneck);
    json.column("order", report.order);
    json.key("loads").array(with_copies(report, devices_in_use(report)),
                            [&](DeviceId device) { write_load(problem, report, device, json); });
    write_cuts(problem.workload->graph,
               bottleneck.valid() && is_complete(*result.split) ? cuts_of(problem, *result.split, bottleneck)
                                                                : std::vector<Cut>(),
               json);
    json.field("hostCores", latency && result.split ? std::optional(report.host_cores) : std::nullopt);
  });
}

}  // namespace partita::detail
