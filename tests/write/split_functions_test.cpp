// SPDX-License-Identifier: Apache-2.0
// Local functions: called whole where a stage holds all of them, replaced by their nodes where the plan cuts them.
#include "tests/write/split_fixture.h"

namespace partita::detail {
namespace {

const Message kX = value("x", kFloat, {"2", "4"});

Message reference(std::string_view name, std::string_view meant) {
  return Message().text(1, name).number(20, 1).text(21, meant);
}
Message real_attribute(std::string_view name, float number) {
  return Message().text(1, name).real(2, number).number(20, 1);
}

Message function(std::string_view name, const Names& inputs, const Names& outputs, const std::vector<Message>& nodes,
                 const std::vector<Message>& defaults = {}) {
  Message message = Message().text(1, name);
  for (const std::string& input : inputs) message.text(4, input);
  for (const std::string& output : outputs) message.text(5, output);
  for (const Message& node : nodes) message.add(7, node);
  for (const Message& attribute : defaults) message.add(11, attribute);
  return message.add(9, opset(18)).add(9, opset(1, "local")).text(10, "local");
}

std::string model_with(const std::vector<Message>& nodes, const std::vector<Message>& functions) {
  Message message = Message().number(1, 8).add(
      7,
      graph(
          {.nodes = nodes, .inputs = {kX}, .outputs = {value("y", kFloat, {"2", "4"})}, .weights = {}, .values = {}}));
  message.add(8, opset(18)).add(8, opset(1, "local"));
  for (const Message& one : functions) message.add(25, one);
  return message.bytes();
}

// Two steps and a call; the slope is an attribute of the outermost call.
std::vector<Message> two_functions() {
  return {function("Inner", {"a"}, {"b"}, {op("LeakyRelu", {"a"}, {"b"}, {reference("alpha", "slope")}, "leaky")}),
          function("Outer", {"p"}, {"q"},
                   {op("Tanh", {"p"}, {"x"}, {}, "tanh"),
                    op("Inner", {"x"}, {"m"}, {reference("slope", "slope")}, "in", "local"),
                    op("Neg", {"m"}, {"q"}, {}, "neg")},
                   {real_attribute("slope", 0.5F)}),
          function("Unused", {"p"}, {"q"}, {op("Neg", {"p"}, {"q"})})};
}

TEST_F(SplitTest, ACallInOneStageStaysACall) {
  const std::string bytes =
      model_with({op("Relu", {"x"}, {"a"}, {}, "A"), op("Outer", {"a"}, {"y"}, {}, "call", "local")}, two_functions());
  split(bytes, {{"call/tanh", 1}, {"call/in/leaky", 1}, {"call/neg", 1}});
  EXPECT_EQ(stage(0).kinds(), Names{"Relu"});
  EXPECT_TRUE(stage(0).model.functions.empty());
  EXPECT_EQ(stage(1).kinds(), Names{"Outer"});
  EXPECT_EQ(stage(1).model.functions.size(), 2u);  // that it calls, and that this calls
}

TEST_F(SplitTest, ACallThatIsCutIsReplacedByItsNodes) {
  const std::string bytes = model_with({op("Outer", {"x"}, {"a"}, {real_attribute("slope", 0.25F)}, "call", "local"),
                                        op("Outer", {"a"}, {"y"}, {}, "", "local")},
                                       two_functions());
  // The first call is cut inside its inner call's surroundings, the second is not cut at all.
  split(bytes,
        {{"call/in/leaky", 1}, {"call/neg", 1}, {"Outer_2/tanh", 1}, {"Outer_2/in/leaky", 1}, {"Outer_2/neg", 1}});
  const ReadStage first = stage(0), second = stage(1);
  EXPECT_EQ(first.kinds(), Names{"Tanh"});
  EXPECT_EQ(first.outputs(), Names{"call/x"});  // not the model's x
  EXPECT_TRUE(first.model.functions.empty());
  EXPECT_EQ(second.kinds(), (Names{"Inner", "Neg", "Outer"}));
  EXPECT_EQ(second.model.functions.size(), 2u);
  const onnx::NodeView& inner = second.model.graph.nodes[0];
  EXPECT_EQ(inner.name, "call/in");
  EXPECT_EQ(inner.inputs[0], "call/x");
  ASSERT_EQ(inner.attributes.size(), 1u);
  EXPECT_EQ(inner.attributes[0].name, "slope");
  EXPECT_EQ(inner.attributes[0].f, 0.25F);
  EXPECT_TRUE(inner.attributes[0].ref_attribute.empty());
  EXPECT_EQ(second.model.graph.nodes[1].outputs[0], "a");
}

TEST_F(SplitTest, ADefaultTakesThePlaceOfAnAttributeThatIsNotGiven) {
  split(model_with({op("Outer", {"x"}, {"y"}, {}, "call", "local")}, two_functions()),
        {{"call/in/leaky", 1}, {"call/neg", 1}});
  const ReadStage second = stage(1);
  EXPECT_EQ(second.kinds(), (Names{"Inner", "Neg"}));
  EXPECT_EQ(second.model.graph.nodes[0].attributes[0].f, 0.5F);
}

TEST_F(SplitTest, NamesOfAReplacedCallNeverMeanSomethingElse) {
  // The graph has a value called as the call's would be, and the body of the function's If has names of its own.
  const auto branch = [](const char* kind) {
    return graph({.nodes = {op(kind, {"m"}, {"x"})},
                  .inputs = {},
                  .outputs = {value_without_shape("x")},
                  .weights = {},
                  .values = {}},
                 "branch");
  };
  const Message f = function(
      "F", {"p", "c"}, {"q"},
      {op("Tanh", {"p"}, {"m"}, {}, "t"),
       op("If", {"c"}, {"q"},
          {graph_attribute("then_branch", branch("Neg")), graph_attribute("else_branch", branch("Abs"))}, "i")});
  const std::string bytes =
      model_with({op("Relu", {"x"}, {"call/m"}, {}, "A"), op("ReduceSum", {"x"}, {"s"}, {}, "S"),
                  op("Cast", {"s"}, {"c"}, {integer_attribute("to", kBool)}, "C"),
                  op("F", {"call/m", "c"}, {"f"}, {}, "call", "local"), op("Add", {"f", "call/m"}, {"y"}, {}, "E")},
                 {f});
  split(bytes, {{"call/i", 1}, {"E", 1}});
  EXPECT_EQ(stage(1).inputs(), (Names{"c", "call/m", "call/m#2"}));
  const ReadStage second = stage(1);
  const onnx::GraphView& body = second.model.graph.nodes[0].attributes[0].graphs[0];
  EXPECT_EQ(body.nodes[0].inputs[0], "call/m#2");
  EXPECT_EQ(body.nodes[0].outputs[0], body.outputs[0].name);
  EXPECT_NE(body.outputs[0].name, "x");  // which would hide the model's input
}

TEST_F(SplitTest, AFunctionMayReturnItsInput) {
  const Message f =
      function("F", {"p"}, {"q", "p"}, {op("Tanh", {"p"}, {"m"}, {}, "t"), op("Neg", {"m"}, {"q"}, {}, "n")});
  split(model_with({op("Relu", {"x"}, {"a"}, {}, "A"), op("F", {"a"}, {"b", "same"}, {}, "call", "local"),
                    op("Add", {"b", "same"}, {"y"}, {}, "E")},
                   {f}),
        {{"call/n", 1}, {"call/Identity_2", 1}, {"E", 1}});
  EXPECT_EQ(stage(1).kinds(), (Names{"Neg", "Identity", "Add"}));
  EXPECT_EQ(stage(1).inputs(), (Names{"a", "call/m"}));
}

}  // namespace
}  // namespace partita::detail
