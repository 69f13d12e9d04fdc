// SPDX-License-Identifier: Apache-2.0
#include "partita/report/workload_json.h"

#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "partita/util/error.h"

namespace partita {
namespace {

using nlohmann::ordered_json;

constexpr ClassId kAccelerators(0);
constexpr ClassId kHosts(1);

void require_paper_platform(const Platform& platform) {
  const auto& classes = platform.classes;
  const bool fits = classes.size() == 2 && classes[kAccelerators].kind == DeviceKind::Accelerator &&
                    classes[kHosts].kind == DeviceKind::Host && classes[kHosts].memory == kUnlimited;
  if (!fits) {
    throw InputError(
        ErrorKind::Unsupported, "platform",
        "the workload format holds one class of accelerators and one class of hosts without memory limit, and "
        "this platform has others");
  }
}

ordered_json node_json(const Node& node) {
  ordered_json out;
  out["id"] = node.original_id;
  if (!node.name.empty()) out["name"] = node.name;
  const double on_accelerator = node.time[kAccelerators.index()];
  const double on_host = node.time[kHosts.index()];
  out["supportedOnFpga"] = on_accelerator != kCannotRun;
  if (on_host == kCannotRun) out["supportedOnCpu"] = false;  // our extension: written only where it says something
  if (on_host != kCannotRun) out["cpuLatency"] = on_host;
  if (on_accelerator != kCannotRun) out["fpgaLatency"] = on_accelerator;
  out["isBackwardNode"] = node.backward;
  if (node.colour) out["colorClass"] = *node.colour;
  if (node.layer) out["layerId"] = *node.layer;
  out["size"] = node.memory;
  return out;
}

// Names may hold any bytes when a workload was made by a program; the file must be UTF-8 all the same.
std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string workload_json(const Workload& workload) {
  require_paper_platform(workload.platform);
  const Graph& graph = workload.graph;
  const DeviceClass& accelerators = workload.platform.classes[kAccelerators];
  const bool limited = std::isfinite(accelerators.memory);
  std::string out = "{\n";
  out += "\"name\": " + text_of(workload.name) + ",\n";
  out += "\"maxFPGAs\": " + std::to_string(accelerators.count) + ",\n";
  out += "\"maxCPUs\": " + std::to_string(workload.platform.classes[kHosts].count) + ",\n";
  out += "\"maxSizePerFPGA\": " + (limited ? text_of(accelerators.memory) : "null") + ",\n";
  out += "\"nodes\": [";
  const char* separator = "\n";
  for (const Node& node : graph.nodes) {
    out += separator + text_of(node_json(node));
    separator = ",\n";
  }
  out += "\n],\n\"edges\": [";
  separator = "\n";
  for (const Edge& edge : graph.edges) {
    ordered_json entry;
    entry["sourceId"] = graph.nodes[edge.from].original_id;
    entry["destId"] = graph.nodes[edge.to].original_id;
    entry["cost"] = edge.cost;
    out += separator + text_of(entry);
    separator = ",\n";
  }
  return out + "\n]\n}\n";
}

}  // namespace partita
