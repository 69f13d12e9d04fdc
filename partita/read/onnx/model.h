// SPDX-License-Identifier: Apache-2.0
// An ONNX model as its file has it: a typed view of the messages that matter, whose texts point into the mapped file.
// Elements of tensors stay where they are. Each message knows its bytes, so that a writer can copy it with all that this
// reader does not know. Field numbers: onnx/onnx.proto3 of the ONNX project.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "partita/model/tensor.h"
#include "partita/read/onnx/wire.h"

namespace partita::detail::onnx {

struct Dimension {
  std::optional<std::int64_t> value;
  std::string_view symbol;  // where there is no value; may be empty too
};

enum class TypeKind { Missing, Tensor, Sparse, Sequence, Optional, Map, Opaque };

struct TypeView {
  TypeKind kind = TypeKind::Missing;
  DataType element = DataType::Unknown;         // of a tensor
  std::int64_t element_code = 0;                // the same as the file has it
  std::optional<std::vector<Dimension>> shape;  // of a tensor; none: not given
};

struct ValueView {
  ByteRange range;
  std::string_view name;
  TypeView type;
};

struct TensorView {
  ByteRange range;
  std::string_view name;
  std::vector<std::int64_t> dims;
  DataType type = DataType::Unknown;
  std::int64_t type_code = 0;      // as the file has it
  std::optional<ByteRange> raw;    // little-endian, packed
  std::vector<ByteRange> numbers;  // fields of float_data, int32_data, int64_data, double_data or uint64_data, whole
  double text_bytes = 0;           // of string_data
  bool external = false;
  std::string_view location;  // of external data: relative to the folder of the model
  std::optional<std::int64_t> offset, length;
};

struct SparseView {
  ByteRange range;
  TensorView values, indices;
  std::vector<std::int64_t> dims;
};

struct GraphView;

struct AttributeView {
  ByteRange range;
  std::string_view name;
  std::int64_t type = 0;  // 0: not given
  std::optional<float> f;
  std::optional<std::int64_t> i;
  std::optional<std::string_view> s;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string_view> strings;
  std::vector<TensorView> tensors;  // of `t` and `tensors`
  std::vector<SparseView> sparse;
  std::vector<GraphView> graphs;   // of `g` and `graphs`
  std::string_view ref_attribute;  // in a function: the attribute of the call that is meant
};

struct NodeView {
  ByteRange range;
  std::string_view name, op_type, domain, overload;
  std::vector<std::string_view> inputs, outputs;  // an empty name: an optional one that is absent
  std::vector<AttributeView> attributes;
  std::string_view scopes;  // metadata of torch's exporter: the modules that the node comes from
};

struct GraphView {
  ByteRange range;
  std::string_view name;
  std::vector<NodeView> nodes;
  std::vector<TensorView> initializers;
  std::vector<SparseView> sparse_initializers;
  std::vector<ValueView> inputs, outputs, values;
};

struct OpsetView {
  std::string_view domain;
  std::int64_t version = 0;
};

struct FunctionView {
  ByteRange range;
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<AttributeView> defaults;  // attributes that a call may leave out
  std::vector<NodeView> nodes;
  std::vector<ValueView> values;
  std::vector<OpsetView> opsets;
};

struct ModelView {
  ByteRange range;
  std::int64_t ir_version = 0;
  std::string_view producer;
  std::vector<OpsetView> opsets;
  std::vector<FunctionView> functions;
  GraphView graph;
};

// The IR versions that this reader was written for. Older files are refused, newer ones read.
inline constexpr std::int64_t kOldestIr = 3, kNewestIr = 14;

// Throws InputError for what is not an ONNX model.
ModelView view_model(const WireFile& file);

// The type that a number of TensorProto.DataType names; Unknown for one that is newer than this reader.
DataType element_type(std::int64_t code);

// "" for the standard's own domain, which files also call "ai.onnx".
std::string_view standard_domain(std::string_view domain);

// Is there anything that only a model has? Looks at the head of the fields alone.
bool looks_like_onnx(Bytes bytes);

}  // namespace partita::detail::onnx
