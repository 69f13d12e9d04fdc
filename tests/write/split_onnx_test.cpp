// SPDX-License-Identifier: Apache-2.0
// Stages of small models: what each holds, reads and makes, and that nothing of the model is lost.
#include "tests/write/split_fixture.h"

namespace partita::detail {
namespace {

const Message kModelInput = value("x", kFloat, {"2", "4"});

std::string model_of(const std::vector<Message>& nodes, const Names& outputs, const std::vector<Message>& weights = {},
                     const std::vector<Message>& functions = {}, const std::vector<Message>& values = {}) {
  GraphParts parts{.nodes = nodes, .inputs = {kModelInput}, .outputs = {}, .weights = weights, .values = values};
  for (const std::string& output : outputs) parts.outputs.push_back(value(output, kFloat, {"2", "4"}));
  return model(graph(parts), 18, functions);
}

// x -> a -> b -> c -> y, and the first is read again by the last.
std::string skip_model() {
  return model_of({op("Relu", {"x"}, {"a"}, {}, "A"), op("MatMul", {"a", "w"}, {"b"}, {}, "B"),
                   op("Tanh", {"b"}, {"c"}, {}, "C"), op("Add", {"c", "a"}, {"y"}, {}, "D")},
                  {"y"}, {floats("w", {4, 4})});
}

TEST_F(SplitTest, EveryNodeIsInItsStageAndCutsHaveTypes) {
  const onnx::Pipeline pipeline = split(skip_model(), {{"C", 1}, {"D", 1}});
  ASSERT_EQ(pipeline.stages.size(), 2u);
  const ReadStage first = stage(0), second = stage(1);
  EXPECT_EQ(first.kinds(), (Names{"Relu", "MatMul"}));
  EXPECT_EQ(second.kinds(), (Names{"Tanh", "Add"}));
  EXPECT_EQ(first.inputs(), Names{"x"});
  EXPECT_EQ(first.outputs(), (Names{"a", "b"}));
  EXPECT_EQ(first.weights(), Names{"w"});
  EXPECT_EQ(second.inputs(), (Names{"a", "b"}));
  EXPECT_EQ(second.outputs(), Names{"y"});
  EXPECT_TRUE(second.weights().empty());
  const onnx::TypeView& type = second.input("b").type;
  EXPECT_EQ(type.element, DataType::Float32);
  ASSERT_TRUE(type.shape);
  EXPECT_EQ((*type.shape)[1].value, 4);
  EXPECT_EQ(pipeline.stages[1].inputs[0].from, 0u);
  EXPECT_EQ(pipeline.stages[1].inputs[0].type.bytes, 32);
  EXPECT_EQ(pipeline.outputs[0].from, 1u);
  EXPECT_EQ(pipeline.stages[0].weight_bytes, 64);
  EXPECT_FALSE(pipeline.stages[0].inputs[0].from);
}

TEST_F(SplitTest, InAChainEachStageReadsFromTheOneBefore) {
  split(skip_model(), {{"B", 1}, {"C", 2}, {"D", 3}}, {.chain = true});
  EXPECT_EQ(stage(1).inputs(), Names{"a"});
  EXPECT_EQ(stage(1).outputs(), (Names{"a", "b"}));
  EXPECT_EQ(stage(2).inputs(), (Names{"a", "b"}));
  EXPECT_EQ(stage(2).outputs(), (Names{"a", "c"}));
  EXPECT_EQ(stage(3).inputs(), (Names{"a", "c"}));
  EXPECT_EQ(stage(2).kinds(), Names{"Tanh"});  // passed on by its name alone
  split(skip_model(), {{"B", 1}, {"C", 2}, {"D", 3}});
  EXPECT_EQ(stage(2).inputs(), Names{"b"});
}

TEST_F(SplitTest, APartThatOthersInterruptIsSeveralStages) {
  const onnx::Pipeline pipeline = split(skip_model(), {{"B", 1}, {"C", 1}}, {}, Shape::Free);
  ASSERT_EQ(pipeline.stages.size(), 3u);
  EXPECT_EQ(pipeline.stages[0].device, pipeline.stages[2].device);
  EXPECT_EQ(stage(2).inputs(), (Names{"a", "c"}));
  ASSERT_EQ(pipeline.notes.size(), 1u);
  EXPECT_NE(pipeline.notes[0].find("has 2 stages"), std::string::npos);
}

TEST_F(SplitTest, SharedWeightsAreInEachStageAndCounted) {
  const onnx::Pipeline pipeline =
      split(model_of({op("MatMul", {"x", "w"}, {"a"}, {}, "A"), op("MatMul", {"a", "w"}, {"y"}, {}, "B")}, {"y"},
                     {floats("w", {4, 4}), floats("unused", {9})}),
            {{"B", 1}});
  EXPECT_EQ(stage(0).weights(), Names{"w"});
  EXPECT_EQ(stage(1).weights(), Names{"w"});
  EXPECT_EQ(pipeline.model_weight_bytes, 64);
  ASSERT_EQ(pipeline.notes.size(), 1u);
  EXPECT_NE(pipeline.notes[0].find("64 bytes more"), std::string::npos);
}

TEST_F(SplitTest, BodiesBringWhatTheyCapture) {
  const Message inner = graph({.nodes = {op("Add", {"a", "w"}, {"deep"})},
                               .inputs = {},
                               .outputs = {value_without_shape("deep")},
                               .weights = {},
                               .values = {}});
  const Message then =
      graph({.nodes = {op("If", {"flag"}, {"t"},
                          {graph_attribute("then_branch", inner), graph_attribute("else_branch", inner)})},
             .inputs = {},
             .outputs = {value_without_shape("t")},
             .weights = {},
             .values = {}});
  const Message other = graph({.nodes = {op("Identity", {"x"}, {"e"})},
                               .inputs = {},
                               .outputs = {value_without_shape("e")},
                               .weights = {},
                               .values = {}});
  split(model_of({op("Relu", {"x"}, {"a"}, {}, "A"), op("ReduceSum", {"a"}, {"sum"}, {}, "S"),
                  op("Cast", {"sum"}, {"flag"}, {integer_attribute("to", kBool)}, "F"),
                  op("If", {"flag"}, {"y"},
                     {graph_attribute("then_branch", then), graph_attribute("else_branch", other)}, "I")},
                 {"y"}, {floats("w", {4})}),
        {{"I", 1}});
  EXPECT_EQ(stage(1).inputs(), (Names{"a", "flag", "x"}));
  EXPECT_EQ(stage(1).weights(), Names{"w"});
  EXPECT_TRUE(stage(0).weights().empty());
}

TEST_F(SplitTest, AbsentInputsStayAbsent) {
  split(model_of({op("Relu", {"x"}, {"a"}, {}, "A"), op("Clip", {"a", "", "top"}, {"y"}, {}, "B")}, {"y"},
                 {floats("top", {})}),
        {{"B", 1}});
  const ReadStage second = stage(1);
  ASSERT_EQ(second.model.graph.nodes.size(), 1u);
  EXPECT_EQ(second.model.graph.nodes[0].inputs[1], "");
  EXPECT_EQ(second.model.graph.nodes[0].inputs[2], "top");
  EXPECT_EQ(second.inputs(), Names{"a"});
}

Message reshape_chain_shape(const std::string& of, const std::string& made) {
  return op("Shape", {of}, {made}, {}, "shape_of_" + of);
}

TEST_F(SplitTest, ShapesAreComputedAgainWhereTheirTensorIs) {
  // With open dimensions the plan knows the operator, and it is on the other device; the tensor crosses anyway.
  GraphParts parts{.nodes = {op("Relu", {"x"}, {"a"}, {}, "A"), reshape_chain_shape("a", "s"),
                             op("Tanh", {"a"}, {"b"}, {}, "B"), op("Reshape", {"b", "s"}, {"y"}, {}, "R")},
                   .inputs = {value("x", kFloat, {"batch", "4"})},
                   .outputs = {value("y", kFloat, {"batch", "4"})},
                   .weights = {},
                   .values = {}};
  const onnx::Pipeline pipeline = split(model(graph(parts)), {{"B", 1}, {"R", 1}});
  EXPECT_EQ(stage(1).inputs(), Names{"a"});
  EXPECT_EQ(stage(1).kinds(), (Names{"Shape", "Tanh", "Reshape"}));
  EXPECT_EQ(stage(0).kinds(), Names{"Relu"});
  EXPECT_EQ(pipeline.stages[1].recomputed, 1u);
  // Where only the shape is wanted, it is sent.
  parts.nodes[2] = op("Tanh", {"x"}, {"b"}, {}, "B");
  split(model(graph(parts)), {{"B", 1}, {"R", 1}});
  EXPECT_EQ(stage(1).inputs(), (Names{"s", "x"}));
  EXPECT_EQ(stage(0).kinds(), (Names{"Relu", "Shape"}));
}

TEST_F(SplitTest, WhatIsKnownInAdvanceGoesToItsReaders) {
  const std::string bytes = model_of({op("Relu", {"x"}, {"a"}, {}, "A"), reshape_chain_shape("a", "s"),
                                      op("Constant", {}, {"two"}, {integers_attribute("value_ints", {2})}, "K"),
                                      op("Mul", {"s", "two"}, {"t"}, {}, "M"), op("Div", {"t", "two"}, {"u"}, {}, "V"),
                                      op("Tanh", {"a"}, {"b"}, {}, "B"), op("Reshape", {"b", "u"}, {"y"}, {}, "R")},
                                     {"y"});
  split(bytes, {{"B", 1}, {"R", 1}});
  EXPECT_EQ(stage(0).kinds(), Names{"Relu"});
  EXPECT_EQ(stage(1).kinds(), (Names{"Shape", "Constant", "Mul", "Div", "Tanh", "Reshape"}));
  EXPECT_EQ(stage(1).inputs(), Names{"a"});
}

TEST_F(SplitTest, AShapeOfALaterTensorIsWrittenAsNumbers) {
  // The plan does not see that R reads a shape of L's output, and puts R first.
  const std::string bytes = model_of(
      {op("Relu", {"x"}, {"later"}, {}, "L"), reshape_chain_shape("later", "s"), op("Tanh", {"x"}, {"b"}, {}, "B"),
       op("Reshape", {"b", "s"}, {"r"}, {}, "R"), op("Add", {"r", "later"}, {"y"}, {}, "E")},
      {"y"});
  const onnx::Pipeline pipeline = split(bytes, {{"L", 1}, {"E", 1}});
  ASSERT_EQ(pipeline.stages.size(), 2u);
  EXPECT_EQ(stage(0).kinds(), (Names{"Tanh", "Reshape"}));
  const ReadStage first = stage(0);
  ASSERT_EQ(first.weights(), Names{"s"});
  const onnx::TensorView& tensor = first.model.graph.initializers[0];
  EXPECT_EQ(tensor.dims, Extents{2});
  EXPECT_EQ(tensor.type, DataType::Int64);
  ASSERT_TRUE(tensor.raw);
  EXPECT_EQ(first.bytes->substr(tensor.raw->begin, tensor.raw->size()),
            std::string("\2\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0", 16));
}

TEST_F(SplitTest, AWeightThatIsOnlyShapedIsCopiedAndItsShapeSent) {
  GraphParts parts{.nodes = {op("Relu", {"x"}, {"a"}, {}, "A"), reshape_chain_shape("a", "s"),
                             op("Reshape", {"w", "s"}, {"v"}, {}, "V"), op("Tanh", {"x"}, {"b"}, {}, "B"),
                             op("Add", {"b", "v"}, {"y"}, {}, "E"), op("Neg", {"a"}, {"z"}, {}, "N")},
                   .inputs = {value("x", kFloat, {"batch", "4"})},
                   .outputs = {value("y", kFloat, {"batch", "4"}), value("z", kFloat, {"batch", "4"})},
                   .weights = {floats("w", {2, 4})},
                   .values = {}};
  split(model(graph(parts)), {{"B", 1}, {"E", 1}});
  EXPECT_EQ(stage(1).inputs(), (Names{"s", "x"}));
  EXPECT_EQ(stage(1).weights(), Names{"w"});
  EXPECT_TRUE(stage(0).weights().empty());
}

TEST_F(SplitTest, OutputsInTheMiddleAndOutputsThatNobodyComputes) {
  GraphParts parts{.nodes = {op("Relu", {"x"}, {"a"}, {}, "A"), op("Add", {"a", "d"}, {"y"}, {}, "B")},
                   .inputs = {kModelInput, value("d", kFloat, {"4"})},
                   .outputs = {value("y", kFloat, {"2", "4"}), value("a", kFloat, {"2", "4"}),
                               value("x", kFloat, {"2", "4"}), value("w", kFloat, {"3"})},
                   .weights = {floats("d", {4}), floats("w", {3})},
                   .values = {}};
  const onnx::Pipeline pipeline = split(model(graph(parts)), {{"B", 1}});
  EXPECT_EQ(stage(0).outputs(), (Names{"a", "w", "x"}));
  EXPECT_EQ(stage(0).weights(), Names{"w"});
  EXPECT_EQ(stage(1).inputs(), (Names{"a", "d"}));  // an initializer that a caller may replace
  EXPECT_EQ(stage(1).weights(), Names{"d"});
  ASSERT_EQ(pipeline.outputs.size(), 4u);
  EXPECT_EQ(pipeline.outputs[1].from, 0u);
  EXPECT_TRUE(pipeline.inputs[1].optional);
  EXPECT_TRUE(pipeline.stages[1].inputs.back().optional);

  const onnx::Pipeline chain = split(model(graph(parts)), {{"B", 1}}, {.chain = true});
  EXPECT_EQ(stage(1).outputs(), (Names{"a", "w", "x", "y"}));
  for (const onnx::PipelineValue& output : chain.outputs) EXPECT_EQ(output.from, 1u);
}

TEST_F(SplitTest, NodesThatNoOutputDependsOnAreLeftOut) {
  const onnx::Pipeline pipeline = split(
      model_of(
          {op("Relu", {"x"}, {"a"}, {}, "A"), op("Tanh", {"a"}, {"dead"}, {}, "T"), op("Neg", {"a"}, {"y"}, {}, "B")},
          {"y"}),
      {{"T", 2}, {"B", 1}}, {}, Shape::Free);
  EXPECT_EQ(pipeline.stages.size(), 2u);
  EXPECT_EQ(stage(0).outputs(), Names{"a"});
  ASSERT_EQ(pipeline.notes.size(), 2u);
  EXPECT_NE(pipeline.notes[0].find("a100 2 has no stage"), std::string::npos);
  EXPECT_NE(pipeline.notes[1].find("1 node(s)"), std::string::npos);
}

TEST_F(SplitTest, WhatTheReaderDoesNotKnowIsKept) {
  const std::string unknown = Message().text(99, "of the node").bytes();
  Message node = op("Relu", {"x"}, {"a"}, {}, "A");
  node.text(99, "of the node");
  Message whole_graph = graph({.nodes = {node, op("Neg", {"a"}, {"y"}, {}, "B")},
                               .inputs = {kModelInput},
                               .outputs = {value("y", kFloat, {"2", "4"})},
                               .weights = {},
                               .values = {value("a", kFloat, {"2", "4"})}});
  whole_graph.text(98, "of the graph");
  const std::string bytes = Message()
                                .number(1, 8)
                                .add(7, whole_graph)
                                .add(8, opset(18))
                                .add(8, opset(1, "other"))
                                .add(14, Message().text(1, "key").text(2, "value"))
                                .text(97, "of the model")
                                .bytes();
  split(bytes, {{"B", 1}});
  for (std::size_t q : {0u, 1u}) {
    const ReadStage read = stage(q);
    EXPECT_NE(read.bytes->find("of the graph"), std::string::npos);
    EXPECT_NE(read.bytes->find("of the model"), std::string::npos);
    EXPECT_NE(read.bytes->find("value"), std::string::npos);
    EXPECT_EQ(read.model.opsets.size(), 2u);
    EXPECT_EQ(read.bytes->find(unknown) != std::string::npos, q == 0);
  }
}

TEST_F(SplitTest, DimensionsStayOpenWhateverThePlanWasMadeFor) {
  GraphParts parts{.nodes = {op("Relu", {"x"}, {"a"}, {}, "A"), op("Neg", {"a"}, {"y"}, {}, "B")},
                   .inputs = {value("x", kFloat, {"batch", "4"})},
                   .outputs = {value("y", kFloat, {"batch", "4"})},
                   .weights = {},
                   .values = {value("a", kFloat, {"batch", "4"})}};
  OnnxSplitOptions options;
  options.network.dimensions = {{"batch", 8}};
  const onnx::Pipeline pipeline = split(model(graph(parts)), {{"B", 1}}, options);
  const ReadStage second = stage(1);
  const onnx::TypeView& type = second.input("a").type;
  ASSERT_TRUE(type.shape);
  EXPECT_EQ((*type.shape)[0].symbol, "batch");
  EXPECT_EQ((*type.shape)[1].value, 4);
  EXPECT_EQ(pipeline.stages[1].inputs[0].type.bytes, 128);
}

TEST_F(SplitTest, AWrongWordOfTheFileIsNotBelieved) {
  split(model_of({op("Relu", {"x"}, {"a"}, {}, "A"), op("Neg", {"a"}, {"y"}, {}, "B")}, {"y"}, {}, {},
                 {value("a", kFloat, {"7", "4"})}),
        {{"B", 1}});
  const ReadStage second = stage(1);
  const onnx::TypeView& type = second.input("a").type;
  ASSERT_TRUE(type.shape);
  EXPECT_FALSE((*type.shape)[0].value);
  EXPECT_EQ((*type.shape)[1].value, 4);
}

TEST_F(SplitTest, ACutThroughAnUnknownTypeIsRefused) {
  const std::string bytes =
      model_of({op("Strange", {"x"}, {"a"}, {}, "A", "nobody.knows"), op("Neg", {"a"}, {"y"}, {}, "B")}, {"y"});
  try {
    split(bytes, {{"B", 1}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    EXPECT_NE(std::string(error.what()).find("the type of 'a'"), std::string::npos) << error.what();
  }
}

TEST_F(SplitTest, SequencesCrossStagesOfADevice) {
  // Their operators share a device, but another must run between them.
  const onnx::Pipeline pipeline =
      split(model_of({op("SplitToSequence", {"x", "two"}, {"s"}, {integer_attribute("axis", 1)}, "S"),
                      op("SequenceAt", {"s", "two"}, {"e"}, {}, "E"), op("Relu", {"e"}, {"r"}, {}, "R"),
                      op("SequenceInsert", {"s", "r"}, {"t"}, {}, "I"),
                      op("ConcatFromSequence", {"t"}, {"y"}, {integer_attribute("axis", 1)}, "C")},
                     {"y"}, {integers("two", {2}, true)}),
            {{"R", 1}}, {}, Shape::Free);
  ASSERT_EQ(pipeline.stages.size(), 3u);
  const ReadStage last = stage(2);
  EXPECT_EQ(last.inputs(), (Names{"r", "s"}));
  EXPECT_EQ(last.input("s").type.kind, onnx::TypeKind::Sequence);
  EXPECT_TRUE(pipeline.stages[2].inputs[0].type.sequence);
  EXPECT_EQ(pipeline.stages[2].inputs[0].type.type, "fp32");
  // SequenceType{elem_type: TypeProto{tensor_type{elem_type: 1, shape{2, ?}}}}
  const Message shape = Message().add(1, Message().number(1, 2)).add(1, Message());
  const Message element = Message().add(1, Message().number(1, 1).add(2, shape));
  EXPECT_NE(last.bytes->find(Message().add(4, Message().add(1, element)).bytes()), std::string::npos);
}

TEST_F(SplitTest, WhatTheCheckerWillMissIsNoted) {
  const onnx::Pipeline pipeline =
      split(model_of({op("Strange", {"x"}, {"a"}, {}, "A", "nobody.knows"), op("Neg", {"a"}, {"y"}, {}, "B")}, {"y"},
                     {}, {}, {value_without_shape("a")}),
            {{"B", 1}});
  ASSERT_EQ(pipeline.notes.size(), 1u);
  EXPECT_NE(pipeline.notes[0].find("how many axes 1 value(s)"), std::string::npos) << pipeline.notes[0];
}

TEST_F(SplitTest, AnnotationsOfQuantisedTensorsBringTheirScales) {
  Message whole_graph = graph({.nodes = {op("Relu", {"x"}, {"a"}, {}, "A"), op("Neg", {"a"}, {"y"}, {}, "B")},
                               .inputs = {kModelInput},
                               .outputs = {value("y", kFloat, {"2", "4"})},
                               .weights = {floats("scale", {})},
                               .values = {}});
  whole_graph.add(14, Message().text(1, "y").add(2, Message().text(1, "SCALE_TENSOR").text(2, "scale")));
  split(model(whole_graph), {{"B", 1}});
  EXPECT_TRUE(stage(0).weights().empty());
  EXPECT_EQ(stage(1).weights(), Names{"scale"});
  EXPECT_NE(stage(1).bytes->find("SCALE_TENSOR"), std::string::npos);
  EXPECT_EQ(stage(0).bytes->find("SCALE_TENSOR"), std::string::npos);
}

TEST_F(SplitTest, APlanOfAnotherModelIsRefused) {
  write_file(model_path(), skip_model());
  Problem problem;
  problem.workload = cost_workload(read_network(model_path().string()), compose_platform("2xa100"));
  ListedSplit plan;
  for (std::size_t i = 0; i < problem.workload->graph.nodes.size(); ++i) plan.split.device_of.push_back(DeviceId(0));
  plan.report = check(problem, plan.split);
  write_file(model_path(), model_of({op("Relu", {"x"}, {"y"}, {}, "Other")}, {"y"}));
  std::filesystem::create_directories(out());
  EXPECT_THROW(split_onnx(model_path(), problem, plan, out()), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(out()));
}

}  // namespace
}  // namespace partita::detail
