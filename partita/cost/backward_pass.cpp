// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/backward_pass.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "partita/cost/convert_type.h"
#include "partita/cost/operator_work.h"

namespace partita::detail {

namespace {

bool multiplies(OperatorFamily family) {
  return family == OperatorFamily::MatrixProduct || is_convolution(family) || family == OperatorFamily::Attention ||
         family == OperatorFamily::Recurrent;
}

// The gradient of a sum is handed on as it is.
bool is_a_sum(const Operator& op) {
  static constexpr std::array<std::string_view, 6> kSums{"Add", "Sub", "Sum", "Neg", "BiasAdd", "residual"};
  return std::ranges::find(kSums, op.kind) != kSums.end();
}

bool reads_its_inputs_again(const Operator& op) {
  switch (op.family) {
    case OperatorFamily::View:
    case OperatorFamily::Movement:
    case OperatorFamily::Concatenation:
    case OperatorFamily::Reduction:
    case OperatorFamily::Softmax:
    case OperatorFamily::Source: return false;
    case OperatorFamily::Elementwise: return !is_a_sum(op);
    default: return true;
  }
}

bool reads_its_outputs_again(const Operator& op) {
  return op.family == OperatorFamily::Softmax || op.family == OperatorFamily::Attention ||
         op.family == OperatorFamily::Recurrent;
}

bool has_gradient(const Tensor& tensor) {
  const DataType type = tensor.type.type;
  return type == DataType::Unknown || type == DataType::Float8 || is_plain_float(type);
}

class Mirror {
 public:
  Mirror(const Network& network, Optimizer optimizer, NetworkGraph& made)
      : network_(network), optimizer_(optimizer), made_(made), mirrored_(made.graph.nodes.size(), NodeId()) {}

  void add() {
    find_trained();
    for (OperatorId o : network_.operators.all()) train(o);
    const std::size_t forward_nodes = made_.graph.nodes.size();
    const std::vector<Edge> forward_edges = made_.graph.edges;
    for (NodeId v : ids<NodeId>(forward_nodes)) {
      if (needs_gradient_[v]) mirrored_[v] = add_mirror(v);
    }
    for (const Edge& edge : forward_edges) {
      if (mirrored_[edge.from].valid() && mirrored_[edge.to].valid())
        made_.graph.edges.push_back({mirrored_[edge.to], mirrored_[edge.from], edge.cost});
    }
    for (OperatorId o : network_.operators.all()) keep_memory(o);
  }

 private:
  // Which nodes have a trained weight before them, or are one's: their gradients are asked for.
  void find_trained() {
    needs_gradient_.assign(made_.graph.nodes.size(), false);
    cost_out_.assign(made_.graph.nodes.size(), 0);
    for (OperatorId o : network_.operators.all()) {
      const Operator& op = network_.operators[o];
      const auto trained = [this](WeightId w) { return network_.weights[w].parameters > 0; };
      if (std::ranges::any_of(op.weights, trained)) needs_gradient_[made_.node_of[o]] = true;
    }
    // Edges stand in the order of the nodes that they enter, and these in topological order.
    for (const Edge& edge : made_.graph.edges) {
      cost_out_[edge.from] = edge.cost;
      if (!needs_gradient_[edge.from]) continue;
      const OperatorId o = made_.made_of[edge.to];
      const bool gradient = !o.valid() || std::ranges::any_of(network_.operators[o].outputs, [this](TensorId t) {
        return has_gradient(network_.tensors[t]);
      });
      if (gradient) needs_gradient_[edge.to] = true;
    }
  }

  NodeId add_mirror(NodeId v) {
    const Work backward = backward_work(v);
    Node node;
    const Node& forward = made_.graph.nodes[v];
    node.original_id = static_cast<std::int64_t>(made_.graph.nodes.size());
    node.name = forward.name + ".backward";
    node.op = forward.op + ".backward";
    node.layer = forward.layer;
    node.backward = true;
    node.facts.family = to_string(backward.family);
    node.facts.flops = backward.flops;
    node.facts.moved_bytes = backward.bytes;
    if (!made_.graph.nodes[v].colour)
      made_.graph.nodes[v].colour = first_new_colour() + static_cast<std::int64_t>(v.index());
    node.colour = made_.graph.nodes[v].colour;
    made_.work.push_back(backward);
    made_.made_of.push_back(OperatorId());
    made_.mirror_of.push_back(v);
    const NodeId mirror = made_.graph.nodes.push_back(std::move(node));
    // They share a device, so this edge is never paid for; it has the cost of v's other edges, of which it must not differ.
    made_.graph.edges.push_back({v, mirror, cost_out_[v]});
    return mirror;
  }

