// SPDX-License-Identifier: Apache-2.0
#include "tests/support/transformer.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace partita::detail {
namespace {

// Times in milliseconds and sizes in bytes, about those of a hidden size of 1024 on a current accelerator.
constexpr double kMatmul = 0.020;
constexpr double kAttention = 0.012;
constexpr double kPointwise = 0.004;
constexpr double kHostSlowdown = 30;
constexpr double kActivationCost = 0.05;
constexpr double kHiddenWeights = 2.0 * 1024 * 1024;

class Builder {
 public:
  explicit Builder(std::uint64_t seed) : engine_(seed) {}

  // `cost` is that of moving the output; every edge out of the node gets it.
  NodeId add(const std::string& name, double time, double weights, double cost, const std::vector<NodeId>& inputs) {
    Node node;
    node.original_id = static_cast<std::int64_t>(graph_.nodes.size());
    node.name = name;
    const double jitter = 1 + 0.001 * static_cast<double>(engine_() % 100);
    node.time = {time * jitter, time * jitter * kHostSlowdown};
    node.memory = weights;
    const NodeId v = graph_.nodes.push_back(node);
    cost_.push_back(cost);
    for (NodeId u : inputs) graph_.edges.push_back({u, v, cost_[u]});
    return v;
  }

  NodeId view(const std::string& name, NodeId input) { return add(name, 0, 0, cost_[input], {input}); }

  // Backward twins of all nodes in reverse order, with reversed edges, and each forward output kept for its twin.
  void mirror() {
    const std::size_t count = graph_.nodes.size();
    const std::vector<Edge> forward = graph_.edges;
    IdVector<NodeId, NodeId> twin(count);
    for (std::size_t i = count; i-- > 0;) {
      Node& node = graph_.nodes[NodeId(i)];
      node.colour = static_cast<std::int64_t>(i);
      Node copy = node;
      copy.original_id = static_cast<std::int64_t>(graph_.nodes.size());
      copy.name = "bw/" + node.name;
      copy.backward = true;
      for (double& time : copy.time) time *= 2;
      copy.memory = node.memory * 3;  // gradient and two moments
      twin[NodeId(i)] = graph_.nodes.push_back(copy);
      cost_.push_back(cost_[NodeId(i)]);
    }
    for (const Edge& edge : forward) graph_.edges.push_back({twin[edge.to], twin[edge.from], cost_[edge.to]});
    for (std::size_t i = 0; i < count; ++i) {
      if (graph_.nodes[NodeId(i)].time[0] > 0) graph_.edges.push_back({NodeId(i), twin[NodeId(i)], cost_[NodeId(i)]});
    }
    twin_ = twin;
  }

  // A backward node without a twin: one per layer, fed by the layer's last gradient.
  void add_orphan(const std::string& name, NodeId forward) {
    const NodeId v = add(name, kPointwise, 0, kActivationCost, {twin_[forward]});
    graph_.nodes[v].backward = true;
  }

  Graph take() { return std::move(graph_); }

