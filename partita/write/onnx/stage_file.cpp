// SPDX-License-Identifier: Apache-2.0
#include "partita/write/onnx/stage_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

namespace partita::detail::onnx {

namespace {

// Fields by number (onnx.proto3).
constexpr std::uint32_t kModelIr = 1, kModelGraph = 7, kModelOpset = 8, kModelTraining = 20, kModelFunction = 25,
                        kModelConfiguration = 26;
constexpr std::uint32_t kGraphNode = 1, kGraphName = 2, kGraphInitializer = 5, kGraphInput = 11, kGraphOutput = 12,
                        kGraphValue = 13, kGraphAnnotation = 14, kGraphSparse = 15;
constexpr std::uint32_t kNodeConfiguration = 10;
constexpr const char* kConfiguration = "partita";
constexpr std::int64_t kFirstIrWithStages = 11;

using FunctionKey = std::tuple<std::string_view, std::string_view, std::string_view>;

// Which functions are called, by nodes, by bodies and by functions.
class CalledFunctions {
 public:
  explicit CalledFunctions(const ModelView& model) {
    for (const FunctionView& function : model.functions) {
      functions_.emplace(FunctionKey(function.domain, function.name, function.overload), &function);
    }
  }

  void add(const NodeView& first) {
    std::vector<const NodeView*> open{&first};
    while (!open.empty()) {
      const NodeView& node = *open.back();
      open.pop_back();
      for (const AttributeView& attribute : node.attributes) {
        for (const GraphView& graph : attribute.graphs) {
          for (const NodeView& inner : graph.nodes) open.push_back(&inner);
        }
      }
      const auto at = functions_.find(FunctionKey(node.domain, node.op_type, node.overload));
      if (at == functions_.end() || !called_.insert(at->second).second) continue;
      for (const NodeView& inner : at->second->nodes) open.push_back(&inner);
    }
  }

  bool contains(const FunctionView& function) const { return called_.contains(&function); }

 private:
  std::map<FunctionKey, const FunctionView*> functions_;
  std::unordered_set<const FunctionView*> called_;
};

// Elements that were computed in advance, little-endian.
std::string raw_elements(const Constant& constant) {
  std::string raw;
  const auto put = [&raw](auto element) {
    char bytes[sizeof element];
    std::memcpy(bytes, &element, sizeof element);
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes, bytes + sizeof element);
    raw.append(bytes, sizeof element);
  };
  for (const std::optional<std::int64_t>& number : constant.integers) {
    if (constant.type == DataType::Bool) {
      put(static_cast<std::int8_t>(*number != 0));
    } else if (constant.type == DataType::Int32) {
      put(static_cast<std::int32_t>(*number));
    } else {
      put(*number);
    }
  }
  for (const std::optional<double>& number : constant.reals) {
    if (constant.type == DataType::Float32) {
      put(static_cast<float>(*number));
    } else {
      put(*number);
    }
  }
  return raw;
}

Rope known_tensor(const CutGraph& graph, const ValueTypes& types, ValueId id) {
  const Constant& constant = *graph.model->values[id].constant;
  Rope rope;
  for (std::int64_t extent : constant.shape) rope.number(1, extent);
  rope.number(2, types.type(id).code);
  rope.text(8, graph.name[id]);
  rope.text(9, raw_elements(constant));
  return rope;
}

// What functions whose calls were replaced import, and the model does not: their nodes stand in the graph now.
Rope more_opsets(const CutGraph& graph) {
  std::set<std::string_view> imported;
  for (const OpsetView& opset : graph.model->view->opsets) imported.insert(opset.domain);
  std::map<std::string_view, std::int64_t> missing;
  for (const auto& [call, prefix] : graph.prefix) {
    if (call == nullptr) continue;
    for (const OpsetView& opset : call->function->opsets) {
      if (!imported.contains(opset.domain)) missing[opset.domain] = std::max(missing[opset.domain], opset.version);
    }
  }
  Rope rope;
  for (const auto& [domain, version] : missing) {
    Rope opset;
    opset.text(1, domain);
    opset.number(2, version);
    rope.message(kModelOpset, opset);
  }
  return rope;
}

class StageGraphWriter {
 public:
  StageGraphWriter(const StageFileParts& parts, const Stage& stage)
      : parts_(parts), stage_(stage), nodes_(parts.file, parts.graph, parts.data) {}

