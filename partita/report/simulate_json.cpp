// SPDX-License-Identifier: Apache-2.0
#include "partita/report/simulate_json.h"

#include <optional>

#include "partita/report/json_parts.h"
#include "partita/report/plan_json.h"
#include "partita/report/question_json.h"
#include "partita/report/run_comparison.h"
#include "partita/report/used_devices.h"

namespace partita::detail {
namespace {

constexpr int kSimulationVersion = 1;

void add_piece(const Graph& graph, const Piece& piece, JsonWriter& json) {
  json.field("device", piece.device);
  json.field("backward", piece.backward);
  add_pass(piece.load, json);
  json.column("nodes", piece.nodes, [&](NodeId v) { return graph.nodes[v].original_id; });
  json.column("after", piece.after);
}

void add_use(const DeviceUse& use, double makespan, JsonWriter& json) {
  json.field("compute", use.compute);
  json.field("in", use.in);
  json.field("out", use.out);
  json.field("sync", use.sync);
  json.field("busy", use.busy);
  json.field("utilisation", makespan > 0 ? use.busy / makespan : 0);
  json.field("samples", use.samples);
  json.field("most_in_flight", use.most_in_flight);
  json.field("peak_memory", use.peak_memory);
}

// All devices, so that their places in the list are the numbers that pieces name.
void write_simulated_devices(const Problem& problem, const CheckReport& report, const Simulation& simulation,
                             JsonWriter& json) {
  const Platform& platform = problem.workload->platform;
  IdVector<DeviceId, std::optional<std::size_t>> stage(simulation.devices.size());
  for (const UsedDevice& used : used_devices(report, simulation)) stage[used.device] = used.stage;
  json.array([&] {
    for (DeviceId d : simulation.devices.all()) {
      if (simulation.devices.size() > kIdleListedUpTo && !report.devices[d].original.valid()) continue;
      json.object([&] {
        json.field("name", platform.device_name(d));
        json.field("kind", to_string(platform.classes[platform.class_of(d)].kind));
        json.field("stage", stage[d]);
        add_use(simulation.devices[d], simulation.makespan, json);
      });
    }
  });
}

void add_measures(const Simulation& simulation, JsonWriter& json) {
  const double per_sample = simulation.time_per_sample;
  json.field("schedule", to_string(simulation.kind));
  json.field("samples", simulation.samples);
  if (simulation.microbatches > 0) json.field("batch", simulation.microbatches);
  json.field("time_per_sample", per_sample);
  json.field("steady", simulation.steady);
  json.field("formula", simulation.formula);
  json.field("remark", simulation.remark);
  json.field("throughput", per_sample > 0 ? std::optional(1 / per_sample) : std::nullopt);
  json.field("latency", simulation.latency);
  json.field("warm_up_end", simulation.warm_up_end);
  json.field("drain_begin", simulation.drain_begin);
  json.field("makespan", simulation.makespan);
  json.field("fewest_pieces", simulation.pieces.fewest);
}

}  // namespace

std::string simulate_json(const Problem& problem, const CheckReport& report, const Simulation& simulation,
                          const Simulation* measured) {
  const Workload& workload = problem.workload;
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] {
    add_format("simulation", kSimulationVersion, json);
    json.field("workload", workload.name);
    add_time_unit(workload.time_unit, json);
    add_question(problem, json);
    json.field("value", report.value);
    add_measures(simulation, json);
    json.rows("pieces", simulation.pieces.pieces, [&](const Piece& piece) { add_piece(workload.graph, piece, json); });
    write_simulated_devices(problem, report, simulation, json.key("devices"));
    if (!measured) return;
    json.key("measured").object([&] {
      json.field("samples", measured->samples);
      json.field("steady", measured->steady);
      add_run_comparison(compare_run(report, simulation, *measured), json);
    });
  });
  return json.take();
}

}  // namespace partita::detail
