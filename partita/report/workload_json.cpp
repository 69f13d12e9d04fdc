// SPDX-License-Identifier: Apache-2.0
// What is the reader's default is left out, so that the paper's files stay the paper's. Times: the first class of each
// kind goes by fpgaLatency or cpuLatency, and `latency` holds those of other classes where they differ. A file that the
// paper's fields suffice for has no version.
#include "partita/report/workload_json.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "partita/report/platform_json.h"

namespace partita {

using namespace detail;

namespace {

constexpr int kWorkloadVersion = 1;

bool is_plain(const Platform& platform) {
  if (platform.classes.size() != 2 || platform.clusters || platform.sync_bandwidth != kUnlimited ||
      !platform.shared_links.empty())
    return false;
  const DeviceClass& accelerators = platform.classes[ClassId(0)];
  const DeviceClass& hosts = platform.classes[ClassId(1)];
  return accelerators.kind == DeviceKind::Accelerator && accelerators.name == to_string(DeviceKind::Accelerator) &&
         accelerators.link_factor == 1 && accelerators.link_latency == 0 && accelerators.contention == 1 &&
         hosts.kind == DeviceKind::Host && hosts.name == to_string(DeviceKind::Host) && hosts.memory == kUnlimited &&
         hosts.contention == 1;
}

bool is_papers(const Node& node) { return node.op.empty() && !node.output_bytes && node.facts == CostFacts{}; }

bool is_papers(const Workload& workload) {
  return is_plain(workload.platform) && workload.time_unit.empty() &&
         std::ranges::all_of(workload.graph.nodes, [](const Node& node) { return is_papers(node); });
}

class NodeWriter {
 public:
  explicit NodeWriter(const Platform& platform) : platform_(&platform) {
    for (ClassId c : platform.classes.all()) {
      std::optional<ClassId>& first = first_of(platform.classes[c].kind);
      if (!first) first = c;
    }
  }

  void add(const Node& node, JsonWriter& json) const {
    json.field("id", node.original_id);
    if (!node.name.empty()) json.field("name", node.name);
    if (!node.op.empty()) json.field("op", node.op);
    add_times(node, json);
    json.field("isBackwardNode", node.backward);
    if (node.colour) json.field("colorClass", *node.colour);
    if (node.layer) json.field("layerId", *node.layer);
    add_memory(node, json);
    add_facts(node, json);
  }

 private:
  std::optional<ClassId>& first_of(DeviceKind kind) {
    return kind == DeviceKind::Accelerator ? first_accelerator_ : first_host_;
  }

  void add_times(const Node& node, JsonWriter& json) const {
    const auto time_on = [&](const std::optional<ClassId>& c) { return c ? node.time[c->index()] : kCannotRun; };
    const double on_accelerator = time_on(first_accelerator_);
    const double on_host = time_on(first_host_);
    if (first_accelerator_) json.field("supportedOnFpga", on_accelerator != kCannotRun);
    // Our extension: written only where it says something.
    if (first_host_ && on_host == kCannotRun) json.field("supportedOnCpu", false);
    if (on_host != kCannotRun) json.field("cpuLatency", on_host);
    if (on_accelerator != kCannotRun) json.field("fpgaLatency", on_accelerator);
    std::vector<ClassId> others;
    for (ClassId c : platform_->classes.all()) {
      const bool accelerator = platform_->classes[c].kind == DeviceKind::Accelerator;
      if (node.time[c.index()] != (accelerator ? on_accelerator : on_host)) others.push_back(c);
    }
    if (others.empty()) return;
    json.key("latency").object([&] {
      for (ClassId c : others) json.field(platform_->classes[c].name, node.time[c.index()]);
    });
  }

  static void add_memory(const Node& node, JsonWriter& json) {
    json.field("size", node.memory);
    const MemoryParts& parts = node.parts;
    if (parts.weights != node.memory || parts.resident() != parts.weights || parts.activation != 0) {
      json.field("weights", parts.weights);
      if (parts.gradients != 0) json.field("gradients", parts.gradients);
      if (parts.optimizer_state != 0) json.field("optimizerState", parts.optimizer_state);
      if (parts.activation != 0) json.field("activation", parts.activation);
    }
    if (parts.recompute_activation != 0) json.field("recomputeActivation", parts.recompute_activation);
    if (node.recompute_share != (node.backward ? 0 : 1)) json.field("recomputeShare", node.recompute_share);
  }

  static void add_facts(const Node& node, JsonWriter& json) {
    const CostFacts& facts = node.facts;
    if (!facts.family.empty()) json.field("family", facts.family);
    if (facts.flops) json.field("flops", *facts.flops);
    if (facts.moved_bytes) json.field("movedBytes", *facts.moved_bytes);
    if (!facts.output.empty()) json.field("output", facts.output);
    if (node.output_bytes) json.field("outputBytes", *node.output_bytes);
    if (facts.source != CostSource::Given) json.field("source", to_string(facts.source));
  }

  const Platform* platform_;
  std::optional<ClassId> first_accelerator_;
  std::optional<ClassId> first_host_;
};

void add_papers_platform(const Platform& platform, JsonWriter& json) {
  json.field("maxFPGAs", platform.classes[ClassId(0)].count);
  json.field("maxCPUs", platform.classes[ClassId(1)].count);
  json.field("maxSizePerFPGA", platform.classes[ClassId(0)].memory);
}

void add_edge(const Graph& graph, const Edge& edge, JsonWriter& json) {
  const Node& from = graph.nodes[edge.from];
  json.field("sourceId", from.original_id);
  json.field("destId", graph.nodes[edge.to].original_id);
  json.field("cost", edge.cost);
  if (from.output_bytes) json.field("size", *from.output_bytes);
}

}  // namespace

std::string platform_json(const Platform& platform) {
  JsonWriter json(JsonLayout::Rows);
  write_platform(PlatformSpec{platform}, json);
  return json.take();
}

std::string workload_json(const Workload& workload) {
  const Graph& graph = workload.graph;
  const NodeWriter nodes(workload.platform);
  JsonWriter json(JsonLayout::Rows);
  json.object([&] {
    if (!is_papers(workload)) json.field("version", kWorkloadVersion);
    json.field("name", workload.name);
    if (!workload.time_unit.empty()) json.field("unit", workload.time_unit);
    if (is_plain(workload.platform)) {
      add_papers_platform(workload.platform, json);
    } else {
      write_platform(PlatformSpec{workload.platform}, json.key("platform"));
    }
    json.rows("nodes", graph.nodes, [&](const Node& node) { nodes.add(node, json); });
    json.rows("edges", graph.edges, [&](const Edge& edge) { add_edge(graph, edge, json); });
  });
  return json.take();
}

}  // namespace partita