 private:
  Graph graph_;
  IdVector<NodeId, double> cost_;
  IdVector<NodeId, NodeId> twin_;
  std::mt19937_64 engine_;
};

struct Shared {
  NodeId mask;
  NodeId cosines;
  NodeId sines;
};

NodeId add_norm(Builder& b, const std::string& prefix, NodeId x) {
  const NodeId square = b.add(prefix + "pow", kPointwise, 0, kActivationCost, {x});
  const NodeId mean = b.add(prefix + "mean", kPointwise, 0, 0.01, {square});
  const NodeId scale = b.add(prefix + "rsqrt", kPointwise / 2, 0, 0.01, {mean});
  return b.add(prefix + "mul", kPointwise, 4096, kActivationCost, {x, scale});
}

// A projection to heads, as a matmul and the two views that follow it.
NodeId add_heads(Builder& b, const std::string& prefix, NodeId x) {
  const NodeId linear = b.add(prefix + "mm", kMatmul, kHiddenWeights, kActivationCost, {x});
  return b.view(prefix + "transpose", b.view(prefix + "view", linear));
}

NodeId add_rotary(Builder& b, const std::string& prefix, NodeId x, const Shared& shared) {
  const NodeId straight = b.add(prefix + "cos", kPointwise, 0, kActivationCost, {x, shared.cosines});
  const NodeId rotated = b.add(prefix + "sin", kPointwise, 0, kActivationCost, {x, shared.sines});
  return b.add(prefix + "add", kPointwise, 0, kActivationCost, {straight, rotated});
}

NodeId add_layer(Builder& b, std::size_t layer, NodeId x, const Shared& shared) {
  const std::string prefix = "layer" + std::to_string(layer) + "/";
  const NodeId normed = add_norm(b, prefix + "norm1/", x);
  const NodeId q = add_rotary(b, prefix + "q/rotary/", add_heads(b, prefix + "q/", normed), shared);
  const NodeId k = add_rotary(b, prefix + "k/rotary/", add_heads(b, prefix + "k/", normed), shared);
  const NodeId v = add_heads(b, prefix + "v/", normed);
  const NodeId scores = b.add(prefix + "scores", kAttention, 0, 4 * kActivationCost, {q, k});
  const NodeId masked = b.add(prefix + "mask", kPointwise, 0, 4 * kActivationCost, {scores, shared.mask});
  const NodeId weights = b.add(prefix + "softmax", 2 * kPointwise, 0, 4 * kActivationCost, {masked});
  const NodeId context = b.add(prefix + "context", kAttention, 0, kActivationCost, {weights, v});
  const NodeId joined = b.view(prefix + "reshape", context);
  const NodeId output = b.add(prefix + "output", kMatmul, kHiddenWeights, kActivationCost, {joined});
  const NodeId residual = b.add(prefix + "residual1", kPointwise, 0, kActivationCost, {x, output});
  const NodeId normed2 = add_norm(b, prefix + "norm2/", residual);
  const NodeId gate = b.add(prefix + "gate", 3 * kMatmul, 3 * kHiddenWeights, 3 * kActivationCost, {normed2});
  const NodeId silu = b.add(prefix + "silu", kPointwise, 0, 3 * kActivationCost, {gate});
  const NodeId up = b.add(prefix + "up", 3 * kMatmul, 3 * kHiddenWeights, 3 * kActivationCost, {normed2});
  const NodeId product = b.add(prefix + "product", kPointwise, 0, 3 * kActivationCost, {silu, up});
  const NodeId down = b.add(prefix + "down", 3 * kMatmul, 3 * kHiddenWeights, kActivationCost, {product});
  return b.add(prefix + "residual2", kPointwise, 0, kActivationCost, {residual, down});
}

}  // namespace

Workload transformer(const TransformerOptions& options) {
  Builder b(options.seed);
  const NodeId tokens = b.add("tokens", 0, 0, 0.01, {});
  const NodeId positions = b.add("positions", 0, 0, 0.01, {});
  Shared shared;
  shared.mask = b.view("mask/expand", b.add("mask", kPointwise, 0, kActivationCost, {tokens}));
  shared.cosines = b.add("cos", kPointwise, 0, 0.02, {positions});
  shared.sines = b.add("sin", kPointwise, 0, 0.02, {positions});
  NodeId x = b.add("embedding", kPointwise, 32 * kHiddenWeights, kActivationCost, {tokens});
  std::vector<NodeId> layer_ends;
  for (std::size_t layer = 0; layer < options.layers; ++layer) {
    x = add_layer(b, layer, x, shared);
    layer_ends.push_back(x);
  }
  const NodeId last = add_norm(b, "norm/", x);
  b.add("logits", 32 * kMatmul, 32 * kHiddenWeights, 4 * kActivationCost, {last});
  if (options.training) {
    b.mirror();
    for (std::size_t layer = 0; layer < layer_ends.size(); ++layer) {
      b.add_orphan("bw/layer" + std::to_string(layer) + "/norm-of-gradient", layer_ends[layer]);
    }
  }

  Workload workload;
  workload.name = "transformer-" + std::to_string(options.layers) + (options.training ? "-training" : "-inference");
  workload.graph = b.take();
  double total = 0;
  double largest = 0;
  for (const Node& node : workload.graph.nodes) {
    total += node.memory;
    largest = std::max(largest, node.memory);
  }
  const double memory = options.memory_slack * total / std::max(1, options.accelerators) + 4 * largest;
  workload.platform = make_platform(options.accelerators, memory, options.hosts);
  return workload;
}

Workload transformer_of_size(std::size_t nodes, bool training) {
  TransformerOptions options;
  options.training = training;
  options.layers = 1;
  const std::size_t one = transformer(options).graph.nodes.size();
  options.layers = 2;
  const std::size_t per_layer = transformer(options).graph.nodes.size() - one;
  options.layers = nodes > one ? 1 + (nodes - one) / per_layer : 1;
  return transformer(options);
}

}  // namespace partita::detail
