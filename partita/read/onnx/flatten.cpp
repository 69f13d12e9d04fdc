// SPDX-License-Identifier: Apache-2.0
// Flattening. Names mean something in a scope: a graph's own names, behind them those of the graph around it; a
// function's scope has no scope around it, and maps its formal inputs to what the call gives. In each graph all outputs
// are declared before any input is looked up, because files need not be in order.
#include "partita/read/onnx/flat_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::onnx {

namespace {

// What inlining may add: a small file can call functions that call functions, twice each.
constexpr std::size_t kMostInlinedNodes = 200'000;
constexpr std::size_t kMostInlinedNames = std::size_t{64} << 20;
constexpr std::size_t kMostNestedCalls = 50;
// Bodies of loops are inferred up to three times each, so that nesting multiplies.
constexpr int kMostNestedBodies = 8;

struct Scope {
  NameTable names;
  const Scope* outer = nullptr;

  const ValueId* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
      if (const auto at = scope->names.find(name); at != scope->names.end()) return &at->second;
    }
    return nullptr;
  }
};

// What is the same for all nodes of a graph or function body.
struct Surroundings {
  Scope* scope = nullptr;
  const Call* call = nullptr;
  const std::vector<OpsetView>* opsets = nullptr;
  std::string prefix;  // of names, in functions
  int depth = 0;       // how many bodies are around it
};

class Flattener {
 public:
  Flattener(const WireFile& file, const ModelView& view) : file_(file), view_(view) {
    model_.file = &file;
    model_.view = &view;
    for (const FunctionView& function : view.functions) {
      const auto key = std::tuple(function.domain, function.name, function.overload);
      if (!functions_.emplace(key, &function).second) {
        fail(fmt::format("function '{}' is defined twice, expected one definition", shown(function.name)));
      }
    }
  }

  FlatModel run() && {
    if (view_.graph.nodes.empty()) fail("the graph has no nodes, expected at least one operator");
    Scope scope;
    model_.graph =
        graph(view_.graph, {.scope = &scope, .call = nullptr, .opsets = &view_.opsets, .prefix = {}, .depth = 0});
    model_.names = std::move(scope.names);
    return std::move(model_);
  }

