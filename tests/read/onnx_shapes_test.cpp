// SPDX-License-Identifier: Apache-2.0
// Shapes that are inferred, operator by operator; shape arithmetic that vanishes; dimensions that a caller sets.
#include <algorithm>

#include "tests/read/inputs.h"
#include "tests/read/onnx_bytes.h"

namespace partita::detail {
namespace {

struct Case {
  Message node;  // reads x, and of a, b, c, d what it wants; makes y
  Names x;
  std::vector<Message> weights;
  std::string expected;
  int opset = 18;
};

Network read_case(const Case& test) {
  return read_model(model(graph({.nodes = {test.node},
                                 .inputs = {value("x", kFloat, test.x)},
                                 .outputs = {value_without_shape("y")},
                                 .weights = test.weights,
                                 .values = {}}),
                          test.opset));
}

TEST(OnnxShapes, OfSingleOperators) {
  const auto ints = [](const char* name, const Extents& numbers) { return integers_attribute(name, numbers); };
  const auto number = [](const char* name, std::int64_t value) { return integer_attribute(name, value); };
  const std::vector<Case> cases{
      {op("Conv", {"x", "a"}, {"y"}, {ints("pads", {3, 3, 3, 3}), ints("strides", {2, 2})}),
       {"1", "3", "224", "224"},
       {weight("a", {64, 3, 7, 7})},
       "fp32[1,64,112,112]"},
      {op("Conv", {"x", "a"}, {"y"}, {text_attribute("auto_pad", "SAME_UPPER"), ints("strides", {2, 2})}),
       {"1", "3", "15", "15"},
       {weight("a", {8, 3, 3, 3})},
       "fp32[1,8,8,8]"},
      {op("Conv", {"x", "a"}, {"y"}, {ints("dilations", {2})}),
       {"1", "3", "15"},
       {weight("a", {8, 3, 3})},
       "fp32[1,8,11]"},
      {op("ConvTranspose", {"x", "a"}, {"y"},
          {ints("strides", {2, 2}), ints("pads", {1, 1, 1, 1}), ints("output_padding", {1, 1}), number("group", 2)}),
       {"1", "4", "5", "5"},
       {weight("a", {4, 3, 3, 3})},
       "fp32[1,6,10,10]"},
      {op("MaxPool", {"x"}, {"y"}, {ints("kernel_shape", {3, 3}), ints("strides", {2, 2}), number("ceil_mode", 1)}),
       {"1", "8", "31", "32"},
       {},
       "fp32[1,8,15,16]"},
      {op("MatMul", {"x", "a"}, {"y"}), {"7", "1", "2", "3"}, {weight("a", {5, 3, 4})}, "fp32[7,5,2,4]"},
      {op("MatMul", {"x", "a"}, {"y"}), {"3"}, {weight("a", {3, 4})}, "fp32[4]"},
      {op("Gemm", {"x", "a"}, {"y"}, {number("transA", 1), number("transB", 1)}),
       {"3", "2"},
       {weight("a", {4, 3})},
       "fp32[2,4]"},
      {op("Einsum", {"x", "a"}, {"y"}, {text_attribute("equation", "...ij, jk -> ...ki")}),
       {"9", "2", "3"},
       {weight("a", {3, 4})},
       "fp32[9,4,2]"},
      {op("ReduceMean", {"x", "a"}, {"y"}), {"2", "3", "4"}, {integers("a", {-1, 0})}, "fp32[1,3,1]"},
      {op("ReduceMean", {"x"}, {"y"}, {ints("axes", {1}), number("keepdims", 0)}),
       {"2", "3", "4"},
       {},
       "fp32[2,4]",
       13},
      {op("Reshape", {"x", "a"}, {"y"}), {"2", "3", "4"}, {integers("a", {0, -1})}, "fp32[2,12]"},
      {op("Transpose", {"x"}, {"y"}, {ints("perm", {2, 0, 1})}), {"2", "3", "4"}, {}, "fp32[4,2,3]"},
      {op("Concat", {"x", "a", "x"}, {"y"}, {number("axis", -1)}), {"2", "3"}, {weight("a", {2, 5})}, "fp32[2,11]"},
      {op("Slice", {"x", "a", "b", "c", "d"}, {"y"}),
       {"20", "10"},
       {integers("a", {-3, 9}), integers("b", {INT64_MAX, INT64_MIN}), integers("c", {0, 1}), integers("d", {1, -3})},
       "fp32[3,4]"},
      {op("Gather", {"x", "a"}, {"y"}, {number("axis", 1)}),
       {"2", "3", "4"},
       {weight("a", {5, 6}, kInt64)},
       "fp32[2,5,6,4]"},
      {op("GatherND", {"x", "a"}, {"y"}, {number("batch_dims", 1)}),
       {"2", "3", "4"},
       {weight("a", {2, 7, 1}, kInt64)},
       "fp32[2,7,4]"},
      {op("Squeeze", {"x", "a"}, {"y"}), {"1", "3", "1"}, {integers("a", {-1})}, "fp32[1,3]"},
      {op("Unsqueeze", {"x", "a"}, {"y"}), {"3", "4"}, {integers("a", {0, -1})}, "fp32[1,3,4,1]"},
      {op("Expand", {"x", "a"}, {"y"}), {"3", "1"}, {integers("a", {2, 1, 6})}, "fp32[2,3,6]"},
      {op("Tile", {"x", "a"}, {"y"}), {"3", "2"}, {integers("a", {2, 5})}, "fp32[6,10]"},
      {op("Pad", {"x", "a", "", "b"}, {"y"}), {"3", "2"}, {integers("a", {1, -1}), integers("b", {1})}, "fp32[3,2]"},
      {op("Resize", {"x", "", "", "a"}, {"y"}),
       {"1", "3", "8", "8"},
       {integers("a", {1, 3, 20, 12})},
       "fp32[1,3,20,12]"},
      {op("Flatten", {"x"}, {"y"}, {number("axis", 2)}), {"2", "3", "4", "5"}, {}, "fp32[6,20]"},
      {op("Split", {"x"}, {"p", "y"}, {number("axis", 1), number("num_outputs", 2)}), {"2", "5"}, {}, "fp32[2,2]"},
      {op("TopK", {"x", "a"}, {"p", "y"}), {"4", "9"}, {integers("a", {3})}, "int64[4,3]"},
      {op("ArgMax", {"x"}, {"y"}, {number("axis", 1), number("keepdims", 0)}), {"4", "9"}, {}, "int64[4]"},
      {op("Cast", {"x"}, {"y"}, {number("to", 10)}), {"4"}, {}, "fp16[4]"},
      {op("Greater", {"x", "a"}, {"y"}), {"4", "1"}, {weight("a", {3})}, "bool[4,3]"},
      {op("LSTM", {"x", "a", "b"}, {"p", "y"},
          {number("hidden_size", 20), text_attribute("direction", "bidirectional")}),
       {"7", "2", "10"},
       {weight("a", {2, 80, 10}), weight("b", {2, 80, 20})},
       "fp32[2,2,20]"},
      {op("LayerNormalization", {"x", "a"}, {"p", "y"}, {number("axis", -1)}),
       {"2", "3", "4"},
       {weight("a", {4})},
       "fp32[2,3,1]"},
      {op("DepthToSpace", {"x"}, {"y"}, {number("blocksize", 2)}), {"1", "8", "3", "4"}, {}, "fp32[1,2,6,8]"},
      {op("Attention", {"x", "a"}, {"y"}, {number("num_heads", 4)}, "", "com.microsoft"),
       {"2", "10", "64"},
       {weight("a", {64, 192})},
       "fp32[2,10,64]"},
      {op("GroupQueryAttention", {"x", "a", "a", "b", "b"}, {"p", "y"},
          {number("num_heads", 4), number("kv_num_heads", 2)}, "", "com.microsoft"),
       {"2", "1", "64"},
       {weight("a", {2, 1, 32}), weight("b", {2, 2, 99, 16})},
       "fp32[2,2,100,16]"},
      {op("Attention", {"x", "a", "a"}, {"y"}),
       {"2", "8", "10", "16"},
       {weight("a", {2, 4, 30, 16})},
       "fp32[2,8,10,16]",
       23},
      {op("MatMulNBits", {"x", "a", "b"}, {"y"}, {number("N", 48), number("K", 64)}, "", "com.microsoft"),
       {"2", "10", "64"},
       {weight("a", {48, 2, 16}, 2), weight("b", {96})},
       "fp32[2,10,48]"},
      {op("FusedMatMul", {"x", "a"}, {"y"}, {number("transA", 1)}, "", "com.microsoft"),
       {"5", "3", "2"},
       {weight("a", {5, 3, 4})},
       "fp32[5,2,4]"},
      {op("DequantizeLinear", {"a", "b"}, {"y"}), {"2"}, {weight("a", {6, 7}, 22), weight("b", {6}, 10)}, "fp16[6,7]"},
      {op("NonZero", {"x"}, {"y"}), {"2", "3"}, {}, "int64[?]"},
  };
  for (const Case& test : cases) {
    const Network network = read_case(test);
    EXPECT_EQ(type_of(network, "y"), test.expected) << network.operators[OperatorId(0)].kind;
  }
}

// x [batch, 3, 4] -> its shape, its batch, the product of the rest -> a matrix.
GraphParts matrix_of_shape() {
  return {
      .nodes = {op("Shape", {"x"}, {"s"}), op("Gather", {"s", "zero"}, {"n"}), op("Unsqueeze", {"n", "row"}, {"n1"}),
                op("Slice", {"s", "one", "end"}, {"rest"}), op("ReduceProd", {"rest"}, {"p"}),
                op("Mul", {"p", "two"}, {"p2"}), op("Div", {"p2", "two"}, {"p1"}),
                op("Concat", {"n1", "p1"}, {"shape"}, {integer_attribute("axis", 0)}),
                op("Reshape", {"x", "shape"}, {"m"}), op("MatMul", {"m", "w"}, {"y"})},
      .inputs = {value("x", kFloat, {"batch", "3", "4"})},
      .outputs = {value("y", kFloat, {"batch", "5"})},
      .weights = {integers("zero", {0}, true), integers("row", {0}), integers("one", {1}), integers("end", {INT64_MAX}),
                  integers("two", {2}), weight("w", {12, 5})},
      .values = {}};
}

TEST(OnnxShapes, ShapeArithmeticVanishes) {
  const Network network = read_model(model(graph(matrix_of_shape())), {.dimensions = {{"batch", 6}}});
  ASSERT_EQ(network.operators.size(), 2u);
  EXPECT_EQ(type_of(network, "m"), "fp32[6,12]");
  EXPECT_EQ(network.operators[OperatorId(1)].flops, 2 * 6 * 12 * 5);
  EXPECT_TRUE(network.notes.empty());
}

TEST(OnnxShapes, OpenDimensionsAreNamedAndStayUnknown) {
  const Network network = read_model(model(graph(matrix_of_shape())));
  EXPECT_EQ(type_of(network, "y"), "fp32[?]");
  EXPECT_FALSE(network.operators[OperatorId(network.operators.size() - 1)].flops);
  ASSERT_FALSE(network.notes.empty());
  EXPECT_NE(network.notes[0].find("batch: set it with ReadNetworkOptions::dimensions"), std::string::npos)
      << network.notes[0];
}

TEST(OnnxShapes, DimensionsAreCalledByNameOrPlace) {
  const std::string bytes = model(graph({.nodes = {op("Relu", {"x"}, {"y"})},
                                         .inputs = {value("x", kFloat, {"?", "seq", "4"})},
                                         .outputs = {value_without_shape("y")},
                                         .weights = {},
                                         .values = {}}));
  EXPECT_EQ(type_of(read_model(bytes, {.dimensions = {{"x:0", 2}, {"seq", 3}}}), "y"), "fp32[2,3,4]");
  EXPECT_EQ(type_of(read_model(bytes, {.dimensions = {{"x:0", 2}, {"x:1", 3}}}), "y"), "fp32[2,3,4]");
  EXPECT_SAYS(error_of([&] {
                read_model(bytes, {.dimensions = {{"sek", 2}}});
              }),
              ErrorKind::Usage, "ReadNetworkOptions::dimensions", "'sek'", "did you mean 'seq'");
  EXPECT_SAYS(error_of([&] { read_model(bytes, {.dimensions = {{"x:2", 2}}}); }), ErrorKind::Usage, "'x:2'");
  EXPECT_SAYS(error_of([&] { read_model(bytes, {.dimensions = {{"seq", 0}}}); }), ErrorKind::Usage, "size 0");
}

TEST(OnnxShapes, TheFileIsBelievedWhereInferenceIsSilent) {
  const auto with_info = [](const Names& extents, const char* kind, const char* domain) {
    return read_model(model(graph({.nodes = {op(kind, {"x"}, {"m"}, {}, "", domain), op("Relu", {"m"}, {"y"})},
                                   .inputs = {value("x", kFloat, {"2", "3"})},
                                   .outputs = {value_without_shape("y")},
                                   .weights = {},
                                   .values = {value("m", kFloat, extents)}})));
  };
  const Network silent = with_info({"7"}, "Magic", "example.org");
  EXPECT_EQ(type_of(silent, "y"), "fp32[7]");
  const Network contradiction = with_info({"2", "4"}, "Neg", "");
  EXPECT_EQ(type_of(contradiction, "y"), "fp32[2,3]");
  ASSERT_EQ(contradiction.notes.size(), 1u);
  EXPECT_NE(contradiction.notes[0].find("something else"), std::string::npos) << contradiction.notes[0];
}

TEST(OnnxShapes, ViewsOfWeightsAreThatWeight) {
  const Network network = read_model(model(
      graph({.nodes = {op("Identity", {"w"}, {"v"}), op("Reshape", {"v", "s"}, {"u"}), op("MatMul", {"x", "u"}, {"y"})},
             .inputs = {value("x", kFloat, {"2", "3"})},
             .outputs = {value_without_shape("y")},
             .weights = {weight("w", {12}), integers("s", {3, 4})},
             .values = {}})));
  ASSERT_EQ(network.operators.size(), 1u);
  ASSERT_EQ(network.weights.size(), 1u);
  EXPECT_EQ(network.weights[WeightId(0)].name, "w");
  EXPECT_EQ(network.operators[OperatorId(0)].family, OperatorFamily::MatrixProduct);
  EXPECT_EQ(type_of(network, "y"), "fp32[2,4]");
}

}  // namespace
}  // namespace partita::detail
