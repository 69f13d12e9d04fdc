// SPDX-License-Identifier: Apache-2.0
#include "partita/write/onnx/node_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::detail::onnx {

namespace {

// Fields by number (onnx.proto3).
constexpr std::uint32_t kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeKind = 4, kNodeAttribute = 5;
constexpr std::uint32_t kAttributeName = 1, kAttributeTensor = 5, kAttributeGraph = 6, kAttributeTensors = 10,
                        kAttributeGraphs = 11, kAttributeReference = 21, kAttributeSparse = 22, kAttributeSparses = 23;
constexpr std::uint32_t kTensorName = 8, kTensorExternal = 13;
constexpr std::uint32_t kFunctionNode = 7;

Rope entry(std::string_view key, std::string_view value) {
  Rope rope;
  rope.text(1, key);
  rope.text(2, value);
  return rope;
}

}  // namespace

bool NodeWriter::is_moved(const TensorView& tensor) { return tensor.external && data_.place(tensor).has_value(); }

bool NodeWriter::changes(const AttributeView& attribute) {
  bool changed = false;
  const auto look_at = [&](const TensorView& tensor) { changed |= is_moved(tensor); };
  const auto look_at_both = [&](const SparseView& sparse) {
    look_at(sparse.values);
    look_at(sparse.indices);
  };
  std::ranges::for_each(attribute.tensors, look_at);
  std::ranges::for_each(attribute.sparse, look_at_both);
  for (const GraphView& graph : attribute.graphs) {
    std::ranges::for_each(graph.initializers, look_at);
    std::ranges::for_each(graph.sparse_initializers, look_at_both);
    for (const NodeView& node : graph.nodes) changed |= changes(node, nullptr);
  }
  return changed;
}

// Looks at all of it, also where the answer is known: locations are noted on the way.
bool NodeWriter::changes(const NodeView& node, const Call* scope) {
  bool changed = scope != nullptr;
  for (const AttributeView& attribute : node.attributes) changed |= changes(attribute);
  return changed;
}

std::string NodeWriter::name(std::string_view old, const Names& names) const {
  if (old.empty()) return {};
  const Names* last = &names;
  for (const Names* at = &names; at != nullptr; at = at->outer) {
    if (const auto found = at->own.find(old); found != at->own.end()) return found->second;
    last = at;
  }
  if (last->scope == nullptr) return std::string(old);
  const NameTable& table = last->scope->names;
  const auto found = table.find(old);
  if (found == table.end() || !found->second.valid()) return {};
  return graph_.name[found->second];
}

Rope NodeWriter::item(const Item& item) {
  Rope rope;
  if (item.view == nullptr) {
    rope.text(kNodeInput, item.inputs[0].valid() ? graph_.name[item.inputs[0]] : "");
    rope.text(kNodeOutput, graph_.name[item.outputs[0]]);
    rope.text(kNodeKind, "Identity");
  } else if (!changes(*item.view, item.scope)) {
    rope.copy(item.view->range);
  } else {
    rope = node(*item.view, Names{.scope = item.scope, .own = {}, .outer = nullptr});
  }
  return rope;
}

Rope NodeWriter::node(const NodeView& view, const Names& names) {
  Rope rope;
  std::size_t attributes = 0;
  const Names* last = &names;
  while (last->outer != nullptr) last = last->outer;
  const Call* scope = last->scope;
  for (WireReader reader(file_, view.range, "a node"); reader.next();) {
    switch (reader.number()) {
      case kNodeInput: rope.text(kNodeInput, name(reader.text(), names)); break;
      case kNodeOutput: rope.text(kNodeOutput, name(reader.text(), names)); break;
      case kNodeName:
        if (scope == nullptr) {
          rope.copy(reader.field().whole);
        } else {
          rope.text(kNodeName, graph_.prefix.at(scope) + std::string(reader.text()));
        }
        break;
      case kNodeAttribute: {
        const AttributeView& listed = view.attributes[attributes++];
        const AttributeView* meant = scope == nullptr ? &listed : meant_attribute(listed, scope);
        if (meant != nullptr) rope.message(kNodeAttribute, attribute(listed, *meant, names));
        break;
      }
      default: rope.copy(reader.field().whole); break;
    }
  }
  return rope;
}

Rope NodeWriter::attribute(const AttributeView& listed, const AttributeView& meant, const Names& names) {
  Rope rope;
  if (&listed == &meant && listed.graphs.empty() && !changes(listed)) {
    rope.copy(listed.range);
    return rope;
  }
  std::size_t tensors = 0, sparses = 0, graphs = 0;
  for (WireReader reader(file_, meant.range, "an attribute"); reader.next();) {
    switch (reader.number()) {
      case kAttributeName: rope.text(kAttributeName, listed.name); break;
      case kAttributeReference: break;
      case kAttributeTensor:
      case kAttributeTensors: rope.message(reader.number(), tensor(meant.tensors[tensors++])); break;
      case kAttributeSparse:
      case kAttributeSparses: rope.message(reader.number(), sparse(meant.sparse[sparses++])); break;
      case kAttributeGraph:
      case kAttributeGraphs: rope.message(reader.number(), body(meant.graphs[graphs++], names)); break;
      default: rope.copy(reader.field().whole); break;
    }
  }
  return rope;
}

