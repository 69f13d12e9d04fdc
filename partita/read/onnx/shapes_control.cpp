// SPDX-License-Identifier: Apache-2.0
// Operators with bodies, and those of sequences and optionals. A body is inferred like any graph, once its inputs have
// types; values that change from turn to turn keep only what is the same after a turn.
#include <algorithm>

#include "partita/read/onnx/inference.h"
#include "partita/read/onnx/trips.h"

namespace partita::detail::onnx {

namespace {

struct Type {
  DataType type = DataType::Unknown;
  Shape shape;
  TypeKind kind = TypeKind::Tensor;

  friend bool operator==(const Type&, const Type&) = default;
};

Type type_of(const FlatModel& model, ValueId id) {
  if (!id.valid()) return {};
  const Value& value = model.values[id];
  return {value.type, value.shape, value.kind};
}

// What holds of both.
Type common(const Type& a, const Type& b) {
  Type result = a;
  if (a.type != b.type) result.type = DataType::Unknown;
  if (a.kind != b.kind) result.kind = a.kind == TypeKind::Tensor ? b.kind : a.kind;
  if (!a.shape || !b.shape || a.shape->size() != b.shape->size()) {
    result.shape.reset();
  } else {
    for (std::size_t i = 0; i < a.shape->size(); ++i) {
      if ((*a.shape)[i] != (*b.shape)[i]) (*result.shape)[i] = kUnknownExtent;
    }
  }
  return result;
}

void set(Inference& node, std::size_t output, const Type& type) {
  node.set(output, type.type, type.shape);
  node.set_kind(output, type.kind);
}

void set_body_input(FlatModel& model, const FlatGraph& body, std::size_t i, const Type& type) {
  if (i >= body.inputs.size()) return;
  Value& value = model.values[body.inputs[i]];
  if (value.weight) return;
  value.kind = type.kind;
  value.type = type.type;
  value.shape = type.shape;
  if (value.declared == nullptr) return;
  if (value.type == DataType::Unknown) value.type = value.declared->element;
  if (!value.shape) value.shape = value.declared_shape;
  if (value.kind == TypeKind::Tensor && value.declared->kind != TypeKind::Missing) value.kind = value.declared->kind;
}

void branches(Inference& node) {
  for (FlatGraph& body : node.node().bodies) infer_graph(node.model(), body);
  const std::optional<std::size_t> taken = taken_branch(node);
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    std::optional<Type> type;
    for (std::size_t b = 0; b < node.node().bodies.size(); ++b) {
      const FlatGraph& body = node.node().bodies[b];
      if ((taken && b != *taken) || i >= body.outputs.size()) continue;
      const Type here = type_of(node.model(), body.outputs[i]);
      type = type ? common(*type, here) : here;
    }
    if (type) set(node, i, *type);
  }
}

// Infers a body whose first `carried` state variables begin as `state`, until they stay what they are: what changes in a
// turn is unknown, so that two rounds are enough but for the rank. `outputs_before`: outputs of the body before them.
void settle(Inference& node, FlatGraph& body, std::vector<Type>& state, std::size_t inputs_before,
            std::size_t outputs_before) {
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < state.size(); ++i) set_body_input(node.model(), body, inputs_before + i, state[i]);
    infer_graph(node.model(), body);
    bool same = true;
    for (std::size_t i = 0; i < state.size() && outputs_before + i < body.outputs.size(); ++i) {
      const Type merged = common(state[i], type_of(node.model(), body.outputs[outputs_before + i]));
      same &= merged == state[i];
      state[i] = merged;
    }
    if (same) return;
  }
}

// Inputs: trip count, condition, state. Body: iteration, condition, state -> condition, state, scan outputs.
void loop(Inference& node) {
  if (node.node().bodies.size() != 1) return;
  FlatGraph& body = node.node().bodies.front();
  set_body_input(node.model(), body, 0, {DataType::Int64, std::vector<std::int64_t>(), TypeKind::Tensor});
  set_body_input(node.model(), body, 1, {DataType::Bool, std::vector<std::int64_t>(), TypeKind::Tensor});
  std::vector<Type> state;
  for (std::size_t i = 2; i < node.inputs(); ++i) state.push_back(type_of(node.model(), node.node().inputs[i]));
  settle(node, body, state, 2, 1);
  const std::optional<std::int64_t> trips = trip_count(node);
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (i < state.size()) {
      set(node, i, state[i]);
    } else if (i + 1 < body.outputs.size()) {
      Type type = type_of(node.model(), body.outputs[i + 1]);
      if (type.shape)
        type.shape->insert(type.shape->begin(), trips && stops_only_by_count(node) ? *trips : kUnknownExtent);
      set(node, i, type);
    }
  }
}

