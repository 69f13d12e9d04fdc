// SPDX-License-Identifier: Apache-2.0
// Types and shapes of all values, node by node: a rule for each kind of operator says what it makes of what it is given.
// Small constants are computed on the way, because shapes are computed from them. What no rule knows is taken from the
// file's own words (value_info), and else stays unknown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/read/onnx/flat_model.h"
#include "partita/read/onnx/symbols.h"

namespace partita::detail::onnx {

// One node as its rule sees it.
class Inference {
 public:
  Inference(FlatModel& model, FlatNode& node) : model_(model), node_(node) {}

  const FlatNode& node() const { return node_; }
  FlatNode& node() { return node_; }
  FlatModel& model() { return model_; }
  const FlatModel& model() const { return model_; }
  std::int64_t opset() const { return node_.opset; }

  // Inputs that are absent have no type, no shape and no constant.
  std::size_t inputs() const { return node_.inputs.size(); }
  bool has(std::size_t i) const { return i < node_.inputs.size() && node_.inputs[i].valid(); }
  DataType type(std::size_t i) const;
  const Shape& shape(std::size_t i) const;
  std::int64_t extent(std::size_t i, std::int64_t axis) const;  // unknown where there is none
  const Constant* constant(std::size_t i) const;
  // The elements of an input of integers; none where one is unknown. Scalars are rows of one.
  std::optional<std::vector<std::int64_t>> integers(std::size_t i) const;

  const AttributeView* attribute(std::string_view name) const { return find_attribute(node_, name); }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  std::string_view text(std::string_view name, std::string_view otherwise) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
  // From an attribute in old opsets, from an input in new ones.
  std::optional<std::vector<std::int64_t>> integers(std::string_view name, std::size_t input) const;

  std::size_t outputs() const { return node_.outputs.size(); }
  bool wants(std::size_t i) const { return i < node_.outputs.size() && node_.outputs[i].valid(); }
  void set(std::size_t i, DataType type, Shape shape);
  void set_kind(std::size_t i, TypeKind kind);
  void set_constant(std::size_t i, Constant constant);

 private:
  FlatModel& model_;
  FlatNode& node_;
};

using ShapeRule = void (*)(Inference&);
struct ShapeRow {
  std::string_view kind;
  ShapeRule rule;
};

using Numbers = std::vector<std::int64_t>;  // of extents, axes and the like

// The first output has the type and shape of the first input: for the many operators that keep them.
void same_shape(Inference& node);

// The rules, by families of operators. Kinds of other domains than the standard's are written "com.microsoft:Gelu".
std::span<const ShapeRow> elementwise_shapes();
std::span<const ShapeRow> window_shapes();
std::span<const ShapeRow> product_shapes();
std::span<const ShapeRow> reduction_shapes();
std::span<const ShapeRow> layout_shapes();
std::span<const ShapeRow> cutting_shapes();
std::span<const ShapeRow> lookup_shapes();
std::span<const ShapeRow> recurrent_shapes();
std::span<const ShapeRow> attention_shapes();
std::span<const ShapeRow> quantized_shapes();
std::span<const ShapeRow> control_shapes();

// What a graph's nodes make, in order. Also for bodies, whose inputs have been set.
void infer_graph(FlatModel& model, FlatGraph& graph);

// Computes the elements of the outputs where they are small and follow from known ones.
void fold(Inference& node);

// All of the model.
void infer(FlatModel& model, Symbols& symbols);

}  // namespace partita::detail::onnx