 private:
  static std::string shown(std::string_view name) { return visible(name, kLongestShownName); }

  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(ErrorKind::BadGraph, file_.source, problem);
  }

  ValueId add_value(const Surroundings& around, std::string_view name) {
    Value value;
    value.name = around.prefix + std::string(name);
    if (around.call != nullptr) count_name(value.name);
    return model_.values.push_back(std::move(value));
  }

  void count_name(const std::string& name) {
    inlined_names_ += name.size();
    if (inlined_names_ > kMostInlinedNames) too_large();
  }

  [[noreturn]] void too_large() const {
    throw InputError(ErrorKind::Unsupported, file_.source,
                     fmt::format("inlining the model's functions makes more than {} nodes: export it without functions",
                                 kMostInlinedNodes));
  }

  ValueId declare(const Surroundings& around, std::string_view name, const char* what) {
    const ValueId value = add_value(around, name);
    if (!around.scope->names.emplace(name, value).second) {
      fail(fmt::format("{} '{}' is there already: expected every value to be made once", what, shown(name)));
    }
    return value;
  }

  FlatGraph graph(const GraphView& view, const Surroundings& around) {
    FlatGraph result;
    declare_initializers(view, around);
    std::set<std::string_view> seen;
    for (const ValueView& input : view.inputs) {
      if (!seen.insert(input.name).second) fail(fmt::format("the input '{}' is listed twice", shown(input.name)));
      const auto at = around.scope->names.find(input.name);  // an initializer may be an input too: its default
      const bool has_default = at != around.scope->names.end();
      const ValueId value = has_default ? at->second : declare(around, input.name, "the input");
      model_.values[value].declared = &input.type;
      result.inputs.push_back(value);
    }
    nodes(view.nodes, around, result);
    for (const ValueView& output : view.outputs) {
      const ValueId* value = around.scope->find(output.name);
      if (value == nullptr) {
        fail(fmt::format("nothing makes the output '{}' of graph '{}'", shown(output.name), shown(view.name)));
      }
      if (value->valid() && model_.values[*value].declared == nullptr) model_.values[*value].declared = &output.type;
      result.outputs.push_back(*value);
    }
    declare_types(view.values, around);
    sort_nodes(model_, result);
    return result;
  }

  void declare_initializers(const GraphView& view, const Surroundings& around) {
    for (const TensorView& tensor : view.initializers) {
      set_weight(declare(around, tensor.name, "the initializer"), tensor);
    }
    for (const SparseView& sparse : view.sparse_initializers) {
      set_weight(declare(around, sparse.values.name, "the sparse initializer"), sparse);
    }
  }

  void declare_types(const std::vector<ValueView>& values, const Surroundings& around) {
    for (const ValueView& info : values) {
      const auto at = around.scope->names.find(info.name);
      if (at == around.scope->names.end() || !at->second.valid()) continue;
      Value& value = model_.values[at->second];
      if (value.declared == nullptr) value.declared = &info.type;
    }
  }

  void set_weight(ValueId id, const TensorView& tensor) {
    Value& value = model_.values[id];
    if (tensor.dims.size() > kMostAxes) {
      fail(fmt::format("the tensor '{}' has {} axes, expected at most {}", shown(value.name), tensor.dims.size(),
                       kMostAxes));
    }
    for (std::int64_t extent : tensor.dims) {
      if (extent < 0)
        fail(fmt::format("the tensor '{}' has the extent {}, expected 0 or more", shown(value.name), extent));
    }
    value.weight = true;
    value.tensor = &tensor;
    value.type = tensor.type;
    value.shape = tensor.dims;
    value.constant = elements_of(file_, tensor);
    // Sizes are believed only as far as the file bears them out.
    const TensorType type{tensor.type, tensor.dims};
    if (tensor.raw && !tensor.external && type.bytes() && *type.bytes() != static_cast<double>(tensor.raw->size())) {
      fail_at(file_, tensor.range.begin,
              fmt::format("the tensor '{}' is {}, which takes {:.0f} bytes, but {} are there", shown(value.name),
                          to_string(type), *type.bytes(), tensor.raw->size()));
    }
  }

  void set_weight(ValueId id, const SparseView& sparse) {
    Value& value = model_.values[id];
    value.weight = true;
    value.sparse = &sparse;
    value.type = sparse.values.type;
    value.shape = sparse.dims;
    const bool odd = std::ranges::any_of(sparse.dims, [](std::int64_t extent) { return extent < 0; });
    if (odd || sparse.dims.size() > kMostAxes) value.shape.reset();
  }

  void nodes(const std::vector<NodeView>& views, const Surroundings& around, FlatGraph& into) {
    std::vector<std::vector<ValueId>> outputs;
    outputs.reserve(views.size());
    for (const NodeView& view : views) {
      std::vector<ValueId>& made = outputs.emplace_back();
      made.reserve(view.outputs.size());
      for (std::string_view name : view.outputs) made.push_back(name.empty() ? ValueId() : output(around, name));
    }
    for (std::size_t i = 0; i < views.size(); ++i) node(views[i], i, around, std::move(outputs[i]), into);
  }

  // In a function, a formal output is the value that the call makes.
  ValueId output(const Surroundings& around, std::string_view name) {
    if (around.call == nullptr) return declare(around, name, "the value");
    if (const auto at = promised_.find({around.scope, name}); at != promised_.end()) {
      const ValueId value = at->second;
      if (!around.scope->names.emplace(name, value).second) {
        fail(fmt::format("the value '{}' is there already: expected every value to be made once", shown(name)));
      }
      return value;
    }
    return declare(around, name, "the value");
  }

  void node(const NodeView& view, std::size_t place, const Surroundings& around, std::vector<ValueId> outputs,
            FlatGraph& into) {
    FlatNode node;
    node.view = &view;
    node.call = around.call;
    node.outputs = std::move(outputs);
    if (!view.name.empty()) {
      node.name = around.prefix + std::string(view.name);
    } else if (around.call != nullptr) {
      node.name = fmt::format("{}{}_{}", around.prefix, view.op_type, place);
    }
    node.inputs.reserve(view.inputs.size());
    for (std::string_view name : view.inputs) {
      if (name.empty()) {
        node.inputs.emplace_back();
        continue;
      }
      const ValueId* value = around.scope->find(name);
      if (value == nullptr) {
        fail(fmt::format(
            "{} reads '{}', which nothing makes: expected an input, an initializer or another node's output",
            node_text(model_, node), shown(name)));
      }
      node.inputs.push_back(*value);
    }
    const auto function = functions_.find(std::tuple(view.domain, view.op_type, view.overload));
    if (function != functions_.end()) return inline_call(node, *function->second, around, into);
    for (const OpsetView& opset : *around.opsets) {
      if (opset.domain == view.domain) node.opset = opset.version;
    }
    if (node.is("Constant") && set_constant(node)) return;
    if (around.call != nullptr) {
      count_name(node.name);
      if (++inlined_nodes_ > kMostInlinedNodes) too_large();
    }
    bodies(node, around);
    into.nodes.push_back(std::move(node));
  }

  void bodies(FlatNode& node, const Surroundings& around) {
    std::set<ValueId> captured;
    for (const AttributeView& listed : node.view->attributes) {
      const AttributeView* attribute = find_attribute(node, listed.name);
      if (attribute == nullptr) continue;
      for (const GraphView& view : attribute->graphs) {
        if (around.depth == kMostNestedBodies) {
          fail(fmt::format("{} has a body that is nested more than {} deep", node_text(model_, node),
                           kMostNestedBodies));
        }
        Scope scope;
        scope.outer = around.scope;
        const std::size_t first = model_.values.size();
        node.bodies.push_back(graph(view, {.scope = &scope,
                                           .call = around.call,
                                           .opsets = around.opsets,
                                           .prefix = around.prefix,
                                           .depth = around.depth + 1}));
        node.body_names.push_back(listed.name);
        // What was there before the body was read is from outside.
        const auto capture = [&](ValueId value) {
          if (value.valid() && value.index() < first) captured.insert(value);
        };
        for (const FlatNode& inner : node.bodies.back().nodes) {
          for (ValueId value : inner.inputs) capture(value);
          for (ValueId value : inner.captures) capture(value);
        }
        for (ValueId value : node.bodies.back().outputs) capture(value);
      }
    }
    node.captures.assign(captured.begin(), captured.end());
  }

  void inline_call(const FlatNode& call, const FunctionView& function, const Surroundings& around, FlatGraph& into) {
    if (std::ranges::find(active_, &function) != active_.end()) {
      fail(fmt::format("function '{}' calls itself, expected functions without recursion", shown(function.name)));
    }
    if (active_.size() >= kMostNestedCalls) {
      fail(fmt::format("functions call each other more than {} deep, at '{}'", kMostNestedCalls, shown(function.name)));
    }
    if (call.inputs.size() > function.inputs.size() || call.outputs.size() > function.outputs.size()) {
      fail(fmt::format("{} has {} inputs and {} outputs, but the function has {} and {}", node_text(model_, call),
                       call.inputs.size(), call.outputs.size(), function.inputs.size(), function.outputs.size()));
    }
    if (++inlined_nodes_ > kMostInlinedNodes) too_large();
    active_.push_back(&function);
    Call& made =
        model_.calls.emplace_back(Call{.node = call.view, .function = &function, .outer = around.call, .names = {}});
    Scope scope;
    std::string prefix = call.name;
    if (prefix.empty()) prefix = fmt::format("{}{}_{}", around.prefix, function.name, model_.calls.size() - 1);
    const Surroundings inside{
        .scope = &scope, .call = &made, .opsets = &function.opsets, .prefix = prefix + "/", .depth = around.depth};
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
      const ValueId given = i < call.inputs.size() ? call.inputs[i] : ValueId();
      if (!scope.names.emplace(function.inputs[i], given).second) {
        fail(fmt::format("function '{}' lists the input '{}' twice", shown(function.name), shown(function.inputs[i])));
      }
    }
    std::vector<std::pair<std::string_view, ValueId>> passed_through;
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      if (!call.outputs[i].valid()) continue;
      if (scope.names.contains(function.outputs[i])) {
        passed_through.emplace_back(function.outputs[i], call.outputs[i]);
      } else if (!promised_.emplace(std::pair(&scope, function.outputs[i]), call.outputs[i]).second) {
        fail(
            fmt::format("function '{}' lists the output '{}' twice", shown(function.name), shown(function.outputs[i])));
      }
    }
    nodes(function.nodes, inside, into);
    declare_types(function.values, inside);
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      promised_.erase({&scope, function.outputs[i]});
      if (!scope.names.contains(function.outputs[i])) {
        fail(fmt::format("nothing makes the output '{}' of function '{}'", shown(function.outputs[i]),
                         shown(function.name)));
      }
    }
    for (const auto& [name, passed] : passed_through) {
      pass(scope.names.at(name), passed, function.nodes.size(), inside, into);
    }
    made.names = std::move(scope.names);
    active_.pop_back();
  }

  // A function that returns one of its inputs.
  void pass(ValueId input, ValueId made, std::size_t place, const Surroundings& around, FlatGraph& into) {
    NodeView& identity = model_.added.emplace_back();
    identity.op_type = "Identity";
    FlatNode node;
    node.view = &identity;
    node.call = around.call;
    node.name = fmt::format("{}Identity_{}", around.prefix, place);
    node.inputs = {input};
    node.outputs = {made};
    into.nodes.push_back(std::move(node));
  }

  // A Constant node is a weight. False where it has no value, or one that is not known here.
  bool set_constant(const FlatNode& node) {
    if (node.outputs.size() != 1 || !node.outputs[0].valid()) return false;
    const ValueId id = node.outputs[0];
    const auto set = [&](ConstantPointer constant) {
      Value& value = model_.values[id];
      value.weight = true;
      value.type = constant->type;
      value.shape = constant->shape;
      value.constant = std::move(constant);
    };
    if (const AttributeView* attribute = find_attribute(node, "value"); attribute && !attribute->tensors.empty()) {
      set_weight(id, attribute->tensors.front());
    } else if (attribute = find_attribute(node, "sparse_value"); attribute && !attribute->sparse.empty()) {
      set_weight(id, attribute->sparse.front());
    } else if (attribute = find_attribute(node, "value_int"); attribute && attribute->i) {
      set(integer_constant({*attribute->i}, true));
    } else if (attribute = find_attribute(node, "value_float"); attribute && attribute->f) {
      set(real_constant({*attribute->f}, true));
    } else if (attribute = find_attribute(node, "value_ints"); attribute) {
      set(integer_constant(attribute->ints, false));
    } else if (attribute = find_attribute(node, "value_floats"); attribute) {
      set(real_constant(attribute->floats, false));
    } else if (find_attribute(node, "value_string") != nullptr || find_attribute(node, "value_strings") != nullptr) {
      Value& value = model_.values[id];
      value.weight = true;
      value.type = DataType::String;
    } else {
      return false;
    }
    return true;
  }

  const WireFile& file_;
  const ModelView& view_;
  FlatModel model_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const FunctionView*> functions_;
  std::vector<const FunctionView*> active_;
  std::map<std::pair<const Scope*, std::string_view>, ValueId> promised_;  // what the calls' outputs are called inside
  std::size_t inlined_nodes_ = 0, inlined_names_ = 0;
};

}  // namespace

FlatModel flatten(const WireFile& file, const ModelView& view) { return Flattener(file, view).run(); }

}  // namespace partita::detail::onnx
