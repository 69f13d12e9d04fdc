// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/model.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "partita/util/error.h"

namespace partita::detail::onnx {

namespace {

// Graphs lie in attributes of nodes of graphs.
GraphView view_graph(WireReader reader);

std::vector<Dimension> view_shape(WireReader reader) {
  std::vector<Dimension> shape;
  while (reader.next()) {
    if (reader.number() != 1) continue;
    Dimension dimension;
    for (WireReader field = reader.message("a dimension"); field.next();) {
      if (field.number() == 1) dimension.value = field.integer();
      if (field.number() == 2) dimension.symbol = field.text();
    }
    if (dimension.value && *dimension.value < 0) dimension.value.reset();  // some exporters write -1
    if (!dimension.symbol.empty()) dimension.value.reset();
    shape.push_back(dimension);
  }
  return shape;
}

TypeView view_type(WireReader reader) {
  TypeView type;
  const auto tensor = [&type](WireReader fields) {
    while (fields.next()) {
      if (fields.number() == 1) type.element = element_type(type.element_code = fields.integer());
      if (fields.number() == 2) type.shape = view_shape(fields.message("a shape"));
    }
  };
  while (reader.next()) {
    switch (reader.number()) {
      case 1:
        type.kind = TypeKind::Tensor;
        tensor(reader.message("a tensor type"));
        break;
      case 4: type.kind = TypeKind::Sequence; break;
      case 5: type.kind = TypeKind::Map; break;
      case 7: type.kind = TypeKind::Opaque; break;
      case 8:
        type.kind = TypeKind::Sparse;
        tensor(reader.message("a sparse tensor type"));
        break;
      case 9: type.kind = TypeKind::Optional; break;
      default: break;
    }
  }
  return type;
}

ValueView view_value(WireReader reader) {
  ValueView value{.range = reader.range(), .name = {}, .type = {}};
  while (reader.next()) {
    if (reader.number() == 1) value.name = reader.text();
    if (reader.number() == 2) value.type = view_type(reader.message("a type"));
  }
  return value;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Entry {
  std::string_view key, value;
};

Entry view_entry(WireReader reader) {
  Entry entry;
  while (reader.next()) {
    if (reader.number() == 1) entry.key = reader.text();
    if (reader.number() == 2) entry.value = reader.text();
  }
  return entry;
}

TensorView view_tensor(WireReader reader) {
  TensorView tensor;
  tensor.range = reader.range();
  while (reader.next()) {
    switch (reader.number()) {
      case 1: reader.integers(tensor.dims); break;
      case 2:
        tensor.type_code = reader.integer();
        tensor.type = element_type(tensor.type_code);
        break;
      case 4:
      case 5:
      case 7:
      case 10:
      case 11: tensor.numbers.push_back(reader.field().whole); break;
      case 6: tensor.text_bytes += static_cast<double>(reader.bytes().size()); break;
      case 8: tensor.name = reader.text(); break;
      case 9: tensor.raw = reader.bytes(); break;
      case 13: {
        const Entry entry = view_entry(reader.message("an entry of external data"));
        if (entry.key == "location") tensor.location = entry.value;
        if (entry.key == "offset") tensor.offset = whole_number(entry.value);
        if (entry.key == "length") tensor.length = whole_number(entry.value);
        break;
      }
      case 14: tensor.external = reader.integer() == 1; break;
      default: break;
    }
  }
  return tensor;
}

SparseView view_sparse(WireReader reader) {
  SparseView sparse;
  sparse.range = reader.range();
  while (reader.next()) {
    if (reader.number() == 1) sparse.values = view_tensor(reader.message("the values of a sparse tensor"));
    if (reader.number() == 2) sparse.indices = view_tensor(reader.message("the indices of a sparse tensor"));
    if (reader.number() == 3) reader.integers(sparse.dims);
  }
  return sparse;
}

AttributeView view_attribute(WireReader reader) {
  AttributeView attribute;
  attribute.range = reader.range();
  while (reader.next()) {
    switch (reader.number()) {
      case 1: attribute.name = reader.text(); break;
      case 2: attribute.f = reader.real(); break;
      case 3: attribute.i = reader.integer(); break;
      case 4: attribute.s = reader.text(); break;
      case 5:
      case 10: attribute.tensors.push_back(view_tensor(reader.message("a tensor"))); break;
      case 6:
      case 11: attribute.graphs.push_back(view_graph(reader.message("a graph"))); break;
      case 7: reader.reals(attribute.floats); break;
      case 8: reader.integers(attribute.ints); break;
      case 9: attribute.strings.push_back(reader.text()); break;
      case 20: attribute.type = reader.integer(); break;
      case 21: attribute.ref_attribute = reader.text(); break;
      case 22:
      case 23: attribute.sparse.push_back(view_sparse(reader.message("a sparse tensor"))); break;
      default: break;
    }
  }
  return attribute;
}

NodeView view_node(WireReader reader) {
  NodeView node;
  node.range = reader.range();
  while (reader.next()) {
    switch (reader.number()) {
      case 1: node.inputs.push_back(reader.text()); break;
      case 2: node.outputs.push_back(reader.text()); break;
      case 3: node.name = reader.text(); break;
      case 4: node.op_type = reader.text(); break;
      case 5: node.attributes.push_back(view_attribute(reader.message("an attribute"))); break;
      case 7: node.domain = standard_domain(reader.text()); break;
      case 8: node.overload = reader.text(); break;
      case 9: {
        const Entry entry = view_entry(reader.message("an entry of metadata"));
        if (entry.key == "pkg.torch.onnx.name_scopes") node.scopes = entry.value;
        break;
      }
      default: break;
    }
  }
  return node;
}

GraphView view_graph(WireReader reader) {
  GraphView graph;
  graph.range = reader.range();
  while (reader.next()) {
    switch (reader.number()) {
      case 1: graph.nodes.push_back(view_node(reader.message("a node"))); break;
      case 2: graph.name = reader.text(); break;
      case 5: graph.initializers.push_back(view_tensor(reader.message("an initializer"))); break;
      case 11: graph.inputs.push_back(view_value(reader.message("an input"))); break;
      case 12: graph.outputs.push_back(view_value(reader.message("an output"))); break;
      case 13: graph.values.push_back(view_value(reader.message("a value_info"))); break;
      case 15: graph.sparse_initializers.push_back(view_sparse(reader.message("a sparse initializer"))); break;
      default: break;
    }
  }
  return graph;
}

OpsetView view_opset(WireReader reader) {
  OpsetView opset;
  while (reader.next()) {
    if (reader.number() == 1) opset.domain = standard_domain(reader.text());
    if (reader.number() == 2) opset.version = reader.integer();
  }
  return opset;
}

FunctionView view_function(WireReader reader) {
  FunctionView function;
  function.range = reader.range();
  while (reader.next()) {
    switch (reader.number()) {
      case 1: function.name = reader.text(); break;
      case 4: function.inputs.push_back(reader.text()); break;
      case 5: function.outputs.push_back(reader.text()); break;
      case 7: function.nodes.push_back(view_node(reader.message("a node"))); break;
      case 9: function.opsets.push_back(view_opset(reader.message("an opset import"))); break;
      case 10: function.domain = standard_domain(reader.text()); break;
      case 11: function.defaults.push_back(view_attribute(reader.message("an attribute"))); break;
      case 12: function.values.push_back(view_value(reader.message("a value_info"))); break;
      case 13: function.overload = reader.text(); break;
      default: break;
    }
  }
  return function;
}

}  // namespace

std::string_view standard_domain(std::string_view domain) { return domain == "ai.onnx" ? std::string_view() : domain; }

DataType element_type(std::int64_t code) {
  using enum DataType;
  static constexpr std::array kTypes{Unknown, Float32, UInt8,   Int8,   UInt16, Int16,     Int32,      Int64,    String,
                                     Bool,    Float16, Float64, UInt32, UInt64, Complex64, Complex128, BFloat16, Float8,
                                     Float8,  Float8,  Float8,  UInt4,  Int4,   Float4,    Float8,     UInt2,    Int2};
  return code >= 0 && code < static_cast<std::int64_t>(kTypes.size()) ? kTypes[static_cast<std::size_t>(code)]
                                                                      : Unknown;
}

ModelView view_model(const WireFile& file) {
  ModelView model;
  model.range = {0, file.bytes.size()};
  bool has_graph = false;
  for (WireReader reader(file, model.range, "the model"); reader.next();) {
    switch (reader.number()) {
      case 1: model.ir_version = reader.integer(); break;
      case 2: model.producer = reader.text(); break;
      case 7:
        if (has_graph) fail_at(file, reader.field().whole.begin, "found a second graph, expected one in a model");
        has_graph = true;
        model.graph = view_graph(reader.message("the graph"));
        break;
      case 8: model.opsets.push_back(view_opset(reader.message("an opset import"))); break;
      case 25: model.functions.push_back(view_function(reader.message("a function"))); break;
      default: break;
    }
  }
  if (!has_graph) {
    throw InputError(ErrorKind::NotJson, file.source,
                     "found no graph, expected an ONNX model (ModelProto): is this file one of its tensors?");
  }
  if (model.ir_version < kOldestIr) {
    throw InputError(
        ErrorKind::Unsupported, file.source,
        fmt::format("found IR version {}, expected {} or newer: convert the model with a newer onnx package",
                    model.ir_version, kOldestIr));
  }
  return model;
}

bool looks_like_onnx(Bytes bytes) {
  // Files whose end is missing count: the reader says best what is wrong with them.
  const WireFile file{bytes, {}};
  bool has_version = false;
  std::size_t at = 0;
  try {
    while (at < bytes.size()) {
      const std::uint64_t tag = read_varint(file, at, bytes.size());
      const bool is_number = (tag & 7) == 0;
      switch (tag >> 3) {
        case 1:
        case 5:
          if (!is_number) return false;
          has_version |= tag >> 3 == 1 && read_varint(file, at, bytes.size()) < 1000;
          if (tag >> 3 == 5) read_varint(file, at, bytes.size());
          break;
        case 2:
        case 3:
        case 4:
        case 6:
        case 7:
        case 8:
        case 14:
        case 20:
        case 25:
        case 26: {
          if ((tag & 7) != 2) return false;
          const std::uint64_t length = read_varint(file, at, bytes.size());
          if (tag >> 3 == 7) return has_version;
          if (length > bytes.size() - at) return false;
          at += static_cast<std::size_t>(length);
          break;
        }
        default: return false;
      }
    }
  } catch (const InputError&) {
    return false;
  }
  return false;
}

}  // namespace partita::detail::onnx
