// SPDX-License-Identifier: Apache-2.0
// From nodes and names to operators: order, functions, bodies, sequences, and graphs that make no sense.
#include <algorithm>

#include "tests/read/inputs.h"
#include "tests/read/onnx_bytes.h"

namespace partita::detail {
namespace {

const Message kX = value("x", kFloat, {"2", "3"});
const Message kY = value_without_shape("y");

std::string model_of(const std::vector<Message>& nodes, const std::vector<Message>& weights = {},
                     const std::vector<Message>& functions = {}) {
  return model(graph({.nodes = nodes, .inputs = {kX}, .outputs = {kY}, .weights = weights, .values = {}}), 18,
               functions);
}

Message function(std::string_view name, const Names& inputs, const Names& outputs, const std::vector<Message>& nodes) {
  Message message = Message().text(1, name);
  for (const std::string& input : inputs) message.text(4, input);
  for (const std::string& output : outputs) message.text(5, output);
  for (const Message& node : nodes) message.add(7, node);
  return message.add(9, opset(18)).text(10, "local");
}

Message body(const std::vector<Message>& nodes, const std::vector<Message>& inputs, const Names& outputs,
             const std::vector<Message>& weights = {}) {
  GraphParts parts{.nodes = nodes, .inputs = inputs, .outputs = {}, .weights = weights, .values = {}};
  for (const std::string& output : outputs) parts.outputs.push_back(value_without_shape(output));
  return graph(parts, "body");
}

TEST(OnnxGraph, OperatorsStandInOrderAndHaveNames) {
  const Network network = read_model(model_of(
      {op("Relu", {"b"}, {"y"}, {}, "same"), op("Add", {"a", "w"}, {"b"}, {}, "same"), op("Sigmoid", {"x"}, {"a"})},
      {weight("w", {3})}));
  ASSERT_EQ(network.operators.size(), 3u);
  EXPECT_EQ(network.operators[OperatorId(0)].name, "Sigmoid_0");
  EXPECT_EQ(network.operators[OperatorId(1)].kind, "Add");
  EXPECT_EQ(network.operators[OperatorId(1)].name, "same");
  EXPECT_EQ(network.operators[OperatorId(2)].name, "same#2");
  EXPECT_EQ(type_of(network, "y"), "fp32[2,3]");
  ASSERT_EQ(network.operators[OperatorId(1)].weights.size(), 1u);
  EXPECT_EQ(network.weights[WeightId(0)].bytes, 12);
  EXPECT_EQ(network.parameters(), 3);
  ASSERT_EQ(network.outputs.size(), 1u);
  EXPECT_EQ(network.tensors[network.outputs[0]].name, "y");
}

TEST(OnnxGraph, AWeightMayBeAnInputAndHaveManyReaders) {
  const Network network = read_model(model(
      graph({.nodes = {op("Mul", {"x", "w"}, {"a"}), op("Clip", {"a", "", "top"}, {"b"}), op("Add", {"b", "w"}, {"y"})},
             .inputs = {kX, value("w", kFloat, {"3"})},
             .outputs = {kY},
             .weights = {weight("w", {3}), weight("top", {})},
             .values = {}})));
  EXPECT_EQ(network.inputs.size(), 1u);
  EXPECT_EQ(network.operators[OperatorId(0)].weights, network.operators[OperatorId(2)].weights);
  EXPECT_EQ(network.operators[OperatorId(1)].inputs.size(), 1u);
  EXPECT_EQ(network.parameters(), 3) << "a scalar is arithmetic, not a parameter";
}

TEST(OnnxGraph, FunctionsAreInlinedWithTheirCallsAttributes) {
  const Message alpha = Message().text(1, "alpha").text(21, "slope").number(20, 1);
  const Message inner = function("Inner", {"a"}, {"b"}, {op("LeakyRelu", {"a"}, {"b"}, {alpha})});
  const Message outer = function("Outer", {"p", "q"}, {"r", "p"},
                                 {op("Inner", {"p"}, {"t"}, {}, "first", "local"), op("MatMul", {"t", "q"}, {"r"})});
  const Network network = read_model(model_of({op("Outer", {"x", "w"}, {"z", "copy"}, {}, "call", "local"),
                                               op("Concat", {"z", "copy"}, {"y"}, {integer_attribute("axis", 1)})},
                                              {weight("w", {3, 4})}, {inner, outer}));
  Names names;
  for (const Operator& each : network.operators) names.push_back(each.name);
  EXPECT_EQ(names, (Names{"call/first/LeakyRelu_0", "call/MatMul_1", "call/Identity_2", "Concat_3"}));
  EXPECT_EQ(type_of(network, "y"), "fp32[2,7]");
}

TEST(OnnxGraph, BodiesAreOneOperatorThatReadsWhatTheyCapture) {
  const Message then = body({op("MatMul", {"x", "w"}, {"t"})}, {}, {"t"});
  const Message otherwise = body({op("Mul", {"x", "k"}, {"e"})}, {}, {"e"}, {weight("k", {3})});
  const Network network = read_model(model(
      graph({.nodes = {op("Relu", {"x0"}, {"x"}),
                       op("If", {"c"}, {"y"},
                          {graph_attribute("then_branch", then), graph_attribute("else_branch", otherwise)}, "if")},
             .inputs = {value("x0", kFloat, {"2", "3"}), value("c", kBool, {})},
             .outputs = {kY},
             .weights = {weight("w", {3, 3})},
             .values = {}})));
  ASSERT_EQ(network.operators.size(), 2u);
  const Operator& branch = network.operators[OperatorId(1)];
  EXPECT_EQ(branch.family, OperatorFamily::Control);
  EXPECT_EQ(branch.inputs.size(), 2u) << "the condition and what both bodies capture";
  EXPECT_EQ(branch.weights.size(), 2u);
  EXPECT_EQ(branch.flops, 2 * 2 * 3 * 3) << "the larger branch";
  EXPECT_EQ(type_of(network, "y"), "fp32[2,3]");
}

TEST(OnnxGraph, LoopsCountTheirTurns) {
  const std::vector<Message> inputs{value("i", kInt64, {}), value("go", kBool, {}), value_without_shape("s")};
  const Message turn = body({op("Identity", {"go"}, {"on"}), op("MatMul", {"s", "w"}, {"t"}),
                             op("ReduceSum", {"t"}, {"o"}, {integer_attribute("keepdims", 0)})},
                            inputs, {"on", "t", "o"});
  const auto loop = [&](const std::string& trips) {
    return read_model(
        model(graph({.nodes = {op("Loop", {trips, "", "x"}, {"y", "all"}, {graph_attribute("body", turn)}, "loop")},
                     .inputs = {kX, value("n", kInt64, {})},
                     .outputs = {kY, value_without_shape("all")},
                     .weights = {weight("w", {3, 3}), integers("five", {5}, true)},
                     .values = {}})));
  };
  const Network known = loop("five");
  EXPECT_EQ(known.operators[OperatorId(0)].flops, 5 * (2 * 2 * 3 * 3 + 6));
  EXPECT_EQ(type_of(known, "y"), "fp32[2,3]");
  EXPECT_EQ(type_of(known, "all"), "fp32[5]");
  const Network open = loop("n");
  EXPECT_EQ(open.operators[OperatorId(0)].flops, 2 * 2 * 3 * 3 + 6);
  EXPECT_EQ(type_of(open, "all"), "fp32[?]");
  ASSERT_FALSE(open.notes.empty());
  EXPECT_TRUE(std::ranges::any_of(
      open.notes, [](const std::string& note) { return note.find("counted once") != std::string::npos; }));
}

TEST(OnnxGraph, SequencesKeepTheirOperatorsTogether) {
  const Network network = read_model(model_of({op("Relu", {"x"}, {"r"}), op("SequenceConstruct", {"r", "x"}, {"s"}),
                                               op("SequenceAt", {"s", "at"}, {"e"}), op("Neg", {"e"}, {"y"})},
                                              {integers("at", {0}, true)}));
  EXPECT_FALSE(network.operators[OperatorId(0)].together);
  EXPECT_EQ(network.operators[OperatorId(1)].together, 0);
  EXPECT_EQ(network.operators[OperatorId(2)].together, 0);
  EXPECT_FALSE(network.operators[OperatorId(3)].together);
}

TEST(OnnxGraph, ElementsOfASequenceHaveWhatHoldsOfAllOfThem) {
  const Network network = read_model(model_of(
      {op("SplitToSequence", {"x", "one"}, {"rows"}, {integer_attribute("axis", 0)}),
       op("SequenceAt", {"rows", "at"}, {"row"}),
       op("ConcatFromSequence", {"rows"}, {"all"}, {integer_attribute("axis", 1)}),
       op("ConcatFromSequence", {"rows"}, {"stack"}, {integer_attribute("axis", 0), integer_attribute("new_axis", 1)}),
       op("Concat", {"x", "x"}, {"wide"}, {integer_attribute("axis", 1)}),
       op("SequenceConstruct", {"x", "x"}, {"same"}), op("SequenceAt", {"same", "at"}, {"an_x"}),
       op("SequenceInsert", {"same", "wide"}, {"mixed"}), op("SequenceAt", {"mixed", "at"}, {"any"}),
       op("SequenceEmpty", {}, {"none"}, {integer_attribute("dtype", kInt64)}),
       op("SequenceInsert", {"none", "at"}, {"some"}), op("SequenceAt", {"some", "at"}, {"unknown"}),
       // A sequence that grows in a loop holds what was put into it there too.
       op("Loop", {"three", "", "same"}, {"grown"},
          {graph_attribute(
              "body",
              body({op("SequenceInsert", {"old", "wide"}, {"new"}), op("Identity", {"go"}, {"on"})},
                   {value("i", kInt64, {}), value("go", kBool, {}), Message().text(1, "old")}, {"on", "new"}))}),
       op("SequenceAt", {"grown", "at"}, {"one_of_them"}), op("Relu", {"row"}, {"y"})},
      {integers("one", {1}, true), integers("at", {0}, true), integers("three", {3}, true)}));
  EXPECT_EQ(type_of(network, "row"), "fp32[?]");  // unknown extents are not told apart here
  EXPECT_EQ(type_of(network, "stack"), "fp32[?]");
  EXPECT_EQ(type_of(network, "an_x"), "fp32[2,3]");
  EXPECT_EQ(type_of(network, "any"), "fp32[?]");
  EXPECT_EQ(type_of(network, "unknown"), "int64[?]");
  EXPECT_EQ(type_of(network, "one_of_them"), "fp32[?]");
  EXPECT_EQ(type_of(network, "y"), "fp32[?]");
}

TEST(OnnxGraph, UnknownDomainsAreKeptWithANote) {
  const Network network =
      read_model(model_of({op("Relu", {"x"}, {"r"}), op("Magic", {"r"}, {"y"}, {}, "trick", "example.org")}));
  EXPECT_EQ(network.operators[OperatorId(1)].family, OperatorFamily::Other);
  EXPECT_FALSE(network.operators[OperatorId(1)].flops);
  ASSERT_GE(network.notes.size(), 2u);
  EXPECT_NE(network.notes[0].find("1 operator of the domain 'example.org'"), std::string::npos) << network.notes[0];
  EXPECT_NE(network.notes[1].find("1 operator has unknown shapes: trick"), std::string::npos) << network.notes[1];
}

TEST(OnnxGraph, GraphsThatMakeNoSenseAreRefusedInOneLine) {
  const auto fault = [](const std::string& bytes) { return error_of([&] { read_model(bytes); }); };
  EXPECT_SAYS(fault(model_of({})), ErrorKind::BadGraph, "no nodes");
  EXPECT_SAYS(fault(model_of({op("Relu", {"gone"}, {"y"}, {}, "r")})), ErrorKind::BadGraph, "node 'r' (Relu)", "'gone'",
              "nothing makes");
  EXPECT_SAYS(fault(model_of({op("Relu", {"x"}, {"z"})})), ErrorKind::BadGraph, "nothing makes the output 'y'");
  EXPECT_SAYS(fault(model_of({op("Relu", {"x"}, {"y"}), op("Neg", {"x"}, {"y"})})), ErrorKind::BadGraph, "'y'",
              "made once");
  EXPECT_SAYS(fault(model_of({op("Relu", {"x"}, {"y"})}, {weight("w", {1}), weight("w", {1})})), ErrorKind::BadGraph,
              "initializer 'w'");
  EXPECT_SAYS(fault(model_of({op("Add", {"x", "b"}, {"a"}, {}, "one"), op("Relu", {"a"}, {"b"}, {}, "two"),
                              op("Neg", {"b"}, {"y"})})),
              ErrorKind::BadGraph, "cycle", "'one'", "'two'");
  EXPECT_SAYS(fault(model_of({op("Relu", {"x"}, {"y"})}, {weight("w", {-5})})), ErrorKind::BadGraph, "extent -5");
  const Message self = function("Self", {"a"}, {"b"}, {op("Self", {"a"}, {"b"}, {}, "", "local")});
  EXPECT_SAYS(fault(model_of({op("Self", {"x"}, {"y"}, {}, "", "local")}, {}, {self})), ErrorKind::BadGraph,
              "'Self' calls itself");
  const Message raw = Message().number(1, 4).number(2, kFloat).text(8, "w").text(9, "short");
  EXPECT_SAYS(fault(model_of({op("Relu", {"x"}, {"y"})}, {raw})), ErrorKind::NotJson, "byte", "16 bytes",
              "5 are there");
  EXPECT_SAYS(
      fault(model(graph(
          {.nodes = {op("Relu", {"x"}, {"y"})}, .inputs = {kX, kX}, .outputs = {kY}, .weights = {}, .values = {}}))),
      ErrorKind::BadGraph, "'x' is listed twice");
}

TEST(OnnxGraph, FunctionsThatMultiplyEndlesslyAreRefused) {
  std::vector<Message> functions{function("F0", {"a"}, {"b"}, {op("Relu", {"a"}, {"b"})})};
  for (int i = 1; i < 40; ++i) {
    const std::string callee = "F" + std::to_string(i - 1);
    functions.push_back(
        function("F" + std::to_string(i), {"a"}, {"b"},
                 {op(callee, {"a"}, {"t"}, {}, "", "local"), op(callee, {"t"}, {"b"}, {}, "", "local")}));
  }
  EXPECT_SAYS(error_of([&] { read_model(model_of({op("F39", {"x"}, {"y"}, {}, "", "local")}, {}, functions)); }),
              ErrorKind::Unsupported, "inlining");
}

}  // namespace
}  // namespace partita::detail