  Rope write(std::size_t number) {
    const GraphView& view = parts_.graph.model->view->graph;
    Rope rope;
    for (ItemId i : stage_.items) rope.message(kGraphNode, nodes_.item(parts_.graph.items[i]));
    rope.text(kGraphName, fmt::format("{}_stage_{}", view.name, number));
    find_values();
    const Rope annotations = quantization();  // may add to the weights
    for (const TensorView& tensor : view.initializers) {
      if (weights_.contains(id(tensor.name))) rope.message(kGraphInitializer, nodes_.tensor(tensor));
    }
    for (const SparseView& sparse : view.sparse_initializers) {
      if (weights_.contains(id(sparse.values.name))) rope.message(kGraphSparse, nodes_.sparse(sparse));
    }
    for (ValueId value : stage_.known) rope.message(kGraphInitializer, known_tensor(parts_.graph, parts_.types, value));
    inputs_and_outputs(rope);
    rope.append(annotations);
    for (WireReader reader(parts_.file, view.range, "the graph"); reader.next();) {
      switch (reader.number()) {
        case kGraphNode:
        case kGraphName:
        case kGraphInitializer:
        case kGraphInput:
        case kGraphOutput:
        case kGraphValue:
        case kGraphAnnotation:
        case kGraphSparse: break;
        default: rope.copy(reader.field().whole); break;
      }
    }
    return rope;
  }

 private:
  ValueId id(std::string_view name) const { return parts_.graph.model->names.at(name); }

  void find_values() {
    weights_.insert(stage_.weights.begin(), stage_.weights.end());
    for (ItemId i : stage_.items) {
      for (ValueId value : parts_.graph.items[i].outputs) {
        if (value.valid()) inner_.push_back(value);
      }
    }
    there_.insert(weights_.begin(), weights_.end());
    there_.insert(inner_.begin(), inner_.end());
    for (const StageInput& input : stage_.inputs) there_.insert(input.value);
  }

  void inputs_and_outputs(Rope& rope) {
    const GraphView& view = parts_.graph.model->view->graph;
    std::unordered_set<ValueId> said;
    // Also initializers that a caller may replace.
    for (const ValueView& input : view.inputs) {
      const ValueId value = id(input.name);
      const bool is_read = std::ranges::any_of(
          stage_.inputs, [value](const StageInput& one) { return one.value == value && !one.from.valid(); });
      if (!is_read && !weights_.contains(value)) continue;
      rope.range(kGraphInput, input.range);
      said.insert(value);
    }
    for (const StageInput& input : stage_.inputs) {
      if (said.insert(input.value).second) rope.message(kGraphInput, parts_.types.info(input.value));
    }
    for (ValueId value : stage_.outputs) {
      said.insert(value);
      const auto own = std::ranges::find(view.outputs, parts_.graph.name[value], &ValueView::name);
      if (own != view.outputs.end()) {
        rope.range(kGraphOutput, own->range);
      } else {
        rope.message(kGraphOutput, parts_.types.info(value));
      }
    }
    for (ValueId value : inner_) {
      const ValueView* declared = parts_.types.declared(value);
      if (declared == nullptr || !said.insert(value).second) continue;
      rope.message(kGraphValue, nodes_.value(*declared, parts_.graph.name[value]));
    }
  }

  // Annotations name a tensor and the initializers that hold its scale and zero point, which come with them.
  Rope quantization() {
    Rope rope;
    const NameTable& names = parts_.graph.model->names;
    const auto known = [&names](std::string_view name) {
      const auto at = names.find(name);
      return at == names.end() ? ValueId() : at->second;
    };
    for (WireReader reader(parts_.file, parts_.graph.model->view->graph.range, "the graph"); reader.next();) {
      if (reader.number() != kGraphAnnotation) continue;
      bool is_here = false, complete = true;
      std::vector<ValueId> more;
      for (WireReader fields = reader.message("a quantization annotation"); fields.next();) {
        if (fields.number() == 1) is_here = there_.contains(known(fields.text()));
        if (fields.number() != 2) continue;
        for (WireReader entry = fields.message("an entry"); entry.next();) {
          if (entry.number() != 2) continue;
          const ValueId value = known(entry.text());
          complete = complete && value.valid() && (there_.contains(value) || is_initializer(parts_.graph, value));
          if (value.valid() && !there_.contains(value)) more.push_back(value);
        }
      }
      if (!is_here || !complete) continue;
      weights_.insert(more.begin(), more.end());
      there_.insert(more.begin(), more.end());
      rope.copy(reader.field().whole);
    }
    return rope;
  }