// Inputs: state, then tensors that are scanned along an axis. Body: state, slices -> state, slices.
void scan(Inference& node) {
  if (node.node().bodies.size() != 1) return;
  FlatGraph& body = node.node().bodies.front();
  const std::int64_t count = node.integer("num_scan_inputs", 0);
  const bool old = node.opset() > 0 && node.opset() < 9;  // with a batch axis, and the lengths as first input
  const std::size_t first = old ? 1 : 0;
  const std::size_t given = node.inputs() >= first ? node.inputs() - first : 0;
  if (count < 0 || static_cast<std::size_t>(count) > given) return;
  const std::size_t states = given - static_cast<std::size_t>(count);
  const std::optional<std::vector<std::int64_t>> in_axes = node.integers("scan_input_axes"),
                                                 out_axes = node.integers("scan_output_axes");
  std::vector<Type> state;
  for (std::size_t i = 0; i < states; ++i) {
    state.push_back(type_of(node.model(), node.node().inputs[first + i]));
    if (old && state.back().shape && !state.back().shape->empty())
      state.back().shape->erase(state.back().shape->begin());
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    Type slice = type_of(node.model(), node.node().inputs[first + states + i]);
    if (old && slice.shape && !slice.shape->empty()) slice.shape->erase(slice.shape->begin());
    const std::int64_t axis = !old && in_axes && i < in_axes->size() ? (*in_axes)[i] : 0;
    const std::optional<std::size_t> at = slice.shape ? axis_of(axis, slice.shape->size()) : std::nullopt;
    if (at) {
      slice.shape->erase(slice.shape->begin() + static_cast<std::ptrdiff_t>(*at));
    } else {
      slice.shape.reset();
    }
    set_body_input(node.model(), body, states + i, slice);
  }
  settle(node, body, state, 0, 0);
  const std::optional<std::int64_t> trips = trip_count(node);
  for (std::size_t i = 0; i < node.outputs() && i < body.outputs.size(); ++i) {
    Type type = i < states ? state[i] : type_of(node.model(), body.outputs[i]);
    if (type.shape && i >= states) {
      const std::int64_t axis = !old && out_axes && i - states < out_axes->size() ? (*out_axes)[i - states] : 0;
      const std::optional<std::size_t> at = axis_of(axis, type.shape->size() + 1);
      if (at)
        type.shape->insert(type.shape->begin() + static_cast<std::ptrdiff_t>(*at), trips.value_or(kUnknownExtent));
      if (!at) type.shape.reset();
    }
    if (type.shape && old) type.shape->insert(type.shape->begin(), node.extent(first, 0));
    set(node, i, type);
  }
}

// Elements of a sequence have no shape that holds for all.
void sequence_map(Inference& node) {
  for (FlatGraph& body : node.node().bodies) {
    for (std::size_t i = 0; i < body.inputs.size(); ++i) set_body_input(node.model(), body, i, {});
    infer_graph(node.model(), body);
  }
  for (std::size_t i = 0; i < node.outputs(); ++i) node.set_kind(i, TypeKind::Sequence);
}

// The type of a sequence is that of its elements, and its shape what holds of all of theirs.
void set_sequence(Inference& node, DataType element, Shape shape) {
  node.set(0, element, std::move(shape));
  node.set_kind(0, TypeKind::Sequence);
}

Shape with_unknown_axis(Shape shape, std::int64_t axis, bool inserted) {
  if (!shape) return shape;
  const std::optional<std::size_t> at = axis_of(axis, shape->size() + (inserted ? 1 : 0));
  if (!at) return std::nullopt;
  if (inserted) {
    shape->insert(shape->begin() + static_cast<std::ptrdiff_t>(*at), kUnknownExtent);
  } else {
    (*shape)[*at] = kUnknownExtent;
  }
  return shape;
}

void sequence_construct(Inference& node) {
  if (!node.has(0)) return set_sequence(node, DataType::Unknown, std::nullopt);
  Type type = type_of(node.model(), node.node().inputs[0]);
  for (std::size_t i = 1; i < node.inputs(); ++i) type = common(type, type_of(node.model(), node.node().inputs[i]));
  set_sequence(node, type.type, type.shape);
}

void sequence_insert(Inference& node) {
  if (!node.has(0) || !node.has(1)) return set_sequence(node, node.type(0), std::nullopt);
  const Shape shape =
      common(type_of(node.model(), node.node().inputs[0]), type_of(node.model(), node.node().inputs[1])).shape;
  set_sequence(node, node.type(0), shape);
}

void sequence_erase(Inference& node) { set_sequence(node, node.type(0), node.shape(0)); }
void sequence_empty(Inference& node) { set_sequence(node, element_type(node.integer("dtype", 1)), std::nullopt); }

