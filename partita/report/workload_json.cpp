// SPDX-License-Identifier: Apache-2.0
// What is the reader's default is left out, so that the paper's files stay the paper's. Times: the first class of each
// kind goes by fpgaLatency or cpuLatency, and `latency` holds those of other classes where they differ. A file that the
// paper's fields suffice for has no version.
#include "partita/report/workload_json.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>

#include "partita/report/platform_json.h"

namespace partita {

using namespace detail;

namespace {

using nlohmann::ordered_json;

// Names may hold any bytes when a workload was made by a program; the file must be UTF-8 all the same.
std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json finite_or_null(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

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

std::string platform_fields(const Platform& platform) {
  std::string out = "\"version\": 1,\n\"classes\": [";
  const char* separator = "\n";
  for (const DeviceClass& one : platform.classes) {
    out += separator + text_of(class_json(one));
    separator = ",\n";
  }
  out += "\n]";
  if (platform.clusters) out += ",\n\"clusters\": " + text_of(cluster_json(platform, *platform.clusters));
  if (!platform.shared_links.empty()) out += ",\n\"sharedLinks\": " + text_of(shared_links_json(platform));
  if (std::isfinite(platform.sync_bandwidth)) out += ",\n\"syncBandwidth\": " + text_of(platform.sync_bandwidth);
  return out + "\n";
}

class NodeWriter {
 public:
  explicit NodeWriter(const Platform& platform) : platform_(&platform) {
    for (ClassId c : platform.classes.all()) {
      std::optional<ClassId>& first = first_of(platform.classes[c].kind);
      if (!first) first = c;
    }
  }

  ordered_json write(const Node& node) const {
    ordered_json out;
    out["id"] = node.original_id;
    if (!node.name.empty()) out["name"] = node.name;
    if (!node.op.empty()) out["op"] = node.op;
    write_times(node, out);
    out["isBackwardNode"] = node.backward;
    if (node.colour) out["colorClass"] = *node.colour;
    if (node.layer) out["layerId"] = *node.layer;
    write_memory(node, out);
    write_facts(node, out);
    return out;
  }

 private:
  std::optional<ClassId>& first_of(DeviceKind kind) {
    return kind == DeviceKind::Accelerator ? first_accelerator_ : first_host_;
  }

  void write_times(const Node& node, ordered_json& out) const {
    const auto time_on = [&](const std::optional<ClassId>& c) { return c ? node.time[c->index()] : kCannotRun; };
    const double on_accelerator = time_on(first_accelerator_);
    const double on_host = time_on(first_host_);
    if (first_accelerator_) out["supportedOnFpga"] = on_accelerator != kCannotRun;
    // Our extension: written only where it says something.
    if (first_host_ && on_host == kCannotRun) out["supportedOnCpu"] = false;
    if (on_host != kCannotRun) out["cpuLatency"] = on_host;
    if (on_accelerator != kCannotRun) out["fpgaLatency"] = on_accelerator;
    for (ClassId c : platform_->classes.all()) {
      const DeviceClass& one = platform_->classes[c];
      const double time = node.time[c.index()];
      if (time == (one.kind == DeviceKind::Accelerator ? on_accelerator : on_host)) continue;
      out["latency"][one.name] = finite_or_null(time);
    }
  }

  static void write_memory(const Node& node, ordered_json& out) {
    out["size"] = node.memory;
    const MemoryParts& parts = node.parts;
    if (parts.weights != node.memory || parts.resident() != parts.weights || parts.activation != 0) {
      out["weights"] = parts.weights;
      if (parts.gradients != 0) out["gradients"] = parts.gradients;
      if (parts.optimizer_state != 0) out["optimizerState"] = parts.optimizer_state;
      if (parts.activation != 0) out["activation"] = parts.activation;
    }
    if (parts.recompute_activation != 0) out["recomputeActivation"] = parts.recompute_activation;
    if (node.recompute_share != (node.backward ? 0 : 1)) out["recomputeShare"] = node.recompute_share;
  }

  static void write_facts(const Node& node, ordered_json& out) {
    const CostFacts& facts = node.facts;
    if (!facts.family.empty()) out["family"] = facts.family;
    if (facts.flops) out["flops"] = *facts.flops;
    if (facts.moved_bytes) out["movedBytes"] = *facts.moved_bytes;
    if (!facts.output.empty()) out["output"] = facts.output;
    if (node.output_bytes) out["outputBytes"] = *node.output_bytes;
    if (facts.source != CostSource::Given) out["source"] = to_string(facts.source);
  }

  const Platform* platform_;
  std::optional<ClassId> first_accelerator_;
  std::optional<ClassId> first_host_;
};

}  // namespace

std::string platform_json(const Platform& platform) { return "{\n" + platform_fields(platform) + "}\n"; }

std::string workload_json(const Workload& workload) {
  const Graph& graph = workload.graph;
  const Platform& platform = workload.platform;
  std::string out = "{\n";
  if (!is_papers(workload)) out += "\"version\": 1,\n";
  out += "\"name\": " + text_of(workload.name) + ",\n";
  if (!workload.time_unit.empty()) out += "\"unit\": " + text_of(workload.time_unit) + ",\n";
  if (is_plain(platform)) {
    const DeviceClass& accelerators = platform.classes[ClassId(0)];
    out += "\"maxFPGAs\": " + std::to_string(accelerators.count) + ",\n";
    out += "\"maxCPUs\": " + std::to_string(platform.classes[ClassId(1)].count) + ",\n";
    out += "\"maxSizePerFPGA\": " + text_of(finite_or_null(accelerators.memory)) + ",\n";
  } else {
    out += "\"platform\": {\n" + platform_fields(platform) + "},\n";
  }
  out += "\"nodes\": [";
  const char* separator = "\n";
  const NodeWriter writer(platform);
  for (const Node& node : graph.nodes) {
    out += separator + text_of(writer.write(node));
    separator = ",\n";
  }
  out += "\n],\n\"edges\": [";
  separator = "\n";
  for (const Edge& edge : graph.edges) {
    ordered_json entry;
    entry["sourceId"] = graph.nodes[edge.from].original_id;
    entry["destId"] = graph.nodes[edge.to].original_id;
    entry["cost"] = edge.cost;
    if (const auto& bytes = graph.nodes[edge.from].output_bytes) entry["size"] = *bytes;
    out += separator + text_of(entry);
    separator = ",\n";
  }
  return out + "\n]\n}\n";
}

}  // namespace partita
