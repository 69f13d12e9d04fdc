// SPDX-License-Identifier: Apache-2.0
// The wire format: what is damaged is refused by its byte, and what is read remembers where it stands.
#include <algorithm>
#include <random>

#include "partita/read/onnx/model.h"
#include "partita/read/onnx/wire.h"
#include "tests/read/inputs.h"
#include "tests/read/onnx_bytes.h"
#include "tests/support/mutate_bytes.h"

namespace partita::detail {
namespace {

std::string small_model() {
  return model(graph({.nodes = {op("Relu", {"x"}, {"y"})},
                      .inputs = {value("x", kFloat, {"2", "3"})},
                      .outputs = {value("y", kFloat, {"2", "3"})},
                      .weights = {},
                      .values = {}}));
}

TEST(OnnxWire, PackedAndSingleNumbersAreTheSame) {
  Message packed;
  packed.text(1, std::string("\x03\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13)).number(1, 5);
  const onnx::WireFile file{as_span(packed.bytes()), "f"};
  std::vector<std::int64_t> numbers;
  for (onnx::WireReader reader(file, {0, file.bytes.size()}, "a test"); reader.next();) reader.integers(numbers);
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{3, 128, -1, 5}));
}

TEST(OnnxWire, EveryPrefixOfAModelIsRefusedWithALine) {
  const std::string whole = small_model();
  EXPECT_EQ(read_model(whole).operators.size(), 1u);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    // A file that ends between two fields behind the graph lacks only its opset.
    if (length > 0 && whole.size() - length == 6) continue;
    const InputError error = error_of([&] { read_model(cut); });
    EXPECT_FALSE(error.problem().empty());
  }
}

TEST(OnnxWire, LengthsThatOverflowNameTheirByte) {
  // Field 7 with a length of 2^64 - 1, behind an IR version.
  const std::string bytes = std::string("\x08\x08\x3a", 3) + std::string(9, '\xff') + "\x01";
  EXPECT_SAYS(error_of([&] { read_model(bytes); }), ErrorKind::NotJson, "byte 2", "18446744073709551615", "cut off");
  const std::string endless = std::string("\x08", 1) + std::string(11, '\xff');
  EXPECT_SAYS(error_of([&] { read_model(endless); }), ErrorKind::NotJson, "byte 1", "64 bits");
  EXPECT_SAYS(error_of([] { read_model(std::string("\x0b\x08", 2)); }), ErrorKind::NotJson, "byte 0", "wire type 3");
  EXPECT_SAYS(error_of([] { read_model(std::string("\x08\x08\x38\x01", 4)); }), ErrorKind::NotJson, "byte 2",
              "wire type 0", "expected a message");
}

TEST(OnnxWire, NestingIsLimited) {
  Message inner =
      graph({.nodes = {op("Relu", {"x"}, {"y"})}, .inputs = {}, .outputs = {}, .weights = {}, .values = {}});
  for (int depth = 0; depth < 60; ++depth) {
    inner = graph({.nodes = {op("If", {"c"}, {"y"}, {graph_attribute("then_branch", inner)})},
                   .inputs = {},
                   .outputs = {},
                   .weights = {},
                   .values = {}});
  }
  EXPECT_SAYS(error_of([&] { read_model(model(inner)); }), ErrorKind::NotJson, "nested", "deep");
}

TEST(OnnxWire, WhatIsNotAModelIsRefused) {
  EXPECT_SAYS(error_of([] { read_model(""); }), ErrorKind::NotJson, "no graph");
  EXPECT_SAYS(error_of([] { read_model("{\"nodes\": []}"); }), ErrorKind::NotJson, "byte 0", "not an ONNX model");
  EXPECT_SAYS(error_of([] { read_model(std::string(64, '\0')); }), ErrorKind::NotJson, "byte 0", "field number 0");
  EXPECT_SAYS(error_of([] { read_model(Message().number(1, 2).add(7, Message()).bytes()); }), ErrorKind::Unsupported,
              "IR version 2");
}

TEST(OnnxWire, ContentTellsAModel) {
  const std::string bytes = small_model();
  EXPECT_TRUE(looks_like_onnx(as_span(bytes)));
  EXPECT_TRUE(looks_like_onnx(as_span(bytes.substr(0, 20)))) << "the reader says best what is missing";
  for (const std::string& other :
       {std::string(), std::string("{}"), std::string("GGUF\3\0\0\0", 8), std::string("\x1f\x8b"),
        std::string("\x40\0\0\0\0\0\0\0{\"", 10), std::string("digraph {}")}) {
    EXPECT_FALSE(looks_like_onnx(as_span(other))) << other;
  }
}

TEST(OnnxWire, MessagesKnowTheirBytesWithUnknownFields) {
  Message node = op("Relu", {"x"}, {"y"}, {}, "relu");
  node.text(99, "from the future");
  const std::string bytes = model(graph({.nodes = {node},
                                         .inputs = {value("x", kFloat, {"2"})},
                                         .outputs = {value("y", kFloat, {"2"})},
                                         .weights = {weight("w", {4, 4})},
                                         .values = {}}));
  const onnx::WireFile file{as_span(bytes), "f"};
  const onnx::ModelView view = onnx::view_model(file);
  const auto text = [&](onnx::ByteRange range) { return bytes.substr(range.begin, range.size()); };
  EXPECT_EQ(text(view.range), bytes);
  EXPECT_EQ(text(view.graph.nodes.at(0).range), node.bytes());
  EXPECT_EQ(text(view.graph.initializers.at(0).range), weight("w", {4, 4}).bytes());
  EXPECT_EQ(text(view.graph.inputs.at(0).range), value("x", kFloat, {"2"}).bytes());
}

TEST(OnnxWire, DamagedModelsAreReadOrRefused) {
  std::mt19937 random(5);
  const std::string whole = small_model();
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string bytes = mutate_bytes(whole, random);
    try {
      read_model(bytes);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace partita::detail
