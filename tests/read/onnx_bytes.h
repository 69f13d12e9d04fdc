// SPDX-License-Identifier: Apache-2.0
// ONNX models made by hand, byte by byte, for tests: field numbers as in onnx.proto3. Shares nothing with the reader.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/read/onnx.h"

namespace partita::detail {

class Message {
 public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& add(std::uint32_t field, const Message& value) { return text(field, value.bytes_); }
  Message& real(std::uint32_t field, float value) {
    varint(std::uint64_t{field} << 3 | 5);
    char raw[4];
    std::memcpy(raw, &value, 4);
    bytes_.append(raw, 4);
    return *this;
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

using Names = std::vector<std::string>;
using Extents = std::vector<std::int64_t>;

inline constexpr int kFloat = 1, kInt64 = 7, kBool = 9;

inline Message integer_attribute(std::string_view name, std::int64_t value) {
  return Message().text(1, name).number(3, static_cast<std::uint64_t>(value)).number(20, 2);
}
inline Message integers_attribute(std::string_view name, const Extents& values) {
  Message message = Message().text(1, name).number(20, 7);
  for (std::int64_t value : values) message.number(8, static_cast<std::uint64_t>(value));
  return message;
}
inline Message text_attribute(std::string_view name, std::string_view value) {
  return Message().text(1, name).text(4, value).number(20, 3);
}
inline Message graph_attribute(std::string_view name, const Message& graph) {
  return Message().text(1, name).add(6, graph).number(20, 5);
}

inline Message op(std::string_view kind, const Names& inputs, const Names& outputs,
                  const std::vector<Message>& attributes = {}, std::string_view name = "",
                  std::string_view domain = "") {
  Message node;
  for (const std::string& input : inputs) node.text(1, input);
  for (const std::string& output : outputs) node.text(2, output);
  if (!name.empty()) node.text(3, name);
  node.text(4, kind);
  for (const Message& attribute : attributes) node.add(5, attribute);
  if (!domain.empty()) node.text(7, domain);
  return node;
}

// Extents: numbers, or names of dimensions; "?" has neither.
inline Message value(std::string_view name, int type, const Names& extents) {
  Message shape;
  for (const std::string& extent : extents) {
    Message dimension;
    if (extent.find_first_not_of("0123456789") == std::string::npos) {
      dimension.number(1, std::stoull(extent));
    } else if (extent != "?") {
      dimension.text(2, extent);
    }
    shape.add(1, dimension);
  }
  return Message().text(1, name).add(
      2, Message().add(1, Message().number(1, static_cast<std::uint64_t>(type)).add(2, shape)));
}

inline Message value_without_shape(std::string_view name, int type = kFloat) {
  return Message().text(1, name).add(2, Message().add(1, Message().number(1, static_cast<std::uint64_t>(type))));
}

// A tensor whose elements are elsewhere.
inline Message weight(std::string_view name, const Extents& extents, int type = kFloat) {
  Message tensor;
  for (std::int64_t extent : extents) tensor.number(1, static_cast<std::uint64_t>(extent));
  tensor.number(2, static_cast<std::uint64_t>(type)).text(8, name);
  return tensor.add(13, Message().text(1, "location").text(2, "not-here.data")).number(14, 1);
}

// A row of integers, inside the file.
inline Message integers(std::string_view name, const Extents& values, bool scalar = false) {
  Message tensor;
  if (!scalar) tensor.number(1, values.size());
  tensor.number(2, kInt64);
  for (std::int64_t number : values) tensor.number(7, static_cast<std::uint64_t>(number));
  return tensor.text(8, name);
}

struct GraphParts {
  std::vector<Message> nodes, inputs, outputs, weights, values;
};

inline Message graph(const GraphParts& parts, std::string_view name = "graph") {
  Message message;
  for (const Message& node : parts.nodes) message.add(1, node);
  message.text(2, name);
  for (const Message& tensor : parts.weights) message.add(5, tensor);
  for (const Message& input : parts.inputs) message.add(11, input);
  for (const Message& output : parts.outputs) message.add(12, output);
  for (const Message& info : parts.values) message.add(13, info);
  return message;
}

inline Message opset(std::int64_t version, std::string_view domain = "") {
  return Message().text(1, domain).number(2, static_cast<std::uint64_t>(version));
}

inline std::string model(const Message& graph, std::int64_t version = 18, const std::vector<Message>& functions = {}) {
  Message message = Message().number(1, 8).text(2, "test").add(7, graph).add(8, opset(version));
  for (const Message& function : functions) message.add(25, function);
  return message.bytes();
}

inline std::span<const std::byte> as_span(std::string_view text) { return std::as_bytes(std::span(text)); }

inline Network read_model(const std::string& bytes, const ReadNetworkOptions& options = {}) {
  return parse_onnx(as_span(bytes), "m.onnx", options);
}

inline std::string type_of(const Network& network, std::string_view tensor) {
  for (const Tensor& candidate : network.tensors) {
    if (candidate.name == tensor) return to_string(candidate.type);
  }
  return "there is no such tensor";
}

}  // namespace partita::detail
