// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace partita::detail::onnx {

namespace {

std::unordered_map<std::string_view, ShapeRule> all_rules() {
  std::unordered_map<std::string_view, ShapeRule> made;
  for (const auto rows :
       {elementwise_shapes(), window_shapes(), product_shapes(), reduction_shapes(), layout_shapes(), cutting_shapes(),
        lookup_shapes(), recurrent_shapes(), attention_shapes(), quantized_shapes(), control_shapes()}) {
    for (const ShapeRow& row : rows) made.emplace(row.kind, row.rule);
  }
  return made;
}

ShapeRule rule_of(const FlatNode& node) {
  static const std::unordered_map<std::string_view, ShapeRule> rules = all_rules();
  const auto at =
      node.domain().empty() ? rules.find(node.kind()) : rules.find(fmt::format("{}:{}", node.domain(), node.kind()));
  return at == rules.end() ? nullptr : at->second;
}

// Where inference is silent, the file's word counts. True: they contradict each other.
bool take_declared(Value& value) {
  const TypeView& type = *value.declared;
  if (type.kind != TypeKind::Missing && value.kind == TypeKind::Tensor) value.kind = type.kind;
  bool contradiction = false;
  if (value.type == DataType::Unknown) {
    value.type = type.element;
  } else if (type.element != DataType::Unknown && type.element != value.type) {
    contradiction = true;
  }
  if (!value.declared_shape) return contradiction;
  const std::vector<std::int64_t>& declared = *value.declared_shape;
  if (!value.shape) {
    value.shape = declared;
    return contradiction;
  }
  if (value.shape->size() != declared.size()) return true;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    std::int64_t& extent = (*value.shape)[i];
    if (!is_known(extent)) {
      extent = declared[i];
    } else if (is_known(declared[i]) && declared[i] != extent) {
      contradiction = true;
    }
  }
  return contradiction;
}

// The same bytes in another shape: of a weight it makes that weight again. Dropout does nothing in inference.
bool is_view(const FlatNode& node) {
  return node.is("Identity") || node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze") ||
         node.is("Flatten") || (node.is("Dropout") && node.outputs.size() == 1);
}

void clear(Value& value) {
  value.kind = TypeKind::Tensor;
  value.type = DataType::Unknown;
  value.shape.reset();
  value.weight = false;
  value.view_of = {};
  value.constant.reset();
  value.fixed = false;
}

void declare(FlatModel& model, Symbols& symbols) {
  for (Value& value : model.values) {
    if (value.declared != nullptr) value.declared_shape = symbols.shape(*value.declared);
  }
  for (ValueId input : model.graph.inputs) {
    Value& value = model.values[input];
    if (value.weight) continue;
    value.declared_shape = symbols.input_shape(*value.declared, value.name);
    value.type = value.declared->element;
    value.shape = value.declared_shape;
    value.kind = value.declared->kind;
  }
}

}  // namespace

DataType Inference::type(std::size_t i) const {
  return has(i) ? model_.values[node_.inputs[i]].type : DataType::Unknown;
}

const Shape& Inference::shape(std::size_t i) const {
  static const Shape none;
  return has(i) ? model_.values[node_.inputs[i]].shape : none;
}

std::int64_t Inference::extent(std::size_t i, std::int64_t axis) const {
  const Shape& from = shape(i);
  if (!from) return kUnknownExtent;
  const std::optional<std::size_t> at = axis_of(axis, from->size());
  return at ? (*from)[*at] : kUnknownExtent;
}

const Constant* Inference::constant(std::size_t i) const {
  return has(i) ? model_.values[node_.inputs[i]].constant.get() : nullptr;
}

std::optional<std::vector<std::int64_t>> Inference::integers(std::size_t i) const {
  const Constant* known = constant(i);
  if (known == nullptr || !is_integer(known->type) || !known->all_known()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const std::optional<std::int64_t>& number : known->integers) numbers.push_back(*number);
  return numbers;
}

std::int64_t Inference::integer(std::string_view name, std::int64_t otherwise) const {
  const AttributeView* found = attribute(name);
  return found == nullptr ? otherwise : found->i.value_or(0);
}

std::string_view Inference::text(std::string_view name, std::string_view otherwise) const {
  const AttributeView* found = attribute(name);
  return found == nullptr ? otherwise : found->s.value_or(std::string_view());
}

std::optional<std::vector<std::int64_t>> Inference::integers(std::string_view name) const {
  const AttributeView* found = attribute(name);
  return found == nullptr ? std::nullopt : std::optional(found->ints);
}

std::optional<std::vector<std::int64_t>> Inference::integers(std::string_view name, std::size_t input) const {
  return has(input) ? integers(input) : integers(name);
}

void Inference::set(std::size_t i, DataType type, Shape shape) {
  if (!wants(i)) return;
  Value& value = model_.values[node_.outputs[i]];
  value.type = type;
  if (shape && shape->size() <= kMostAxes) value.shape = std::move(shape);
}

void Inference::set_kind(std::size_t i, TypeKind kind) {
  if (wants(i)) model_.values[node_.outputs[i]].kind = kind;
}

void Inference::set_constant(std::size_t i, Constant constant) {
  if (!wants(i)) return;
  Value& value = model_.values[node_.outputs[i]];
  value.type = constant.type;
  value.shape = constant.shape;
  value.constant = std::make_shared<const Constant>(std::move(constant));
}

void same_shape(Inference& node) { node.set(0, node.type(0), node.shape(0)); }

void infer_graph(FlatModel& model, FlatGraph& graph) {
  for (FlatNode& node : graph.nodes) {
    for (ValueId id : node.outputs) {
      if (id.valid()) clear(model.values[id]);
    }
    Inference inference(model, node);
    if (const ShapeRule rule = rule_of(node)) rule(inference);
    if (node.domain().empty()) fold(inference);
    if (is_view(node) && inference.has(0) && inference.wants(0) && model.values[node.inputs[0]].weight) {
      const ValueId viewed = model.values[node.inputs[0]].view_of;
      Value& made = model.values[node.outputs[0]];
      made.weight = true;
      made.view_of = viewed.valid() ? viewed : node.inputs[0];
    }
    const bool fixed = node.bodies.empty() && std::ranges::all_of(node.inputs, [&model](ValueId id) {
                         return !id.valid() || model.values[id].is_constant() || model.values[id].fixed;
                       });
    bool folded = node.bodies.empty();
    for (ValueId id : node.outputs) {
      if (!id.valid()) continue;
      Value& value = model.values[id];
      if (value.declared != nullptr && take_declared(value)) model.contradictions.insert(id);
      value.fixed = fixed;
      folded &= value.is_constant();
    }
    node.folded = folded && !node.outputs.empty();
  }
}

void infer(FlatModel& model, Symbols& symbols) {
  declare(model, symbols);
  symbols.check_all_met(model.file->source);
  infer_graph(model, model.graph);
}

}  // namespace partita::detail::onnx
