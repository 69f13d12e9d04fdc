// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "partita/read/onnx/families.h"
#include "partita/read/onnx/layers.h"
#include "partita/read/onnx/weights.h"
#include "partita/read/onnx/work.h"
#include "partita/util/error.h"
#include "partita/util/union_find.h"
#include "partita/util/visible_text.h"

namespace partita::detail::onnx {

namespace {

// "a, b, c, ..."
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t kMostShown = 5;
  const bool all = names.size() <= kMostShown;
  if (!all) names.resize(kMostShown);
  for (std::string& name : names) name = visible(name, kLongestShownName);
  return fmt::format("{}{}", fmt::join(names, ", "), all ? "" : ", ...");
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

class Builder {
 public:
  Builder(FlatModel& model, Network& network) : model_(model), network_(network), weights_(model, network) {}

  void run() {
    for (ValueId input : model_.graph.inputs) {
      if (!model_.values[input].weight) network_.inputs.push_back(tensor(input));
    }
    std::size_t index = 0;
    for (FlatNode& node : model_.graph.nodes) {
      const std::size_t place = index++;
      if (!node.folded) add(node, place);
    }
    for (ValueId output : model_.graph.outputs) {
      // An output that is a constant is nobody's work.
      if (output.valid() && tensors_.contains(output)) network_.outputs.push_back(tensors_.at(output));
    }
    if (network_.operators.empty()) {
      throw InputError(ErrorKind::BadGraph, model_.file->source,
                       "everything in the graph is constant, expected operators that read the model's inputs");
    }
    glue_sequences();
    find_layers(network_, scopes_);
  }

  void add_notes(const Symbols& symbols) {
    for (const auto& [domain, names] : unknown_domains_) {
      note(fmt::format(
          "{} of the domain '{}', which is not known here: work unknown, shapes as far as the file gives them: {}",
          counted(names.size(), "operator", "operators"), visible(domain, kLongestShownName), some_of(names)));
    }
    if (!symbols.unset().empty()) {
      note(fmt::format("{} not fixed by the file: {}: set it with ReadNetworkOptions::dimensions",
                       counted(symbols.unset().size(), "dimension of the inputs is", "dimensions of the inputs are"),
                       some_of(symbols.unset())));
    }
    if (!unknown_shapes_.empty()) {
      note(fmt::format("{} unknown shapes: {}", counted(unknown_shapes_.size(), "operator has", "operators have"),
                       some_of(unknown_shapes_)));
    }
    if (!open_loops_.empty()) {
      note(fmt::format("how often {} not known, and their work is counted once: {}",
                       counted(open_loops_.size(), "loop runs is", "loops run is"), some_of(open_loops_)));
    }
    if (!model_.contradictions.empty()) {
      std::vector<std::string> names;
      for (ValueId id : model_.contradictions) names.push_back(model_.values[id].name);
      note(fmt::format("the file says something else than follows from its operators about {}: {}",
                       counted(names.size(), "value", "values"), some_of(names)));
    }
    if (renamed_ > 0) {
      note(fmt::format("{} the name of another: '#2' and so on was added",
                       counted(renamed_, "operator has", "operators have")));
    }
    if (model_.view->ir_version > kNewestIr) {
      note(fmt::format("IR version {} is newer than {}, for which this was written", model_.view->ir_version,
                       kNewestIr));
    }
  }

 private:
  void note(std::string text) { network_.notes.push_back(std::move(text)); }

  TensorId tensor(ValueId id) {
    const auto at = tensors_.find(id);
    if (at != tensors_.end()) return at->second;
    const Value& value = model_.values[id];
    Tensor tensor;
    tensor.name = value.name;
    tensor.type.type = value.type;
    if (value.kind == TypeKind::Tensor && is_known(value.shape)) tensor.type.shape = value.shape;
    // No machine holds more: such a shape is a mistake, and sums with it would be too.
    constexpr double kMostElements = 1e15;
    if (tensor.type.elements().value_or(0) > kMostElements) tensor.type.shape.reset();
    const TensorId made = network_.tensors.push_back(std::move(tensor));
    tensors_.emplace(id, made);
    return made;
  }

  std::string unique_name(const FlatNode& node, std::size_t place) {
    const std::string name = node.name.empty() ? fmt::format("{}_{}", node.kind(), place) : node.name;
    std::size_t& uses = names_[name];
    if (++uses == 1) return name;
    ++renamed_;
    std::string other;
    do {
      other = fmt::format("{}#{}", name, uses++);
    } while (names_.contains(other));
    names_[other] = 1;
    return other;
  }

  // What a body's nodes hold, and the bodies in it.
  void add_body_weights(const FlatGraph& body, std::vector<WeightId>& weights) {
    const auto add = [&](ValueId id) {
      if (id.valid() && model_.values[id].is_constant()) weights.push_back(weights_.weight(id));
    };
    for (const FlatNode& node : body.nodes) {
      if (node.folded) continue;
      std::ranges::for_each(node.inputs, add);
      for (const FlatGraph& inner : node.bodies) add_body_weights(inner, weights);
    }
    std::ranges::for_each(body.outputs, add);
  }

