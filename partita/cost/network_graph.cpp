// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/network_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "partita/cost/operator_work.h"
#include "partita/read/names_in_short.h"
#include "partita/util/union_find.h"

namespace partita::detail {

namespace {

std::string output_text(const Network& network, std::span<const TensorId> outputs) {
  std::string text;
  for (TensorId t : outputs.first(std::min<std::size_t>(outputs.size(), 3)))
    text += (text.empty() ? "" : ", ") + to_string(network.tensors[t].type);
  return outputs.size() > 3 ? fmt::format("{} and {} more", text, outputs.size() - 3) : text;
}

class Builder {
 public:
  Builder(const Network& network, double cost_of_a_byte) : network_(network), cost_of_a_byte_(cost_of_a_byte) {
    result_.node_of.assign(network.operators.size(), NodeId());
    result_.source.assign(network.tensors.size(), NodeId());
    IdVector<TensorId, bool> read(network.tensors.size(), false);
    for (const Operator& op : network.operators)
      for (TensorId t : op.inputs) read[t] = true;
    read_ = std::move(read);
  }

  NetworkGraph build(SharedWeights shared_weights, std::span<const std::vector<OperatorId>> fused) {
    for (TensorId t : network_.inputs) {
      if (read_[t]) add_input(t);
    }
    for (OperatorId o : network_.operators.all()) add_operator(o);
    for (const std::vector<OperatorId>& group : fused)
      for (OperatorId o : group)
        if (o != group.front()) joined_.emplace_back(result_.node_of[group.front()], result_.node_of[o]);
    colour(shared_weights);
    tell_unknown();
    return std::move(result_);
  }

 private:
  NodeId add_node(std::string name, const Work& work) {
    Node node;
    node.original_id = static_cast<std::int64_t>(result_.graph.nodes.size());
    node.name = std::move(name);
    node.facts.family = to_string(work.family);
    node.facts.flops = work.flops;
    node.facts.moved_bytes = work.bytes;
    result_.work.push_back(work);
    result_.made_of.push_back(OperatorId());
    result_.mirror_of.push_back(NodeId());
    return result_.graph.nodes.push_back(std::move(node));
  }

  void describe_output(NodeId v, std::span<const TensorId> outputs) {
    Node& node = result_.graph.nodes[v];
    node.facts.output = output_text(network_, outputs);
    node.output_bytes = bytes_of(network_, {outputs.begin(), outputs.end()});
  }

  void add_input(TensorId t) {
    const NodeId v = add_node(network_.tensors[t].name, {.family = OperatorFamily::Source, .flops = 0, .bytes = 0});
    result_.graph.nodes[v].op = "input";
    describe_output(v, std::span(&t, 1));
    result_.source[t] = v;
  }

  void add_operator(OperatorId o) {
    const Operator& op = network_.operators[o];
    const NodeId v = add_node(op.name, work_of(network_, op));
    result_.node_of[o] = v;
    result_.made_of[v] = o;
    Node& node = result_.graph.nodes[v];
    node.op = op.domain.empty() ? op.kind : op.domain + "." + op.kind;
    node.layer = op.layer;
    node.parts.weights = weight_bytes(network_, op);
    node.parts.activation = op.state_bytes;
    node.memory = node.parts.weights + node.parts.activation;
    describe_output(v, op.outputs);
    add_edges_into(v, op);
    add_outputs(v, op);
  }

  void add_edges_into(NodeId v, const Operator& op) {
    std::set<NodeId> seen;  // two outputs of one operator that is one node, read by one: one edge
    for (TensorId t : op.inputs) {
      const NodeId from = result_.source[t];
      if (from.valid() && seen.insert(from).second) result_.graph.edges.push_back({from, v, cost(t)});
    }
  }

