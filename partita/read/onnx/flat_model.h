// SPDX-License-Identifier: Apache-2.0
// The model with its functions inlined and its names resolved: nodes that read and make values, in an order in which
// each value is made before it is read. Bodies of If, Loop and Scan are graphs of their own, whose values stand in the
// same table as those around them.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "partita/read/onnx/constant.h"
#include "partita/read/onnx/extent.h"
#include "partita/read/onnx/model.h"
#include "partita/util/ids.h"

namespace partita::detail::onnx {

using ValueId = Id<struct OnnxValueTag>;

struct Value {
  std::string name;
  TypeKind kind = TypeKind::Tensor;
  DataType type = DataType::Unknown;
  Shape shape;
  const TypeView* declared = nullptr;  // what the file says of it
  Shape declared_shape;                // the same, with sizes for its symbols
  bool weight = false;                 // stored in the file
  const TensorView* tensor = nullptr;  // of a weight, where the file has one
  const SparseView* sparse = nullptr;
  ValueId view_of;           // a weight in another shape
  ConstantPointer constant;  // where its elements are known
  bool fixed = false;        // computed from constants alone

  // Is it stored with the network, or known as soon as that is read?
  bool is_constant() const { return weight || (constant && constant->all_known()); }
};

// What each name means in a graph or in the body of a function; an id that is not valid: an input that is absent.
using NameTable = std::unordered_map<std::string_view, ValueId>;

// An attribute in a function may stand for one of the call. Calls can be in functions too.
struct Call {
  const NodeView* node = nullptr;
  const FunctionView* function = nullptr;
  const Call* outer = nullptr;
  NameTable names;  // inside
};

struct FlatGraph;

struct FlatNode {
  const NodeView* view = nullptr;
  const Call* call = nullptr;            // which function it was inlined from
  std::string name;                      // empty: the file has none
  std::int64_t opset = 0;                // version of its domain
  std::vector<ValueId> inputs, outputs;  // an id that is not valid: absent
  std::vector<FlatGraph> bodies;
  std::vector<std::string_view> body_names;  // their attributes: "then_branch"
  std::vector<ValueId> captures;             // what its bodies read of the outside, each once
  bool folded = false;                       // all that it makes is known when the model is read

  std::string_view kind() const { return view->op_type; }
  std::string_view domain() const { return view->domain; }
  bool is(std::string_view op_type) const { return view->op_type == op_type && view->domain.empty(); }
};

struct FlatGraph {
  std::vector<FlatNode> nodes;
  std::vector<ValueId> inputs, outputs;
};

struct FlatModel {
  const WireFile* file = nullptr;
  const ModelView* view = nullptr;
  IdVector<ValueId, Value> values;
  FlatGraph graph;
  NameTable names;                   // of the graph
  std::deque<Call> calls;            // what nodes point to
  std::deque<NodeView> added;        // nodes that no file has
  std::set<ValueId> contradictions;  // where the file says something else than follows from its nodes
};

// Throws InputError for names that nothing makes, values that are made twice, cycles, functions that call themselves.
// `file` and `view` must outlive the result.
FlatModel flatten(const WireFile& file, const ModelView& view);

// The attribute itself, or that of a call around it that it stands for. None: the call left it out.
const AttributeView* meant_attribute(const AttributeView& listed, const Call* call);

// The attribute of a node, looked up in the calls around it where it stands for another. None: absent.
const AttributeView* find_attribute(const FlatNode& node, std::string_view name);

// Sorts the nodes so that values are made before they are read; nodes that are in order stay in their order. Throws
// InputError for a cycle.
void sort_nodes(const FlatModel& model, FlatGraph& graph);

// How errors and notes call a node: "node 'conv1' (Conv)", by its first output where it has no name.
std::string node_text(const FlatModel& model, const FlatNode& node);

}  // namespace partita::detail::onnx