void split_to_sequence(Inference& node) {
  const std::int64_t axis = node.integer("axis", 0);
  Shape shape = with_unknown_axis(node.shape(0), axis, false);
  // Without sizes, each part has extent 1 along the axis, and may lose it.
  if (shape && !node.has(1) && node.integer("keepdims", 1) == 0) {
    shape->erase(shape->begin() + static_cast<std::ptrdiff_t>(*axis_of(axis, shape->size())));
  }
  set_sequence(node, node.type(0), std::move(shape));
}

void sequence_at(Inference& node) { node.set(0, node.type(0), node.shape(0)); }

void concat_from_sequence(Inference& node) {
  const bool inserted = node.integer("new_axis", 0) != 0;
  node.set(0, node.type(0), with_unknown_axis(node.shape(0), node.integer("axis", 0), inserted));
}

void optional(Inference& node) { node.set_kind(0, TypeKind::Optional); }
void scalar_count(Inference& node) { node.set(0, DataType::Int64, std::vector<std::int64_t>()); }
void scalar_test(Inference& node) { node.set(0, DataType::Bool, std::vector<std::int64_t>()); }

void optional_element(Inference& node) {
  // Since opset 18 a tensor may be given too.
  if (!node.has(0)) return;
  const Type type = type_of(node.model(), node.node().inputs[0]);
  if (type.kind == TypeKind::Tensor) set(node, 0, type);
}

constexpr ShapeRow kControlRows[] = {
    {"If", branches},
    {"Loop", loop},
    {"Scan", scan},
    {"SequenceMap", sequence_map},
    {"SequenceConstruct", sequence_construct},
    {"SequenceEmpty", sequence_empty},
    {"SequenceInsert", sequence_insert},
    {"SequenceErase", sequence_erase},
    {"SplitToSequence", split_to_sequence},
    {"SequenceAt", sequence_at},
    {"ConcatFromSequence", concat_from_sequence},
    {"SequenceLength", scalar_count},
    {"Optional", optional},
    {"OptionalHasElement", scalar_test},
    {"OptionalGetElement", optional_element},
};

}  // namespace

std::optional<std::size_t> taken_branch(const Inference& node) {
  const std::optional<std::vector<std::int64_t>> condition = node.integers(std::size_t{0});
  if (!condition || condition->size() != 1) return std::nullopt;
  const std::string_view wanted = condition->front() != 0 ? "then_branch" : "else_branch";
  const auto& names = node.node().body_names;
  const auto at = std::ranges::find(names, wanted);
  return at == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - names.begin()));
}

bool stops_only_by_count(const Inference& node) {
  const FlatGraph& body = node.node().bodies.front();
  if (node.has(1)) {
    const std::optional<std::vector<std::int64_t>> begins = node.integers(std::size_t{1});
    if (!begins || begins->size() != 1 || begins->front() == 0) return false;
  }
  // The body hands the condition on, or says that it always holds.
  if (body.outputs.empty() || body.inputs.size() < 2) return false;
  const Value& value = node.model().values[body.outputs.front()];
  if (body.outputs.front() == body.inputs[1]) return true;
  if (value.constant && value.constant->all_known() && value.constant->integers.size() == 1) {
    return *value.constant->integers.front() != 0;
  }
  for (const FlatNode& inner : body.nodes) {
    const bool makes_it = !inner.outputs.empty() && inner.outputs.front() == body.outputs.front();
    if (makes_it && inner.is("Identity") && inner.inputs.size() == 1) return inner.inputs.front() == body.inputs[1];
  }
  return false;
}

std::optional<std::int64_t> trip_count(const Inference& node) {
  if (node.node().is("Loop")) {
    const std::optional<std::vector<std::int64_t>> trips = node.integers(std::size_t{0});
    if (!trips || trips->size() != 1 || trips->front() < 0) return std::nullopt;
    return trips->front();
  }
  const bool old = node.opset() > 0 && node.opset() < 9;
  const std::int64_t count = node.integer("num_scan_inputs", 0);
  const std::size_t first = old ? 1 : 0;
  if (count < 1 || static_cast<std::size_t>(count) > node.inputs() - std::min(first, node.inputs()))
    return std::nullopt;
  const std::optional<std::vector<std::int64_t>> axes = node.integers("scan_input_axes");
  const std::int64_t axis = old ? 1 : axes && !axes->empty() ? axes->front() : 0;
  const std::int64_t extent = node.extent(node.inputs() - static_cast<std::size_t>(count), axis);
  return is_known(extent) ? std::optional(extent) : std::nullopt;
}

std::span<const ShapeRow> control_shapes() { return kControlRows; }

}  // namespace partita::detail::onnx
