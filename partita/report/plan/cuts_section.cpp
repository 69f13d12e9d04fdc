// SPDX-License-Identifier: Apache-2.0
// Where the graph comes from, and what passes between devices.
#include <string>

#include "partita/model/tensor.h"
#include "partita/report/plan/sections.h"

namespace partita::detail {
namespace {

// What a program needs to make room for it: its type and extents, where they are known.
void add_tensor_type(const Node& node, JsonWriter& json) {
  const std::optional<TensorType> type = tensor_type(node.facts.output);
  if (type && type->type != DataType::Unknown) json.field("dtype", to_string(type->type));
  if (type && type->shape) json.column("shape", *type->shape);
  if (node.output_bytes) json.field("bytes", *node.output_bytes);
}

}  // namespace

void write_model(const Problem& problem, const ModelRecord& model, JsonWriter& json) {
  const Graph& graph = problem.workload->graph;
  json.object([&] {
    if (!model.file.empty()) json.field("file", model.file);
    json.field("nodes", graph.nodes.size());
    json.field("edges", graph.edges.size());
    json.field("fingerprint", fingerprint(graph));
    if (model.options.empty()) return;
    json.key("options").object([&] {
      for (const auto& [name, value] : model.options) json.field(name, value);
    });
  });
}

void write_units(const Problem& problem, JsonWriter& json) {
  const std::string& time = problem.workload->time_unit;
  json.object([&] {
    json.field("time", time.empty() ? "the workload's" : time);
    json.field("memory", "bytes");
  });
}

void write_cuts(const Problem& problem, const std::vector<CutTensor>& cuts, const PlacesInList& places,
                JsonWriter& json) {
  const auto& nodes = problem.workload->graph.nodes;
  json.array(cuts, [&](const CutTensor& cut) {
    const Node& node = nodes[cut.producer];
    json.object([&] {
      json.field("tensor", node.facts.tensor.empty() ? node.name : node.facts.tensor);
      json.field("node", node.original_id);
      add_tensor_type(node, json);
      json.field("from", *places[cut.from]);
      json.column("to", cut.to, [&](DeviceId d) { return *places[d]; });
    });
  });
}

void write_node_names(const Problem& problem, JsonWriter& json) {
  json.object([&] {
    for (const Node& node : problem.workload->graph.nodes) {
      if (!node.name.empty()) json.field(std::to_string(node.original_id), node.name);
    }
  });
}

}  // namespace partita::detail
