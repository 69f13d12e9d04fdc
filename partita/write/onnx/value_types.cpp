// SPDX-License-Identifier: Apache-2.0
#include "partita/write/onnx/value_types.h"

#include <fmt/format.h>

#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::onnx {

namespace {

// The number of a type in TensorProto.DataType; 0 where several have it.
std::int64_t code_of(DataType type) {
  if (type == DataType::Unknown || type == DataType::Float8) return 0;
  constexpr std::int64_t kMostCodes = 64;
  for (std::int64_t code = 1; code < kMostCodes; ++code) {
    if (element_type(code) == type) return code;
  }
  return 0;
}

OpenExtent open_extent(const Dimension& declared, std::int64_t inferred, bool doubtful) {
  if (is_known(inferred) && (!declared.value || *declared.value == inferred)) {
    if (!declared.symbol.empty() && !doubtful) return std::string(declared.symbol);
    return inferred;
  }
  if (doubtful) return {};
  if (declared.value) return *declared.value;
  if (!declared.symbol.empty()) return std::string(declared.symbol);
  return {};
}

}  // namespace

ValueTypes::ValueTypes(const CutGraph& graph, const FlatModel& open) : graph_(graph), open_(open) {
  declared_.assign(graph.model->values.size(), nullptr);
  const GraphView& view = graph.model->view->graph;
  for (const std::vector<ValueView>* values : {&view.inputs, &view.outputs, &view.values}) {
    declare(*values, graph.model->names);
  }
  for (const auto& [call, prefix] : graph.prefix) {
    if (call != nullptr) declare(call->function->values, call->names);
  }
}

void ValueTypes::declare(const std::vector<ValueView>& values, const NameTable& names) {
  for (const ValueView& value : values) {
    const auto at = names.find(value.name);
    if (at == names.end() || !at->second.valid()) continue;
    const ValueView*& declared = declared_[at->second];
    if (declared == nullptr && value.type.kind != TypeKind::Missing) declared = &value;
  }
}

ValueType ValueTypes::type(ValueId id) const {
  ValueType result;
  const Value& value = open_.values[id];
  const TypeView* declared = declared_[id] == nullptr ? nullptr : &declared_[id]->type;
  const TypeKind kind = declared != nullptr ? declared->kind : value.kind;
  result.sequence = kind == TypeKind::Sequence && declared == nullptr;
  if (kind != TypeKind::Tensor && !result.sequence) return result;
  result.code = declared != nullptr && declared->element_code != 0 ? declared->element_code : code_of(value.type);
  const DataType type = element_type(result.code);
  if (type != DataType::Unknown) result.type = to_string(type);
  const Value& sized = graph_.model->values[id];
  if (!result.sequence && is_known(sized.shape)) result.bytes = TensorType{type, sized.shape}.bytes();

  const bool doubtful = open_.contradictions.contains(id);
  const std::vector<Dimension>* dims = declared != nullptr && declared->shape ? &*declared->shape : nullptr;
  if (dims == nullptr && !value.shape) return result;
  if (dims != nullptr && value.shape && dims->size() != value.shape->size()) return result;
  const std::size_t axes = dims != nullptr ? dims->size() : value.shape->size();
  std::vector<OpenExtent>& shape = result.shape.emplace();
  for (std::size_t i = 0; i < axes; ++i) {
    shape.push_back(open_extent(dims != nullptr ? (*dims)[i] : Dimension{},
                                value.shape ? (*value.shape)[i] : kUnknownExtent, doubtful));
  }
  return result;
}

Rope ValueTypes::info(ValueId id) const {
  const ValueType type = this->type(id);
  Rope rope;
  if (type.code == 0) {
    // Sequences, optionals and maps: as the file says, or not at all.
    const ValueView* declared = declared_[id];
    if (declared != nullptr && declared->type.kind != TypeKind::Tensor && declared->name == graph_.name[id]) {
      rope.copy(declared->range);
      return rope;
    }
    throw InputError(ErrorKind::Unsupported, graph_.model->file->source,
                     fmt::format("the type of '{}', which the plan cuts, is not known; save the model with the types "
                                 "of its values (onnx.shape_inference), or plan who makes and who reads it together",
                                 visible(graph_.name[id], kLongestShownName)));
  }
  Rope tensor;
  tensor.number(1, type.code);
  if (type.shape) {
    Rope shape;
    for (const OpenExtent& extent : *type.shape) {
      Rope dimension;
      if (const std::int64_t* size = std::get_if<std::int64_t>(&extent)) dimension.number(1, *size);
      if (const std::string* symbol = std::get_if<std::string>(&extent)) dimension.text(2, *symbol);
      shape.message(1, dimension);
    }
    tensor.message(2, shape);
  }
  Rope kind;
  if (type.sequence) {
    Rope element, sequence;
    element.message(1, tensor);
    sequence.message(1, element);
    kind.message(4, sequence);
  } else {
    kind.message(1, tensor);
  }
  rope.text(1, graph_.name[id]);
  rope.message(2, kind);
  return rope;
}

}  // namespace partita::detail::onnx
