// SPDX-License-Identifier: Apache-2.0
// What the numbers mean is at the head of read/pipedream.cpp and read/piper.cpp.
#include "partita/report/planner_files.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "partita/check/times.h"
#include "partita/report/fused_passes.h"
#include "partita/util/error.h"
#include "partita/util/json_writer.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

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

// Of one node, the ids of those that it reads from and of those that read from it.
struct Neighbours {
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
};

// A way to run a node: with its activations kept, or computed again.
struct PiperWay {
  const char* id;
  double time;
  double activation;
};

void add_sync_times(const char* name, const std::vector<std::int64_t>& neighbours, JsonWriter& json) {
  json.key(name).object([&] {
    for (std::int64_t id : neighbours) json.field(std::to_string(id), 0);
  });
}

void write_way(const PiperWay& way, const MemoryParts& parts, const Neighbours& neighbours, JsonWriter& json) {
  json.object([&] {
    json.field("id", way.id);
    json.field("timePerSample", way.time);
    json.field("parameterSize", parts.weights);
    json.field("memoryUsageA", way.activation);
    json.field("memoryUsageB", parts.weights + parts.optimizer_state);
    add_sync_times("syncTimeFw", neighbours.before, json);
    add_sync_times("syncTimeBw", neighbours.after, json);
  });
}

void add_piper_node(const FusedNode& fused, const Neighbours& neighbours, JsonWriter& json) {
  const MemoryParts& parts = fused.parts;
  const double time = fused.forward + fused.backward;
  json.field("id", fused.node->original_id);
  json.field("name", fused.node->name);
  json.key("TMPCs").object([&] {
    json.key("1").array([&] {
      write_way({"vanilla", time, parts.activation}, parts, neighbours, json);
      if (parts.recompute_activation >= parts.activation) return;
      const double again = time + fused.node->recompute_share * fused.forward;
      write_way({"activation recomp", again, parts.recompute_activation}, parts, neighbours, json);
    });
  });
}

std::vector<Neighbours> neighbours_of_nodes(const FusedGraph& graph) {
  std::vector<Neighbours> neighbours(graph.nodes.size());
  for (const FusedEdge& edge : graph.edges) {
    neighbours[edge.to].before.push_back(graph.nodes[edge.from].node->original_id);
    neighbours[edge.from].after.push_back(graph.nodes[edge.to].node->original_id);
  }
  return neighbours;
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

  const std::vector<Neighbours> neighbours = neighbours_of_nodes(graph);
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] {
    json.field("maxDevices", graph.devices);
    json.field("maxMemoryPerDevice", graph.memory == kUnlimited ? kAsGoodAsUnlimited : graph.memory);
    json.field("bandwidth", bandwidth);
    json.field("mbsInBatch", microbatches);
    json.key("nodes").array([&] {
      for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        json.object([&] { add_piper_node(graph.nodes[i], neighbours[i], json); });
    });
    json.rows("edges", graph.edges, [&](const FusedEdge& edge) {
      json.field("sourceId", graph.nodes[edge.from].node->original_id);
      json.field("destId", graph.nodes[edge.to].node->original_id);
      json.field("communicationCost", (edge.forward + edge.backward) * bandwidth / 2);
    });
  });
  file.text = json.take();
  return file;
}

}  // namespace partita::detail
