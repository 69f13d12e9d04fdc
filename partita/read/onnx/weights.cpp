// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::onnx {

namespace {

// The same numbers in another layout, type or width, or some of them.
bool copies(const FlatNode& node) {
  static constexpr std::array<std::string_view, 15> kKinds{
      "Identity", "Reshape", "Squeeze",          "Unsqueeze",      "Flatten", "Transpose",      "Cast",    "Slice",
      "Concat",   "Split",   "DequantizeLinear", "QuantizeLinear", "Gather",  "GatherElements", "GatherND"};
  return std::ranges::find(kKinds, node.kind()) != kKinds.end();
}

ValueId stored(const FlatModel& model, ValueId id) {
  const ValueId viewed = model.values[id].view_of;
  return viewed.valid() ? viewed : id;
}

struct Uses {
  std::set<ValueId> calculated, trained;
};

void find_uses(const FlatModel& model, const FlatGraph& graph, Uses& uses) {
  for (const FlatNode& node : graph.nodes) {
    for (const FlatGraph& body : node.bodies) find_uses(model, body, uses);
    const bool fixed = std::ranges::any_of(
        node.outputs, [&model](ValueId output) { return output.valid() && model.values[output].fixed; });
    if (fixed && (node.folded || copies(node))) continue;
    std::set<ValueId>& kind_of_use = fixed ? uses.calculated : uses.trained;
    for (ValueId input : node.inputs) {
      if (input.valid() && model.values[input].is_constant()) kind_of_use.insert(stored(model, input));
    }
  }
}

// MatMulNBits packs its matrix [N, K] into bytes.
void find_packed(const FlatModel& model, const FlatGraph& graph, std::map<ValueId, double>& packed) {
  for (const FlatNode& node : graph.nodes) {
    for (const FlatGraph& body : node.bodies) find_packed(model, body, packed);
    const bool packs = node.domain() == "com.microsoft" && node.kind() == "MatMulNBits";
    if (!packs || node.inputs.size() < 2 || !node.inputs[1].valid()) continue;
    const AttributeView *rows = find_attribute(node, "N"), *columns = find_attribute(node, "K");
    if (rows == nullptr || columns == nullptr || rows->i.value_or(0) < 1 || columns->i.value_or(0) < 1) continue;
    packed[stored(model, node.inputs[1])] = static_cast<double>(*rows->i) * static_cast<double>(*columns->i);
  }
}

double stored_bytes(const Value& value) {
  const TensorType type{value.type, value.shape};
  if (value.sparse != nullptr) {
    const TensorType values{value.sparse->values.type, value.sparse->values.dims};
    const TensorType indices{value.sparse->indices.type, value.sparse->indices.dims};
    return values.bytes().value_or(0) + indices.bytes().value_or(0);
  }
  if (value.tensor != nullptr && value.tensor->type == DataType::String) return value.tensor->text_bytes;
  if (const std::optional<double> bytes = type.bytes()) return *bytes;
  // An element type that is newer than this reader.
  if (value.tensor != nullptr && value.tensor->raw) return static_cast<double>(value.tensor->raw->size());
  if (value.tensor != nullptr && value.tensor->length)
    return static_cast<double>(std::max<std::int64_t>(*value.tensor->length, 0));
  return 0;
}

// Integers of a byte or less are weights that were quantised; wider ones are indices and shapes.
bool is_quantised(DataType type) {
  return is_integer(type) && type != DataType::Bool && bits_of(type).value_or(64) <= 8;
}

}  // namespace

std::set<ValueId> only_calculated_with(const FlatModel& model) {
  Uses uses;
  find_uses(model, model.graph, uses);
  for (ValueId id : uses.trained) uses.calculated.erase(id);
  return uses.calculated;
}

std::map<ValueId, double> packed_weights(const FlatModel& model) {
  std::map<ValueId, double> packed;
  find_packed(model, model.graph, packed);
  return packed;
}

double WeightTable::parameters(ValueId id, const Value& value) const {
  if (!value.weight || tables_.contains(id) || !value.shape || value.shape->empty()) return 0;
  const double count = TensorType{value.type, value.shape}.elements().value_or(0);
  const auto packed = packed_.find(id);
  if (packed != packed_.end() && packed->second <= 8 * count) return packed->second;
  if (is_real(value.type))
    return value.sparse != nullptr ? TensorType{value.type, value.sparse->values.dims}.elements().value_or(0) : count;
  return is_quantised(value.type) && value.shape->size() >= 2 ? count : 0;
}

WeightId WeightTable::weight(ValueId id) {
  const ValueId viewed = model_.values[id].view_of;
  if (viewed.valid()) id = viewed;
  if (const auto at = made_.find(id); at != made_.end()) return at->second;
  const Value& value = model_.values[id];
  Weight weight;
  weight.name = value.name;
  weight.type = {value.type, value.shape};
  weight.bytes = stored_bytes(value);
  weight.parameters = parameters(id, value);
  constexpr double kMostBytes = 1e15;
  if (!(weight.bytes <= kMostBytes)) {
    throw InputError(ErrorKind::BadNumber, model_.file->source,
                     fmt::format("the tensor '{}' has {:.3g} bytes, expected at most {:.0e}",
                                 visible(value.name, kLongestShownName), weight.bytes, kMostBytes));
  }
  const WeightId made = network_.weights.push_back(std::move(weight));
  made_.emplace(id, made);
  return made;
}

}  // namespace partita::detail::onnx