  // Colours in use are numbers of nodes, below this.
  std::int64_t first_new_colour() const { return static_cast<std::int64_t>(mirrored_.size()); }

  Work backward_work(NodeId v) const {
    Work work = made_.work[v];
    work.backward = true;
    const OperatorId o = made_.made_of[v];
    if (!o.valid()) return work;
    work = work_of_gradient(network_, network_.operators[o], work);
    if (work.flops && multiplies(work.family)) work.flops = static_cast<double>(gradients(o)) * *work.flops;
    return work;
  }

  // How many of the things that an operator multiplies get a gradient.
  int gradients(OperatorId o) const {
    const Operator& op = network_.operators[o];
    int count = 0;
    for (TensorId t : op.inputs) {
      const NodeId from = made_.source[t];
      if (from.valid() && needs_gradient_[from]) ++count;
    }
    const bool trains =
        std::ranges::any_of(op.weights, [this](WeightId w) { return network_.weights[w].parameters > 0; });
    return std::clamp(count, 0, trains ? 1 : 2) + (trains ? 1 : 0);
  }

  void keep_memory(OperatorId o) {
    const Operator& op = network_.operators[o];
    const NodeId v = made_.node_of[o];
    Node& node = made_.graph.nodes[v];
    node.parts.gradients = node.parts.optimizer_state = 0;
    for (WeightId w : op.weights) {
      const Weight& weight = network_.weights[w];
      if (weight.parameters <= 0) continue;
      node.parts.gradients += weight.bytes;
      node.parts.optimizer_state += weight.parameters * bytes_of_state(weight.type.type);
    }
    node.parts.activation = 0;
    for (TensorId t : op.outputs) {
      if (kept(o, t)) node.parts.activation += network_.tensors[t].type.bytes().value_or(0);
    }
    node.set_memory(std::nullopt, node.parts, std::nullopt);
  }

  void train(OperatorId o) {
    const NodeId v = made_.node_of[o];
    Work& work = made_.work[v];
    work = work_in_training(network_, network_.operators[o], work);
    made_.graph.nodes[v].facts.family = to_string(work.family);
    made_.graph.nodes[v].facts.moved_bytes = work.bytes;
  }

  // For each parameter: moments in fp32, and a copy of the weight in fp32 where it is kept in fewer bits.
  double bytes_of_state(DataType type) const {
    const double moments = optimizer_ == Optimizer::Adam ? 8 : 4;
    return moments + (bits_of(type).value_or(32) < 32 ? 4 : 0);
  }

  bool kept(OperatorId o, TensorId t) {
    if (readers_.empty()) {
      readers_.resize(network_.tensors.size());
      for (OperatorId reader : network_.operators.all())
        for (TensorId read : network_.operators[reader].inputs) readers_[read.index()].push_back(reader);
    }
    const auto is_mirrored = [this](OperatorId reader) { return mirrored_[made_.node_of[reader]].valid(); };
    if (is_mirrored(o) && reads_its_outputs_again(network_.operators[o])) return true;
    return std::ranges::any_of(readers_[t.index()], [&](OperatorId reader) {
      return is_mirrored(reader) && reads_its_inputs_again(network_.operators[reader]);
    });
  }

  const Network& network_;
  Optimizer optimizer_;
  NetworkGraph& made_;
  IdVector<NodeId, NodeId> mirrored_;  // by forward node; none where nothing is trained before it
  IdVector<NodeId, bool> needs_gradient_;
  IdVector<NodeId, double> cost_out_;  // of the edges out of a node, which agree
  std::vector<std::vector<OperatorId>> readers_;
};

}  // namespace

void add_backward_pass(const Network& network, Optimizer optimizer, NetworkGraph& made) {
  Mirror(network, optimizer, made).add();
}

}  // namespace partita::detail
