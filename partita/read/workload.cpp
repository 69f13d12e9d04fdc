// SPDX-License-Identifier: Apache-2.0
// The paper's JSON to a Workload. Every field is checked where it is read, so that the error can name it; what holds of
// the graph as a whole comes last (graph_checks.h). Near-linear: a JSON tree, a hash table of ids, a sort of the edges.
#include "partita/read/workload.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "partita/model/exact_memory.h"
#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/graph_checks.h"
#include "partita/read/json_document.h"
#include "partita/read/node.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita {
namespace {

using nlohmann::json;
using NodesById = std::unordered_map<std::int64_t, NodeId>;

// Files of other kinds are easily given where a workload belongs; "nodes is missing" would not help then.
void refuse_others(const json& document, const Place& place) {
  if (!document.is_object() || document.contains("nodes")) return;
  if (document.contains("classes")) {
    place.fail(
        ErrorKind::BadField,
        "is a platform (classes of devices), not a workload; give a workload (the file with nodes and edges), and "
        "this file with --platform");
  }
  const bool is_plan = document.contains("partita");
  if (is_plan || document.contains("fpgas") || document.contains("cpus")) {
    place.fail(ErrorKind::BadField,
               fmt::format("is a split ({}), not a workload; give the workload that it splits (the file with nodes and "
                           "edges)",
                           is_plan ? "a plan written by partita" : "fpgas and cpus"));
  }
}

// "dir/bert.json.gz" is called "bert".
std::string name_from(const std::string& source) {
  std::filesystem::path path = std::filesystem::path(source).filename();
  for (const char* ending : {".gz", ".json"}) {
    if (path.extension() == ending) path = path.stem();
  }
  return visible(path.string());  // a file may be called anything, a workload by text only
}

int read_count(const ObjectView& file, const char* key, const std::optional<int>& override_value, const char* what) {
  if (override_value) return checked_count(*override_value, what);
  const std::string expected = fmt::format("the number of {}, an integer from 0 to {}", what, kMaxDevicesOfAKind);
  const std::int64_t count = file.integer(key, expected.c_str());
  if (count < 0 || count > kMaxDevicesOfAKind) {
    file.place().member(key).fail(ErrorKind::BadPlatform, fmt::format("found {}; expected {}", count, expected));
  }
  return static_cast<int>(count);
}

double read_memory(const ObjectView& file, const std::optional<double>& override_value) {
  if (override_value) return checked_memory(*override_value);
  constexpr const char* kKey = "maxSizePerFPGA";
  constexpr const char* kExpected = "the memory of an accelerator, in bytes, 0 or more (null for no limit)";
  if (!file.has_key(kKey)) {
    file.place().member(kKey).fail(ErrorKind::BadField, fmt::format("is missing; expected {}", kExpected));
  }
  const double memory = file.number(kKey, kExpected).value_or(kUnlimited);
  if (memory < 0) {
    file.place().member(kKey).fail(ErrorKind::BadPlatform,
                                   fmt::format("{} is negative; expected {}", memory, kExpected));
  }
  return memory;
}

Platform paper_platform(const ObjectView& file, const PlatformOverrides& overrides) {
  const int accelerators = read_count(file, "maxFPGAs", overrides.accelerators, "accelerators");
  const int hosts = read_count(file, "maxCPUs", overrides.hosts, "hosts");
  const double memory = read_memory(file, overrides.memory);
  if (accelerators == 0 && hosts == 0) {
    file.place().fail(
        ErrorKind::BadPlatform,
        "there are no devices: 0 accelerators (maxFPGAs) and 0 hosts (maxCPUs); expected at least one device");
  }
  return make_platform(accelerators, memory, hosts);
}

PlatformSpec own_platform(const ObjectView& file) {
  for (const char* key : {"maxFPGAs", "maxCPUs", "maxSizePerFPGA"}) {
    if (file.find(key)) {
      file.place().member(key).fail(ErrorKind::BadField,
                                    "is given beside platform; expected one of the two to say what devices there are");
    }
  }
  const Place place = file.place().member("platform");
  return read_platform_object(ObjectView(*file.find("platform"), place, "an object with version and classes"));
}

PlatformSpec read_devices(const ObjectView& file, const PlatformOverrides& overrides) {
  PlatformSpec spec;
  if (overrides.platform || file.find("platform")) {
    spec = overrides.platform ? *overrides.platform : own_platform(file);
    override_devices(overrides, spec.platform);
  } else {
    spec.platform = paper_platform(file, overrides);
  }
  override_links(overrides, spec.platform);
  return spec;
}

const json& node_list(const ObjectView& file) {
  const json& list = file.array("nodes", "the list of nodes");
  if (list.empty()) {
    file.place().member("nodes").fail(ErrorKind::BadGraph, "is an empty list; expected at least one node");
  }
  return list;
}

NodesById read_nodes(const ObjectView& file, const NodeReader& reader, Graph& graph) {
  const json& list = node_list(file);
  const Place nodes_place = file.place().member("nodes");
  NodesById by_id;
  by_id.reserve(list.size());
  graph.nodes.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    Place place = nodes_place.element(i);
    Node node = reader.read(list[i], place);
    const auto [entry, is_new] = by_id.emplace(node.original_id, NodeId(i));
    if (!is_new) {
      place.fail(ErrorKind::BadGraph, fmt::format("has the same id as nodes[{}]; expected ids that are all different",
                                                  entry->second.index()));
    }
    graph.nodes.push_back(std::move(node));
  }
  return by_id;
}