  void add(FlatNode& node, std::size_t place) {
    Operator op;
    op.name = unique_name(node, place);
    op.kind = std::string(node.kind());
    op.domain = std::string(node.domain());
    op.family = family_of(model_, node);
    if (!is_known_domain(node.domain())) unknown_domains_[op.domain].push_back(op.name);
    const auto reads = [&](ValueId id) {
      if (!id.valid()) return;
      if (model_.values[id].is_constant()) {
        op.weights.push_back(weights_.weight(id));
      } else {
        op.inputs.push_back(tensor(id));
      }
    };
    std::ranges::for_each(node.inputs, reads);
    std::ranges::for_each(node.captures, reads);
    for (const FlatGraph& body : node.bodies) add_body_weights(body, op.weights);
    keep_first(op.inputs);
    keep_first(op.weights);
    for (ValueId id : node.outputs) {
      if (id.valid()) op.outputs.push_back(tensor(id));
    }
    op.flops = flops_of(model_, node, op.family, open_loops_);
    op.moved_bytes = moved_bytes_of(model_, node, op.family);
    op.arithmetic = arithmetic(node, op.family);
    const bool uncounted =
        !op.flops && op.family != OperatorFamily::Other;  // of others, nobody knows the work of any shape
    if (uncounted || has_unknown_shape(node)) unknown_shapes_.push_back(op.name);
    const OperatorId id = network_.operators.push_back(std::move(op));
    scopes_.emplace_back(node.view->scopes);
    const auto glue = [&](ValueId value) {
      if (value.valid() && is_glue(model_.values[value])) glued_[value].push_back(id);
    };
    std::ranges::for_each(node.inputs, glue);
    std::ranges::for_each(node.captures, glue);
    std::ranges::for_each(node.outputs, glue);
  }

  static bool is_glue(const Value& value) {
    return value.kind != TypeKind::Tensor && value.kind != TypeKind::Sparse && value.kind != TypeKind::Missing;
  }

  bool has_unknown_shape(const FlatNode& node) const {
    const auto is_unknown = [this](ValueId id) {
      return id.valid() && !is_glue(model_.values[id]) && !is_known(model_.values[id].shape);
    };
    return std::ranges::any_of(node.inputs, is_unknown) || std::ranges::any_of(node.outputs, is_unknown);
  }

  template <class IdT>
  static void keep_first(std::vector<IdT>& ids) {
    std::unordered_set<IdT> seen;
    std::erase_if(ids, [&seen](IdT id) { return !seen.insert(id).second; });
  }

  // Products compute in the type of what they are given, all others in the type of what they make, unless that is the
  // answer to a question about numbers.
  DataType arithmetic(const FlatNode& node, OperatorFamily family) const {
    const auto type = [this](const std::vector<ValueId>& ids) {
      return ids.empty() || !ids[0].valid() ? DataType::Unknown : model_.values[ids[0]].type;
    };
    const DataType given = type(node.inputs), made = type(node.outputs);
    const bool is_product =
        family == OperatorFamily::MatrixProduct || is_convolution(family) || family == OperatorFamily::Attention;
    const bool is_answer = (made == DataType::Bool || made == DataType::Int64) && is_real(given);
    return (is_product || is_answer) && given != DataType::Unknown ? given : made;
  }

  // Sequences and optionals have no size that could be moved: who makes one and who reads it share a device.
  void glue_sequences() {
    UnionFind<OperatorId> sets(network_.operators.size());
    std::vector<OperatorId> touched;
    for (const auto& [value, operators] : glued_) {
      for (OperatorId op : operators) {
        if (sets.join(operators.front(), op)) touched.push_back(op);
      }
      if (operators.size() > 1) touched.push_back(operators.front());
    }
    std::ranges::sort(touched);
    std::map<OperatorId, std::int64_t> numbers;
    for (OperatorId op : touched) {
      const OperatorId root = sets.find(op);
      const auto at = numbers.emplace(root, static_cast<std::int64_t>(numbers.size())).first;
      network_.operators[op].together = at->second;
    }
  }

  FlatModel& model_;
  Network& network_;
  WeightTable weights_;
  std::unordered_map<ValueId, TensorId> tensors_;
  std::unordered_map<std::string, std::size_t> names_;
  std::vector<std::string> scopes_;
  std::map<ValueId, std::vector<OperatorId>> glued_;
  std::map<std::string, std::vector<std::string>> unknown_domains_;
  std::vector<std::string> unknown_shapes_, open_loops_;
  std::size_t renamed_ = 0;
};

}  // namespace

Network to_network(FlatModel& model, const Symbols& symbols) {
  Network network;
  network.name = std::string(model.view->graph.name);
  Builder builder(model, network);
  builder.run();
  builder.add_notes(symbols);
  return network;
}

}  // namespace partita::detail::onnx