Rope NodeWriter::body(const GraphView& view, const Names& around) {
  Names names{.scope = nullptr, .own = {}, .outer = &around};
  const Names* last = &around;
  while (last->outer != nullptr) last = last->outer;
  if (last->scope != nullptr) {
    const std::string& prefix = graph_.prefix.at(last->scope);
    const auto own = [&](std::string_view old) {
      if (!old.empty() && !names.own.contains(old)) names.own.emplace(old, graph_.fresh(prefix + std::string(old)));
    };
    for (const TensorView& tensor : view.initializers) own(tensor.name);
    for (const SparseView& sparse : view.sparse_initializers) own(sparse.values.name);
    for (const ValueView& input : view.inputs) own(input.name);
    for (const NodeView& node : view.nodes) std::ranges::for_each(node.outputs, own);
  }
  Rope rope;
  std::size_t nodes = 0, tensors = 0, sparses = 0, inputs = 0, outputs = 0, values = 0;
  const auto value_of = [&](const ValueView& one) { return value(one, name(one.name, names)); };
  for (WireReader reader(file_, view.range, "a graph"); reader.next();) {
    switch (reader.number()) {
      case 1: rope.message(1, node(view.nodes[nodes++], names)); break;
      case 5: rope.message(5, tensor(view.initializers[tensors++], names)); break;
      case 11: rope.message(11, value_of(view.inputs[inputs++])); break;
      case 12: rope.message(12, value_of(view.outputs[outputs++])); break;
      case 13: rope.message(13, value_of(view.values[values++])); break;
      case 14: rope.message(14, annotation(reader.bytes(), names)); break;
      case 15: rope.message(15, sparse(view.sparse_initializers[sparses++], names)); break;
      default: rope.copy(reader.field().whole); break;
    }
  }
  return rope;
}

// tensor_name, and pairs of a role and the name of a tensor.
Rope NodeWriter::annotation(ByteRange range, const Names& names) {
  Rope rope;
  for (WireReader reader(file_, range, "a quantization annotation"); reader.next();) {
    if (reader.number() == 1) {
      rope.text(1, name(reader.text(), names));
    } else if (reader.number() == 2) {
      Rope pair;
      for (WireReader fields = reader.message("an entry"); fields.next();) {
        if (fields.number() == 2) {
          pair.text(2, name(fields.text(), names));
        } else {
          pair.copy(fields.field().whole);
        }
      }
      rope.message(2, pair);
    } else {
      rope.copy(reader.field().whole);
    }
  }
  return rope;
}

Rope NodeWriter::tensor(const TensorView& one) { return tensor(one, Names{}); }
Rope NodeWriter::sparse(const SparseView& one) { return sparse(one, Names{}); }

Rope NodeWriter::tensor(const TensorView& one, const Names& names) {
  const std::optional<DataPlace> place = one.external ? data_.place(one) : std::nullopt;
  const std::string called = name(one.name, names);
  Rope rope;
  if (!place && called == one.name) {
    rope.copy(one.range);
    return rope;
  }
  for (WireReader reader(file_, one.range, "a tensor"); reader.next();) {
    if (reader.number() == kTensorName) {
      rope.text(kTensorName, called);
    } else if (!place || reader.number() != kTensorExternal) {
      rope.copy(reader.field().whole);
    }
  }
  if (place) {
    rope.message(kTensorExternal, entry("location", place->location));
    rope.message(kTensorExternal, entry("offset", std::to_string(place->offset)));
    rope.message(kTensorExternal, entry("length", std::to_string(place->length)));
  }
  return rope;
}

Rope NodeWriter::sparse(const SparseView& one, const Names& names) {
  Rope rope;
  for (WireReader reader(file_, one.range, "a sparse tensor"); reader.next();) {
    if (reader.number() == 1) {
      rope.message(1, tensor(one.values, names));
    } else if (reader.number() == 2) {
      rope.message(2, tensor(one.indices));
    } else {
      rope.copy(reader.field().whole);
    }
  }
  return rope;
}

Rope NodeWriter::value(const ValueView& view, const std::string& called) {
  Rope rope;
  if (called == view.name) {
    rope.copy(view.range);
    return rope;
  }
  for (WireReader reader(file_, view.range, "a value"); reader.next();) {
    if (reader.number() == 1) {
      rope.text(1, called);
    } else {
      rope.copy(reader.field().whole);
    }
  }
  return rope;
}

Rope NodeWriter::function(const FunctionView& function) {
  Rope rope;
  std::size_t nodes = 0;
  for (WireReader reader(file_, function.range, "a function"); reader.next();) {
    if (reader.number() == kFunctionNode) {
      const NodeView& view = function.nodes[nodes++];
      if (changes(view, nullptr)) {
        rope.message(kFunctionNode, node(view, Names{}));
      } else {
        rope.copy(reader.field().whole);
      }
    } else {
      rope.copy(reader.field().whole);
    }
  }
  return rope;
}

}  // namespace partita::detail::onnx