NodeId read_end(const ObjectView& fields, const char* key, const NodesById& by_id) {
  const std::int64_t id = fields.integer(key, "the id of a node, an integer");
  const auto entry = by_id.find(id);
  if (entry == by_id.end()) {
    fields.place().member(key).fail(ErrorKind::BadGraph,
                                    fmt::format("no node has id {}; expected the id of one of the nodes", id));
  }
  return entry->second;
}

void read_edges(const ObjectView& file, const NodesById& by_id, Graph& graph) {
  const json& list = file.array("edges", "the list of edges (it may be empty)");
  const Place edges_place = file.place().member("edges");
  graph.edges.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Place place = edges_place.element(i);
    const ObjectView fields(list[i], place, "an edge: an object with sourceId, destId and cost");
    const Edge edge{read_end(fields, "sourceId", by_id), read_end(fields, "destId", by_id),
                    fields.amount("cost", "the time to move the source's output, a number, 0 or more")};
    const Node& from = graph.nodes[edge.from];
    const Node& to = graph.nodes[edge.to];
    if (edge.from == edge.to) {
      place.fail(ErrorKind::BadGraph,
                 fmt::format("leads from node {} to itself; expected a graph without cycles", from.original_id));
    }
    if (from.backward && !to.backward) {
      place.fail(
          ErrorKind::BadGraph,
          fmt::format("leads from backward node {} to forward node {}; expected the backward pass to feed backward "
                      "nodes only (see isBackwardNode)",
                      from.original_id, to.original_id));
    }
    graph.edges.push_back(edge);
  }
}

void check_graph(const Workload& workload, const Place& place) {
  const Graph& graph = workload.graph;
  if (const std::vector<NodeId> cycle = find_cycle(graph); !cycle.empty()) {
    place.member("edges").fail(ErrorKind::BadGraph,
                               fmt::format("there is a cycle of {} nodes: {}; expected a graph without cycles",
                                           cycle.size(), cycle_text(graph, cycle)));
  }
  if (const std::string what = find_overflow(workload); !what.empty()) {
    place.fail(ErrorKind::BadNumber, what + "; use a larger unit of time or size");
  }
  if (const std::string what = find_underflow(workload); !what.empty()) {
    place.fail(ErrorKind::BadNumber,
               what + " is not 0 but below 1e-300, with the platform's factors; use a smaller unit of time, or 0");
  }
}

}  // namespace

Workload parse_workload(std::string_view bytes, const std::string& source, const PlatformOverrides& overrides,
                        PlatformSpec* devices_read) {
  const json document = parse_json(bytes, source);
  const Place place(source);
  refuse_others(document, place);
  const ObjectView file(document, place,
                        "a workload: an object with maxFPGAs, maxCPUs, maxSizePerFPGA, nodes and edges");
  Workload workload;
  workload.name = file.text("name", "the workload's name, a text").value_or(name_from(source));
  node_list(file);  // a file without nodes is no workload, whatever devices it names
  const PlatformSpec devices = read_devices(file, overrides);
  workload.platform = devices.platform;
  const bool own_platform = !overrides.platform && file.find("platform");
  const NodesById by_id = read_nodes(file, NodeReader(devices, !own_platform), workload.graph);
  read_edges(file, by_id, workload.graph);
  drop_repeated_edges(workload.graph);
  make_memory_sums_exact(workload);
  check_graph(workload, place);
  if (devices_read) *devices_read = devices;
  return workload;
}

Workload read_workload(const std::string& path, const PlatformOverrides& overrides, PlatformSpec* devices) {
  return parse_workload(read_bytes(path), source_name(path), overrides, devices);
}

}  // namespace partita
