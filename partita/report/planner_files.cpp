// SPDX-License-Identifier: Apache-2.0
// What the numbers mean is at the head of read/pipedream.cpp and read/piper.cpp.
#include "partita/report/planner_files.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "partita/check/times.h"
#include "partita/report/fused_passes.h"
#include "partita/report/pretty_json.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

using nlohmann::ordered_json;

constexpr double kMillisecond = 1e-3;  // in seconds

void check_bandwidth(double bandwidth) {
  if (bandwidth > 0 && std::isfinite(bandwidth)) return;
  throw InputError(ErrorKind::BadNumber, "bandwidth",
                   fmt::format("found {}; expected bytes per second, above 0", bandwidth));
}

// What would end the description, or the line, is made harmless.
std::string description_of(const Node& node) {
  std::string text = visible(node.name.empty() ? node.op : node.name);
  for (std::size_t at = text.find(" -- "); at != std::string::npos; at = text.find(" -- ")) text.replace(at, 4, " - ");
  return text.empty() ? "Layer" : text;
}

ordered_json way_json(const char* id, double time, const MemoryParts& parts, double activation,
                      const ordered_json& into, const ordered_json& out_of) {
  ordered_json way;
  way["id"] = id;
  way["timePerSample"] = time;
  way["parameterSize"] = parts.weights;
  way["memoryUsageA"] = activation;
  way["memoryUsageB"] = parts.weights + parts.optimizer_state;
  way["syncTimeFw"] = into;
  way["syncTimeBw"] = out_of;
  return way;
}

}  // namespace

PlannerFile pipedream_file(const Workload& workload, double bandwidth) {
  check_bandwidth(bandwidth);
  FusedGraph graph = fuse_passes(workload, kMillisecond);
  PlannerFile file{"", std::move(graph.notes)};
  if (graph.differing > 0) {
    file.notes.push_back(
        fmt::format("the edges out of {} nodes differ in cost; the largest stands for all", graph.differing));
  }
  for (const FusedNode& fused : graph.nodes) {
    const double activation = fused.node->output_bytes.value_or(
        fused.output_cost > 0 ? fused.output_cost * kMillisecond * bandwidth : fused.parts.activation);
    file.text += fmt::format(
        "node{} -- {} -- forward_compute_time={}, backward_compute_time={}, activation_size={}, parameter_size={}\n",
        fused.node->original_id, description_of(*fused.node), fused.forward, fused.backward, activation,
        fused.parts.weights);
  }
  for (const FusedEdge& edge : graph.edges) {
    file.text += fmt::format("\tnode{} -- node{}\n", graph.nodes[edge.from].node->original_id,
                             graph.nodes[edge.to].node->original_id);
  }
  return file;
}

PlannerFile piper_file(const Workload& workload, double bandwidth, int microbatches) {
  const double unit = seconds_in(workload.time_unit).value_or(kMillisecond);
  const double sync = workload.platform.sync_bandwidth / unit;  // bytes per second
  if (std::isfinite(sync)) bandwidth = 4 * sync / microbatches;
  check_bandwidth(bandwidth);
  if (microbatches < 1) {
    throw InputError(ErrorKind::BadNumber, "microbatches", fmt::format("found {}; expected at least 1", microbatches));
  }
  FusedGraph graph = fuse_passes(workload, 1);
  PlannerFile file{"", std::move(graph.notes)};
  constexpr double kAsGoodAsUnlimited = 1e18;  // Piper takes finite numbers alone
  if (graph.memory == kUnlimited) file.notes.push_back("memory is unlimited, which is written as 1e18 bytes");

  std::vector<ordered_json> into(graph.nodes.size(), ordered_json::object());
  std::vector<ordered_json> out_of(graph.nodes.size(), ordered_json::object());
  ordered_json edges = ordered_json::array();
  for (const FusedEdge& edge : graph.edges) {
    const std::int64_t from = graph.nodes[edge.from].node->original_id;
    const std::int64_t to = graph.nodes[edge.to].node->original_id;
    into[edge.to][std::to_string(from)] = 0;
    out_of[edge.from][std::to_string(to)] = 0;
    edges.push_back(
        {{"sourceId", from}, {"destId", to}, {"communicationCost", (edge.forward + edge.backward) * bandwidth / 2}});
  }
  ordered_json nodes = ordered_json::array();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const FusedNode& fused = graph.nodes[i];
    const double time = fused.forward + fused.backward;
    ordered_json ways =
        ordered_json::array({way_json("vanilla", time, fused.parts, fused.parts.activation, into[i], out_of[i])});
    if (fused.parts.recompute_activation < fused.parts.activation) {
      ways.push_back(way_json("activation recomp", time + fused.node->recompute_share * fused.forward, fused.parts,
                              fused.parts.recompute_activation, into[i], out_of[i]));
    }
    nodes.push_back({{"id", fused.node->original_id}, {"name", fused.node->name}, {"TMPCs", {{"1", ways}}}});
  }
  ordered_json document;
  document["maxDevices"] = graph.devices;
  document["maxMemoryPerDevice"] = graph.memory == kUnlimited ? kAsGoodAsUnlimited : graph.memory;
  document["bandwidth"] = bandwidth;
  document["mbsInBatch"] = microbatches;
  document["nodes"] = std::move(nodes);
  document["edges"] = std::move(edges);
  file.text = pretty_json(document);
  return file;
}

}  // namespace partita::detail