  void add_outputs(NodeId v, const Operator& op) {
    std::vector<TensorId> read;
    std::ranges::copy_if(op.outputs, std::back_inserter(read), [this](TensorId t) { return read_[t]; });
    if (read.size() <= 1) {
      for (TensorId t : read) {
        result_.source[t] = v;
        result_.graph.nodes[v].facts.tensor = network_.tensors[t].name;
        describe_output(v, std::span(&t, 1));
      }
      return;
    }
    for (TensorId t : read) {
      const NodeId apart = add_node(network_.tensors[t].name, {.family = OperatorFamily::View, .flops = 0, .bytes = 0});
      result_.graph.nodes[apart].op = "output";
      result_.graph.nodes[apart].layer = op.layer;
      describe_output(apart, std::span(&t, 1));
      result_.graph.edges.push_back({v, apart, 0});
      result_.source[t] = apart;
      joined_.emplace_back(v, apart);
    }
  }

  double cost(TensorId t) {
    const std::optional<double> bytes = network_.tensors[t].type.bytes();
    if (!bytes) unknown_tensors_.insert(t);
    return bytes.value_or(0) * cost_of_a_byte_;
  }

  // Nodes that share a device: outputs apart with their operator, operators that say so, users of a weight where asked.
  void colour(SharedWeights shared_weights) {
    std::map<std::int64_t, NodeId> first;
    IdVector<WeightId, NodeId> user(network_.weights.size(), NodeId());
    std::set<WeightId> shared;
    for (OperatorId o : network_.operators.all()) {
      const Operator& op = network_.operators[o];
      const NodeId v = result_.node_of[o];
      if (op.together) {
        const auto [entry, is_new] = first.emplace(*op.together, v);
        if (!is_new) joined_.emplace_back(entry->second, v);
      }
      for (WeightId w : op.weights) {
        if (user[w].valid() && user[w] != v) {
          if (network_.weights[w].parameters > 0) shared.insert(w);
          if (shared_weights == SharedWeights::Together) joined_.emplace_back(user[w], v);
        }
        user[w] = v;
      }
    }
    UnionFind<NodeId> sets(result_.graph.nodes.size());
    for (const auto& [a, b] : joined_) sets.join(a, b);
    for (const auto& [a, b] : joined_) {
      for (NodeId v : {a, b}) result_.graph.nodes[v].colour = static_cast<std::int64_t>(sets.find(v).index());
    }
    tell_shared(shared, shared_weights);
  }

  void tell_shared(const std::set<WeightId>& shared, SharedWeights shared_weights) {
    std::vector<std::string> names;
    double bytes = 0;
    for (WeightId w : shared) {
      names.push_back(network_.weights[w].name);
      bytes += network_.weights[w].bytes;
    }
    constexpr double kWorthTelling = 1e6;  // bytes; exporters share small constants that happen to be equal
    if (bytes < kWorthTelling) return;
    result_.notes.push_back(fmt::format("{} weight(s) of {:.3g} MB are used by several operators ({}): {}",
                                        shared.size(), bytes / 1e6, names_in_short(names),
                                        shared_weights == SharedWeights::Copied
                                            ? "each of these operators has a copy, and its memory counts for each"
                                            : "these operators share a device"));
  }

  void tell_unknown() {
    std::vector<std::string> operators, tensors;
    for (OperatorId o : network_.operators.all()) {
      const Work& work = result_.work[result_.node_of[o]];
      if (!work.flops || !work.bytes) operators.push_back(network_.operators[o].name);
    }
    for (TensorId t : unknown_tensors_) tensors.push_back(network_.tensors[t].name);
    if (!operators.empty()) {
      result_.notes.push_back(
          fmt::format("the work of {} operator(s) is not known, and only what is known of it counts: {}",
                      operators.size(), names_in_short(operators)));
    }
    if (!tensors.empty()) {
      result_.notes.push_back(fmt::format("the size of {} tensor(s) is not known, and they move for nothing: {}",
                                          tensors.size(), names_in_short(tensors)));
    }
  }

  const Network& network_;
  double cost_of_a_byte_;
  IdVector<TensorId, bool> read_;
  std::vector<std::pair<NodeId, NodeId>> joined_;
  std::set<TensorId> unknown_tensors_;
  NetworkGraph result_;
};

}  // namespace

NetworkGraph graph_of_network(const Network& network, SharedWeights shared_weights, double cost_of_a_byte,
                              std::span<const std::vector<OperatorId>> fused) {
  return Builder(network, cost_of_a_byte).build(shared_weights, fused);
}

}  // namespace partita::detail
