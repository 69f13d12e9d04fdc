// SPDX-License-Identifier: Apache-2.0
#include "tests/write/layered_model.h"

#include <fmt/format.h>

#include <map>

namespace partita::detail::test {
namespace {

class ModelWriter {
 public:
  explicit ModelWriter(const Platform& platform) { workload_.platform = platform; }

  NodeId add(const std::string& name, const char* op, double time, double weights, std::optional<std::int64_t> layer,
             const std::vector<NodeId>& inputs) {
    Node node;
    node.original_id = static_cast<std::int64_t>(workload_.graph.nodes.size());
    node.name = name;
    node.op = op;
    for (ClassId c : workload_.platform.classes.all()) {
      const bool host = workload_.platform.classes[c].kind == DeviceKind::Host;
      node.time.push_back(host ? 7 * time : time * static_cast<double>(1 + c.index()));
    }
    node.parts.weights = node.memory = weights;
    node.layer = layer;
    const NodeId made = workload_.graph.nodes.push_back(std::move(node));
    for (NodeId input : inputs) workload_.graph.edges.push_back({input, made, 0.25});
    return made;
  }

  // The same nodes in reverse, each beside its forward node.
  void add_backward() {
    Graph& graph = workload_.graph;
    const std::size_t count = graph.nodes.size();
    const std::vector<Edge> edges = graph.edges;
    for (std::size_t i = count; i-- > 0;) {
      Node node = graph.nodes[NodeId(i)];
      graph.nodes[NodeId(i)].colour = node.colour = static_cast<std::int64_t>(i);
      node.original_id = static_cast<std::int64_t>(graph.nodes.size());
      node.backward = true;
      node.name = "backward/" + node.name;
      node.memory = 0;
      node.parts = {};
      graph.nodes.push_back(std::move(node));
    }
    const auto mirrored = [&](NodeId v) { return NodeId(2 * count - 1 - v.index()); };
    for (const Edge& edge : edges) graph.edges.push_back({mirrored(edge.to), mirrored(edge.from), edge.cost});
    graph.edges.push_back({NodeId(count - 1), NodeId(count), 0});
  }

  Workload take() { return std::move(workload_); }

 private:
  Workload workload_;
};

}  // namespace

Workload layered_model(const Platform& platform, const LayeredModelOptions& options) {
  ModelWriter model(platform);
  const NodeId ids = model.add("input_ids", "input", 0, 0, {}, {});
  const NodeId embedding = model.add(options.prefix + "embed_tokens", "Embedding", 0.5, 3, {}, {ids});
  std::optional<NodeId> mask;
  if (options.mask) mask = model.add("attention_mask", "Where", 0.1, 0, {}, {ids});
  NodeId x = embedding;
  for (int i = 0; i < options.layers; ++i) {
    const std::string layer = fmt::format("{}layers.{}.", options.prefix, i);
    const std::optional<std::int64_t> half = options.nameless_mlp ? std::nullopt : std::optional<std::int64_t>(i);
    std::vector<NodeId> into{x};
    if (options.skip && i + 1 == options.layers && i > 0) into.push_back(embedding);
    const NodeId norm = model.add(layer + "input_layernorm", "RMSNorm", 0.1, 0.1, i, into);
    const NodeId q = model.add(layer + "self_attn.q_proj", "Linear", 1 + 0.1 * (i % 3), 1, i, {norm});
    std::vector<NodeId> attended{q};
    if (mask) attended.push_back(*mask);
    const NodeId attention = model.add(layer + "self_attn", "Attention", 0.5, 0, i, attended);
    const NodeId up = model.add(layer + "mlp.up_proj", "Linear", 1, 2, half, {attention});
    x = model.add(layer + "mlp_residual", "Add", 0.1, 0, half, {up, x});
  }
  const NodeId norm = model.add(options.prefix + "norm", "RMSNorm", 0.1, 0.1, {}, {x});
  const NodeId last = model.add("last_token", "Slice", 0.01, 0, {}, {norm});
  std::vector<NodeId> scored{last};
  if (options.turned_table)
    scored.push_back(model.add(options.prefix + "embed_tokens.turned", "Transpose", 0.1, 3, {}, {}));
  model.add("lm_head", "Linear", 2, 3, {}, scored);
  if (options.backward) model.add_backward();
  Workload workload = model.take();
  workload.name = "layered";
  return workload;
}

Platform unequal_platform(int accelerators, int hosts) {
  Platform platform;
  for (int i = 0; i < accelerators; ++i)
    platform.classes.push_back({.name = fmt::format("gpu{}", i), .kind = DeviceKind::Accelerator, .count = 1});
  if (hosts > 0) platform.classes.push_back({.name = "cpu", .kind = DeviceKind::Host, .count = hosts});
  return platform;
}

Split layered_split(const Workload& workload, const std::vector<DeviceId>& unit_devices) {
  const std::size_t last = unit_devices.size() - 1;
  Split split;
  split.device_of = IdVector<NodeId, DeviceId>(workload.graph.nodes.size());
  for (NodeId v : workload.graph.nodes.all()) {
    const std::string& name = workload.graph.nodes[v].name;
    const std::size_t layer = name.find("layers.");
    const bool at_end = name.ends_with("norm") || name.ends_with("last_token") || name.ends_with("lm_head");
    std::size_t unit = at_end ? last : 0;
    if (layer != std::string::npos) unit = std::stoul(name.substr(layer + 7)) + 1;
    split.device_of[v] = unit_devices[unit];
  }
  for (DeviceId device : unit_devices)
    if (std::find(split.order.begin(), split.order.end(), device) == split.order.end()) split.order.push_back(device);
  return split;
}

}  // namespace partita::detail::test
