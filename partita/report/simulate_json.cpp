// SPDX-License-Identifier: Apache-2.0
#include "partita/report/simulate_json.h"

#include <nlohmann/json.hpp>

#include "partita/report/plan_json.h"
#include "partita/report/pretty_json.h"
#include "partita/report/question_json.h"
#include "partita/report/used_devices.h"
#include "partita/util/version.h"

namespace partita::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSimulationVersion = 1;

Json pieces_json(const Problem& problem, const Pieces& pieces) {
  const auto& nodes = problem.workload->graph.nodes;
  Json list = Json::array();
  for (const Piece& piece : pieces.pieces) {
    Json ids = Json::array();
    for (NodeId v : piece.nodes) ids.push_back(nodes[v].original_id);
    Json after = Json::array();
    for (PieceId other : piece.after) after.push_back(other.index());
    list.push_back({{"device", piece.device.index()},
                    {"backward", piece.backward},
                    {"compute", piece.load.compute},
                    {"in", piece.load.in},
                    {"out", piece.load.out},
                    {"nodes", std::move(ids)},
                    {"after", std::move(after)}});
  }
  return list;
}

// All devices, so that their places in the list are the numbers that pieces name.
Json devices_json(const Problem& problem, const CheckReport& report, const Simulation& simulation) {
  const Platform& platform = problem.workload->platform;
  IdVector<DeviceId, Json> stage(simulation.devices.size());
  for (const UsedDevice& used : used_devices(report, simulation)) {
    if (used.stage) stage[used.device] = *used.stage;
  }
  Json list = Json::array();
  for (DeviceId d : simulation.devices.all()) {
    if (simulation.devices.size() > kIdleListedUpTo && !report.devices[d].original.valid()) continue;
    const DeviceUse& use = simulation.devices[d];
    list.push_back({{"name", platform.device_name(d)},
                    {"kind", to_string(platform.classes[platform.class_of(d)].kind)},
                    {"stage", stage[d]},
                    {"compute", use.compute},
                    {"in", use.in},
                    {"out", use.out},
                    {"sync", use.sync},
                    {"busy", use.busy},
                    {"utilisation", simulation.makespan > 0 ? use.busy / simulation.makespan : 0},
                    {"samples", use.samples},
                    {"most_in_flight", use.most_in_flight},
                    {"peak_memory", whole_if_exact(use.peak_memory)}});
  }
  return list;
}

}  // namespace

std::string simulate_json(const Problem& problem, const CheckReport& report, const Simulation& simulation) {
  Json json;
  json["partita"] = {{"format", "simulation"}, {"version", kSimulationVersion}, {"program_version", version()}};
  json["workload"] = problem.workload->name;
  add_time_unit(problem, json);
  add_question(problem, json);
  json["value"] = report.value;
  json["schedule"] = to_string(simulation.kind);
  json["samples"] = simulation.samples;
  if (simulation.microbatches > 0) json["batch"] = simulation.microbatches;
  json["time_per_sample"] = simulation.time_per_sample;
  json["steady"] = simulation.steady;
  json["formula"] = simulation.formula ? Json(*simulation.formula) : Json();
  json["remark"] = simulation.remark;
  json["throughput"] = simulation.time_per_sample > 0 ? Json(1 / simulation.time_per_sample) : Json();
  json["latency"] = simulation.latency;
  json["warm_up_end"] = simulation.warm_up_end;
  json["drain_begin"] = simulation.drain_begin;
  json["makespan"] = simulation.makespan;
  json["fewest_pieces"] = simulation.pieces.fewest;
  json["pieces"] = pieces_json(problem, simulation.pieces);
  json["devices"] = devices_json(problem, report, simulation);
  return pretty_json(json);
}

}  // namespace partita::detail
