// SPDX-License-Identifier: Apache-2.0
// The paper's JSON to a Workload. Every field is checked where it is read, so that the error can name it; what holds of
// the graph as a whole comes last (graph_checks.h). Near-linear: a JSON tree, a hash table of ids, a sort of the edges.
#include "partita/read/workload.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/graph_checks.h"
#include "partita/read/json_document.h"
#include "partita/util/error.h"

namespace partita {
namespace {

using nlohmann::json;
using NodesById = std::unordered_map<std::int64_t, NodeId>;

// A split is easily given where a workload belongs; "nodes is missing" would not help then.
void refuse_split(const json& document, const Place& place) {
  if (!document.is_object() || document.contains("nodes")) return;
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
  return path.string();
}

int read_count(const ObjectView& file, const char* key, const std::optional<int>& override_value, const char* what) {
  const std::string expected = fmt::format("the number of {}, an integer from 0 to {}", what, kMaxDevicesOfAKind);
  const std::int64_t count = override_value ? *override_value : file.integer(key, expected.c_str());
  if (count < 0 || count > kMaxDevicesOfAKind) {
    const std::string problem = fmt::format("found {}; expected {}", count, expected);
    if (override_value) throw InputError(ErrorKind::BadPlatform, what, problem);
    file.place().member(key).fail(ErrorKind::BadPlatform, problem);
  }
  return static_cast<int>(count);
}

double read_memory(const ObjectView& file, const std::optional<double>& override_value) {
  constexpr const char* kKey = "maxSizePerFPGA";
  constexpr const char* kExpected = "the memory of an accelerator, in bytes, 0 or more (null for no limit)";
  if (override_value) {
    if (std::isnan(*override_value) || *override_value < 0) {
      throw InputError(ErrorKind::BadPlatform, "memory",
                       fmt::format("found {}; expected {}", *override_value, kExpected));
    }
    return *override_value;
  }
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

Platform read_platform(const ObjectView& file, const PlatformOverrides& overrides) {
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

Node read_node(const json& value, Place& place) {
  const ObjectView fields(value, place, "a node: an object with id, cpuLatency and fpgaLatency");
  Node node;
  node.original_id = fields.integer("id", "the node's id, an integer");
  place.set_node_id(node.original_id);
  node.name = fields.text("name", "the node's name, a text").value_or("");
  const bool on_accelerator = fields.flag("supportedOnFpga", true);
  const bool on_host = fields.flag("supportedOnCpu", true);
  if (!on_accelerator && !on_host) {
    place.fail(ErrorKind::Infeasible,
               "runs on no kind of device: supportedOnFpga and supportedOnCpu are both false; allow one of them");
  }
  node.time.assign(2, kCannotRun);
  if (on_accelerator) node.time[0] = fields.amount("fpgaLatency", "the node's time on an accelerator, 0 or more");
  if (on_host) node.time[1] = fields.amount("cpuLatency", "the node's time on a host, 0 or more");
  node.memory = fields.amount_or("size", 0, "the node's memory in bytes, a number, 0 or more");
  node.backward = fields.flag("isBackwardNode", false);
  node.colour = fields.optional_integer("colorClass", "a colour class, an integer");
  node.layer = fields.optional_integer("layerId", "a layer, an integer");
  return node;
}

NodesById read_nodes(const ObjectView& file, Graph& graph) {
  const json& list = file.array("nodes", "the list of nodes");
  const Place nodes_place = file.place().member("nodes");
  if (list.empty()) nodes_place.fail(ErrorKind::BadGraph, "is an empty list; expected at least one node");
  NodesById by_id;
  by_id.reserve(list.size());
  graph.nodes.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    Place place = nodes_place.element(i);
    Node node = read_node(list[i], place);
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

void check_graph(const Graph& graph, const Place& place) {
  if (const std::vector<NodeId> cycle = find_cycle(graph); !cycle.empty()) {
    place.member("edges").fail(ErrorKind::BadGraph,
                               fmt::format("there is a cycle of {} nodes: {}; expected a graph without cycles",
                                           cycle.size(), cycle_text(graph, cycle)));
  }
  if (const std::string what = find_overflow(graph); !what.empty()) {
    place.fail(ErrorKind::BadNumber,
               what + " add up to more than the largest number (about 1.8e308); use a larger unit of time or size");
  }
}

}  // namespace

Workload parse_workload(std::string_view bytes, const std::string& source, const PlatformOverrides& overrides) {
  const json document = parse_json(bytes, source);
  const Place place(source);
  refuse_split(document, place);
  const ObjectView file(document, place,
                        "a workload: an object with maxFPGAs, maxCPUs, maxSizePerFPGA, nodes and edges");
  Workload workload;
  workload.name = file.text("name", "the workload's name, a text").value_or(name_from(source));
  const NodesById by_id = read_nodes(file, workload.graph);
  read_edges(file, by_id, workload.graph);
  workload.platform = read_platform(file, overrides);
  drop_repeated_edges(workload.graph);
  check_graph(workload.graph, place);
  return workload;
}

Workload read_workload(const std::string& path, const PlatformOverrides& overrides) {
  return parse_workload(read_bytes(path), source_name(path), overrides);
}

}  // namespace partita
