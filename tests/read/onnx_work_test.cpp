// SPDX-License-Identifier: Apache-2.0
// Work, families, weights and layers of operators.
#include "tests/read/inputs.h"
#include "tests/read/onnx_bytes.h"

namespace partita::detail {
namespace {

Network one(const Message& node, const Names& x, const std::vector<Message>& weights, std::int64_t version = 18) {
  return read_model(model(
      graph({.nodes = {node}, .inputs = {value("x", kFloat, x)}, .outputs = {}, .weights = weights, .values = {}}),
      version));
}

Operator only(const Network& network) {
  EXPECT_EQ(network.operators.size(), 1u);
  return network.operators[OperatorId(0)];
}

TEST(OnnxWork, MultiplyAddsCountTwo) {
  const auto flops = [](const Message& node, const Names& x, const std::vector<Message>& weights) {
    return only(one(node, x, weights)).flops;
  };
  EXPECT_EQ(flops(op("MatMul", {"x", "a"}, {"y"}), {"7", "2", "3"}, {weight("a", {3, 4})}), 2 * 7 * 2 * 3 * 4);
  EXPECT_EQ(flops(op("Gemm", {"x", "a", "b"}, {"y"}), {"2", "3"}, {weight("a", {3, 4}), weight("b", {4})}),
            2 * 2 * 3 * 4 + 2 * 4);
  EXPECT_EQ(flops(op("Conv", {"x", "a", "b"}, {"y"}, {integer_attribute("group", 2)}), {"1", "4", "10"},
                  {weight("a", {6, 2, 3}), weight("b", {6})}),
            6 * 8 * (2 * 2 * 3 + 1));
  EXPECT_EQ(flops(op("ConvTranspose", {"x", "a"}, {"y"}), {"1", "4", "10"}, {weight("a", {4, 6, 3})}),
            2 * 4 * 10 * 6 * 3);
  EXPECT_EQ(flops(op("Einsum", {"x", "a"}, {"y"}, {text_attribute("equation", "bij,bjk->bik")}), {"5", "2", "3"},
                  {weight("a", {5, 3, 4})}),
            2 * 5 * 2 * 3 * 4);
  EXPECT_EQ(
      flops(op("LSTM", {"x", "a", "b"}, {"y"}), {"7", "2", "10"}, {weight("a", {1, 80, 10}), weight("b", {1, 80, 20})}),
      2 * 7 * 2 * 80 * 30);
  EXPECT_EQ(flops(op("Softmax", {"x"}, {"y"}), {"7", "2"}, {}), 5 * 14);
  EXPECT_EQ(flops(op("Tanh", {"x"}, {"y"}), {"7", "2"}, {}), 14);
  EXPECT_EQ(flops(op("MaxPool", {"x"}, {"y"}, {integers_attribute("kernel_shape", {2})}), {"1", "3", "5"}, {}),
            3 * 4 * 2);
  // Two products of 4 heads, 10 queries, 10 keys, 16 wide, five for the softmax; the projection to queries, keys and values.
  EXPECT_EQ(flops(op("Attention", {"x", "a"}, {"y"}, {integer_attribute("num_heads", 4)}, "", "com.microsoft"),
                  {"2", "10", "64"}, {weight("a", {64, 192})}),
            2.0 * 4 * 10 * 10 * (2 * 32 + 5) + 2.0 * 2 * 10 * 64 * 192);
  EXPECT_EQ(flops(op("MatMulNBits", {"x", "a"}, {"y"}, {integer_attribute("N", 48), integer_attribute("K", 64)}, "",
                     "com.microsoft"),
                  {"10", "64"}, {weight("a", {48, 2, 16}, 2)}),
            2 * 10 * 48 * 64);
}

// As ONNX Runtime saves what it optimised: operators of its own, whose shapes only the file knows.
TEST(OnnxWork, TheFilesWordCountsForOperatorsOfRuntimes) {
  const std::string domain = "com.microsoft.nchwc";
  const Network network = read_model(model(
      graph({.nodes = {op("ReorderInput", {"x"}, {"r"}, {}, "", domain), op("Conv", {"r", "a"}, {"c"}, {}, "", domain),
                       op("MaxPool", {"c"}, {"p"}, {integers_attribute("kernel_shape", {2, 2})}, "", domain),
                       op("NobodyKnows", {"p"}, {"y"}, {}, "", "com.microsoft")},
             .inputs = {value("x", kFloat, {"1", "8", "10", "10"})},
             .outputs = {value("y", kFloat, {"1", "16"})},
             .weights = {weight("a", {16, 8, 1, 1})},
             .values = {value("r", kFloat, {"1", "8", "10", "10"}), value("c", kFloat, {"1", "16", "10", "10"}),
                        value("p", kFloat, {"1", "16", "5", "5"})}})));
  const auto at = [&](int i) { return network.operators[OperatorId(i)]; };
  EXPECT_EQ(at(0).family, OperatorFamily::Movement);
  EXPECT_EQ(at(1).family, OperatorFamily::PointwiseConvolution);
  EXPECT_EQ(at(1).flops, 16 * 100 * 2 * 8);
  EXPECT_EQ(at(2).family, OperatorFamily::Pooling);
  EXPECT_EQ(type_of(network, "p"), "fp32[1,16,5,5]");
  EXPECT_FALSE(at(3).flops);
  for (const std::string& note : network.notes) EXPECT_EQ(note.find("unknown shapes"), std::string::npos) << note;
}

TEST(OnnxWork, ViewsMoveNothingAndLookupsWhatTheyTake) {
  const Operator view = only(one(op("Reshape", {"x", "s"}, {"y"}), {"4", "6"}, {integers("s", {24})}));
  EXPECT_EQ(view.family, OperatorFamily::View);
  EXPECT_EQ(view.moved_bytes, 0);
  EXPECT_EQ(view.flops, 0);
  const Network lookup = read_model(model(graph({.nodes = {op("Gather", {"table", "x"}, {"y"})},
                                                 .inputs = {value("x", kInt64, {"5"})},
                                                 .outputs = {},
                                                 .weights = {weight("table", {30000, 64})},
                                                 .values = {}})));
  EXPECT_EQ(only(lookup).moved_bytes, 2 * 5 * 64 * 4 + 5 * 8);
  EXPECT_EQ(only(lookup).arithmetic, DataType::Float32);
  EXPECT_EQ(lookup.weights[WeightId(0)].bytes, 30000 * 64 * 4);
}

TEST(OnnxWork, ConvolutionsByTheirKernelsGroupsAndStrides) {
  const auto family = [](const char* kind, std::vector<std::int64_t> kernel, const std::vector<Message>& attributes) {
    return only(one(op(kind, {"x", "a"}, {"y"}, attributes), {"1", "4", "10", "10"}, {weight("a", kernel)})).family;
  };
  EXPECT_EQ(family("Conv", {6, 4, 3, 3}, {}), OperatorFamily::Convolution);
  EXPECT_EQ(family("Conv", {6, 4, 1, 1}, {}), OperatorFamily::PointwiseConvolution);
  EXPECT_EQ(family("Conv", {6, 4, 1, 1}, {integers_attribute("strides", {1, 1})}),
            OperatorFamily::PointwiseConvolution);
  EXPECT_EQ(family("Conv", {6, 4, 1, 1}, {integers_attribute("strides", {2, 2})}), OperatorFamily::Convolution)
      << "what it reads does not lie together";
  EXPECT_EQ(family("Conv", {4, 1, 3, 3}, {integer_attribute("group", 4)}), OperatorFamily::GroupedConvolution);
  EXPECT_EQ(family("Conv", {4, 2, 1, 1}, {integer_attribute("group", 2)}), OperatorFamily::GroupedConvolution);
  EXPECT_EQ(family("ConvTranspose", {4, 6, 1, 1}, {}), OperatorFamily::Convolution);
}

TEST(OnnxWork, BatchNormsWithStoredStatisticsAndWithTheirOwn) {
  const std::vector<Message> weights{weight("s", {4}), weight("b", {4}), weight("m", {4}), weight("v", {4})};
  const auto norm = [&](const Names& outputs, const std::vector<Message>& attributes, std::int64_t version) {
    return only(one(op("BatchNormalization", {"x", "s", "b", "m", "v"}, outputs, attributes), {"2", "4", "10"}, weights,
                    version));
  };
  EXPECT_EQ(norm({"y"}, {}, 18).family, OperatorFamily::ChannelScaling);
  EXPECT_EQ(norm({"y"}, {}, 18).flops, 2 * 80);
  EXPECT_EQ(norm({"y", "mean", "var"}, {integer_attribute("training_mode", 1)}, 18).family,
            OperatorFamily::BatchNormalization);
  EXPECT_EQ(norm({"y", "mean", "var"}, {}, 9).family, OperatorFamily::BatchNormalization);
  EXPECT_EQ(only(one(op("InstanceNormalization", {"x", "s", "b"}, {"y"}), {"2", "4", "10"},
                     {weight("s", {4}), weight("b", {4})}))
                .family,
            OperatorFamily::BatchNormalization);
  EXPECT_EQ(
      only(one(op("Concat", {"x", "s"}, {"y"}, {integer_attribute("axis", 0)}), {"2"}, {weight("s", {4})})).family,
      OperatorFamily::Concatenation);
}

TEST(OnnxWork, ProductsOfActivationsAreAttention) {
  const Network network =
      read_model(model(graph({.nodes = {op("MatMul", {"x", "w"}, {"q"}), op("MatMul", {"q", "x"}, {"y"})},
                              .inputs = {value("x", kFloat, {"3", "3"})},
                              .outputs = {},
                              .weights = {weight("w", {3, 3})},
                              .values = {}})));
  EXPECT_EQ(network.operators[OperatorId(0)].family, OperatorFamily::MatrixProduct);
  EXPECT_EQ(network.operators[OperatorId(1)].family, OperatorFamily::Attention);
}

TEST(OnnxWork, WeightsOfFewBitsArePacked) {
  const Network network =
      one(op("DequantizeLinear", {"w", "s"}, {"y"}), {"2"}, {weight("w", {5, 7}, 22), weight("s", {})});
  EXPECT_EQ(network.weights[WeightId(0)].bytes, 18);
  EXPECT_EQ(network.parameters(), 35);
}

TEST(OnnxWork, PackedMatricesCountTheirWeights) {
  const Network network = one(
      op("MatMulNBits", {"x", "a", "s"}, {"y"},
         {integer_attribute("N", 48), integer_attribute("K", 64), integer_attribute("bits", 4)}, "", "com.microsoft"),
      {"10", "64"}, {weight("a", {48, 2, 16}, 2), weight("s", {})});
  EXPECT_EQ(network.parameters(), 48 * 64);
  EXPECT_EQ(network.weights[WeightId(0)].bytes, 48 * 64 / 2);
}

TEST(OnnxWork, TablesThatAreOnlyCalculatedWithAreNoParameters) {
  const Network network = read_model(model(
      graph({.nodes = {op("Cos", {"angles"}, {"c"}), op("Mul", {"x", "c"}, {"r"}), op("Mul", {"r", "scale"}, {"y"})},
             .inputs = {value("x", kFloat, {"3", "4"})},
             .outputs = {},
             .weights = {weight("angles", {3, 4}), weight("scale", {4})},
             .values = {}})));
  EXPECT_EQ(network.parameters(), 4);
}

std::vector<std::int64_t> layers_of(const std::vector<Message>& nodes, const std::vector<Message>& weights) {
  const Network network = read_model(model(graph(
      {.nodes = nodes, .inputs = {value("x", kFloat, {"3", "3"})}, .outputs = {}, .weights = weights, .values = {}})));
  std::vector<std::int64_t> layers;
  for (const Operator& each : network.operators) layers.push_back(each.layer.value_or(-1));
  return layers;
}

TEST(OnnxLayers, FromNamesOfNodes) {
  EXPECT_EQ(
      layers_of({op("Relu", {"x"}, {"a"}, {}, "/embed/Relu"), op("Relu", {"a"}, {"b"}, {}, "/model/layers.3/mlp/Relu"),
                 op("Neg", {"b"}, {"c"}, {}, "between"), op("Relu", {"c"}, {"d"}, {}, "/model/layers.3/out/Relu"),
                 op("Neg", {"d"}, {"e"}, {}, "border"), op("Relu", {"e"}, {"f"}, {}, "/model/layers.4/mlp/Relu")},
                {}),
      (std::vector<std::int64_t>{-1, 3, 3, 3, -1, 4}));
}

TEST(OnnxLayers, FromNamesOfWeightsThatOneOperatorReads) {
  const std::vector<Message> nodes{
      op("MatMul", {"x", "enc.h.0.w"}, {"a"}),   op("MatMul", {"a", "enc.h.1.w"}, {"b"}),
      op("Add", {"b", "enc.h.1.shared"}, {"c"}), op("MatMul", {"c", "dec.h.0.w"}, {"d"}),
      op("MatMul", {"d", "dec.h.1.w"}, {"e"}),   op("Add", {"e", "enc.h.1.shared"}, {"y"})};
  EXPECT_EQ(layers_of(nodes, {weight("enc.h.0.w", {3, 3}), weight("enc.h.1.w", {3, 3}), weight("dec.h.0.w", {3, 3}),
                              weight("dec.h.1.w", {3, 3}), weight("enc.h.1.shared", {3})}),
            (std::vector<std::int64_t>{0, 1, -1, 2, 3, -1}));
}

TEST(OnnxLayers, FromTheScopesOfTorchsExporter) {
  const auto scoped = [](Message node, std::string_view scopes) {
    return node.add(9, Message().text(1, "pkg.torch.onnx.name_scopes").text(2, scopes));
  };
  EXPECT_EQ(layers_of({scoped(op("Relu", {"x"}, {"a"}), "['', 'model', 'model.layers.0', 'add']"),
                       scoped(op("Relu", {"a"}, {"b"}), "['', 'model', 'model.layers.1.mlp', 'relu']"),
                       scoped(op("Relu", {"b"}, {"c"}), "['', 'head']")},
                      {}),
            (std::vector<std::int64_t>{0, 1, -1}));
}

TEST(OnnxLayers, SpellingsOfExporters) {
  const auto layers = [](const std::string& first, const std::string& second) {
    return layers_of({op("Relu", {"x"}, {"a"}, {}, first), op("Neg", {"a"}, {"b"}, {}, second)}, {});
  };
  const std::vector<std::int64_t> expected{3, 4};
  EXPECT_EQ(layers("/encoder/layer.3/attention/Relu", "/encoder/layer.4/attention/Neg"), expected);
  EXPECT_EQ(layers("bert/encoder/layer_3/attention/Relu", "bert/encoder/layer_4/attention/Neg"), expected);
  EXPECT_EQ(layers("encoder.layer.3.relu", "encoder.layer.4.neg"), expected);
  EXPECT_EQ(layers("tf_bert/bert/encoder/layer_._3/attention/Relu", "tf_bert/bert/encoder/layer_._4/attention/Neg"),
            expected);
  EXPECT_EQ(layers("transformer/h_3/mlp/Relu", "transformer/h_4/mlp/Neg"), expected);
  EXPECT_EQ(layers("model/layers_3/mlp/Relu", "model/layers_4/mlp/Neg"), expected);
  EXPECT_EQ(layers("vit/blocks_3/mlp/Relu", "vit/blocks_4/mlp/Neg"), expected);
  EXPECT_EQ(layers("path_3/Relu", "path_4/Neg"), (std::vector<std::int64_t>{-1, -1})) << "a word for no layer";
}

// A stem of two, then layers of Tanh, Add with a bias of its own, Relu and Sqrt, and a head of two.
std::vector<std::int64_t> few_names(int layers, bool alike) {
  std::vector<Message> nodes{op("Cos", {"x"}, {"s0"}), op("Neg", {"s0"}, {"y0"})}, weights;
  for (int i = 0; i < layers; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1), bias = "m.encoder.layer." + n + ".bias";
    weights.push_back(weight(bias, {3}));
    nodes.push_back(op("Tanh", {"y" + n}, {"a" + n}));
    nodes.push_back(op("Add", {"a" + n, bias}, {"b" + n}));
    nodes.push_back(op(alike || i != 1 ? "Relu" : "Exp", {"b" + n}, {"c" + n}));
    nodes.push_back(op("Sqrt", {"c" + n}, {"y" + next}));
  }
  const std::string last = "y" + std::to_string(layers);
  nodes.push_back(op("Sin", {last}, {"h"}));
  nodes.push_back(op("Neg", {"h"}, {"out"}));
  return layers_of(nodes, weights);
}

TEST(OnnxLayers, FewNamesAndTheRepetitionOfLayers) {
  EXPECT_EQ(few_names(3, true), (std::vector<std::int64_t>{-1, -1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, -1, -1}));
  EXPECT_EQ(few_names(3, false),
            (std::vector<std::int64_t>{-1, -1, -1, 0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, -1}))
      << "they are not alike";
  EXPECT_EQ(few_names(2, true), (std::vector<std::int64_t>{-1, -1, -1, 0, -1, -1, -1, 1, -1, -1, -1, -1}))
      << "too few to tell";
}

TEST(OnnxLayers, OneNumberAloneIsNoLayer) {
  EXPECT_EQ(layers_of({op("Relu", {"x"}, {"a"}, {}, "conv.0.relu"), op("Neg", {"a"}, {"b"}, {}, "Neg_17")}, {}),
            (std::vector<std::int64_t>{-1, -1}));
}

}  // namespace
}  // namespace partita::detail