  const StageFileParts& parts_;
  const Stage& stage_;
  NodeWriter nodes_;
  std::unordered_set<ValueId> weights_;
  std::unordered_set<ValueId> there_;  // values of the stage
  std::vector<ValueId> inner_;         // what its nodes make
};

bool is_our_configuration(WireReader fields) {
  bool is_ours = false;
  while (fields.next()) is_ours |= fields.number() == 1 && fields.text() == kConfiguration;
  return is_ours;
}

bool has_our_configuration(const WireFile& file, const NodeView& node) {
  for (WireReader reader(file, node.range, "a node"); reader.next();) {
    if (reader.number() == kNodeConfiguration && is_our_configuration(reader.message("a device configuration")))
      return true;
  }
  return false;
}

// A node without the place in a pipeline that an earlier plan gave it.
Rope without_stage(const WireFile& file, const Rope& node) {
  const std::string bytes = node.flat(file.bytes);
  const WireFile own{std::as_bytes(std::span(bytes)), file.source};
  Rope rope;
  for (WireReader reader(own, {0, bytes.size()}, "a node"); reader.next();) {
    if (reader.number() == kNodeConfiguration && is_our_configuration(reader.message("a device configuration")))
      continue;
    const ByteRange whole = reader.field().whole;
    rope.append(std::string_view(bytes).substr(whole.begin, whole.size()));
  }
  return rope;
}

Rope stage_configuration(StageId stage) {
  Rope rope;
  rope.text(1, kConfiguration);
  rope.number(3, static_cast<std::int64_t>(stage.index()));
  return rope;
}

Rope device_configuration(const std::vector<std::string>& devices) {
  std::vector<std::string> names;
  for (const std::string& name : devices) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  Rope rope;
  rope.text(1, kConfiguration);
  rope.number(2, static_cast<std::int64_t>(names.size()));
  for (const std::string& name : names) rope.text(3, name);
  return rope;
}

Rope annotated_graph(const StageFileParts& parts) {
  NodeWriter nodes(parts.file, parts.graph, parts.data);
  Rope rope;
  for (ItemId i : parts.graph.items.all()) {
    const Item& item = parts.graph.items[i];
    Rope node = nodes.item(item);
    if (item.view != nullptr && has_our_configuration(parts.file, *item.view)) node = without_stage(parts.file, node);
    const StageId stage = parts.row.home[i];
    if (stage.valid()) node.message(kNodeConfiguration, stage_configuration(stage));
    rope.message(kGraphNode, node);
  }
  std::size_t tensors = 0, sparses = 0;
  const GraphView& view = parts.graph.model->view->graph;
  for (WireReader reader(parts.file, view.range, "the graph"); reader.next();) {
    switch (reader.number()) {
      case kGraphNode: break;
      case kGraphInitializer: rope.message(kGraphInitializer, nodes.tensor(view.initializers[tensors++])); break;
      case kGraphSparse: rope.message(kGraphSparse, nodes.sparse(view.sparse_initializers[sparses++])); break;
      default: rope.copy(reader.field().whole); break;
    }
  }
  return rope;
}

}  // namespace

Rope stage_model(const StageFileParts& parts, StageId number) {
  const Stage& stage = parts.row.stages[number];
  const ModelView& model = *parts.graph.model->view;
  CalledFunctions called(model);
  for (ItemId i : stage.items) {
    if (const NodeView* node = parts.graph.items[i].view) called.add(*node);
  }
  const Rope graph = StageGraphWriter(parts, stage).write(number.index());
  NodeWriter nodes(parts.file, parts.graph, parts.data);
  Rope rope;
  std::size_t functions = 0;
  for (WireReader reader(parts.file, model.range, "the model"); reader.next();) {
    switch (reader.number()) {
      case kModelGraph: rope.message(kModelGraph, graph); break;
      case kModelTraining: break;  // of the whole graph
      case kModelFunction: {
        const FunctionView& function = model.functions[functions++];
        if (called.contains(function)) rope.message(kModelFunction, nodes.function(function));
        break;
      }
      default: rope.copy(reader.field().whole); break;
    }
  }
  rope.append(more_opsets(parts.graph));
  return rope;
}

Rope annotated_model(const StageFileParts& parts, const std::vector<std::string>& devices) {
  const ModelView& model = *parts.graph.model->view;
  NodeWriter nodes(parts.file, parts.graph, parts.data);
  Rope rope;
  std::size_t functions = 0;
  for (WireReader reader(parts.file, model.range, "the model"); reader.next();) {
    switch (reader.number()) {
      case kModelIr: rope.number(kModelIr, std::max(model.ir_version, kFirstIrWithStages)); break;
      case kModelGraph: rope.message(kModelGraph, annotated_graph(parts)); break;
      case kModelFunction: rope.message(kModelFunction, nodes.function(model.functions[functions++])); break;
      case kModelConfiguration: {
        const bool is_ours = is_our_configuration(reader.message("a device configuration"));
        if (!is_ours) rope.copy(reader.field().whole);
        break;
      }
      default: rope.copy(reader.field().whole); break;
    }
  }
  rope.append(more_opsets(parts.graph));
  rope.message(kModelConfiguration, device_configuration(devices));
  return rope;
}

double weight_bytes(const CutGraph& graph, const std::vector<ValueId>& weights) {
  double sum = 0;
  for (ValueId id : weights) {
    const Value& value = graph.model->values[id];
    if (value.sparse != nullptr) {
      sum += TensorType{value.sparse->values.type, value.sparse->values.dims}.bytes().value_or(0);
    } else {
      sum += TensorType{value.type, value.shape}.bytes().value_or(0);
    }
  }
  return sum;
}

}  // namespace partita::detail::onnx
