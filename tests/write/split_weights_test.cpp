// SPDX-License-Identifier: Apache-2.0
// External weights, referred to or copied; the whole model with stages noted; folders and bytes that make no sense.
#include <random>

#include "partita/read/onnx/wire.h"
#include "partita/write/onnx/rope.h"
#include "tests/support/mutate_bytes.h"
#include "tests/write/split_fixture.h"

namespace partita::detail {
namespace {

namespace fs = std::filesystem;

Message external(std::string_view name, const Extents& extents, std::string_view location, std::uint64_t offset,
                 std::uint64_t length) {
  Message tensor;
  for (std::int64_t extent : extents) tensor.number(1, static_cast<std::uint64_t>(extent));
  tensor.number(2, kFloat).text(8, name);
  const auto entry = [](std::string_view key, std::string_view text) { return Message().text(1, key).text(2, text); };
  tensor.add(13, entry("location", location)).add(13, entry("offset", std::to_string(offset)));
  return tensor.add(13, entry("length", std::to_string(length))).number(14, 1);
}

std::string model_with(std::string_view location) {
  return model(graph({.nodes = {op("MatMul", {"x", "v"}, {"a"}, {}, "A"), op("MatMul", {"a", "w"}, {"b"}, {}, "B"),
                                op("MatMul", {"b", "v"}, {"y"}, {}, "C")},
                      .inputs = {value("x", kFloat, {"1", "2"})},
                      .outputs = {value("y", kFloat, {"1", "2"})},
                      .weights = {external("v", {2, 2}, location, 0, 16), external("w", {2, 2}, location, 64, 16)},
                      .values = {}}));
}

std::string weights() { return std::string(16, 'v') + std::string(48, '-') + std::string(16, 'w'); }

TEST_F(SplitTest, ExternalWeightsStayWhereTheyAre) {
  write_file(model_path().parent_path() / "data" / "w.bin", weights());
  const onnx::Pipeline pipeline = split(model_with("data/w.bin"), {{"B", 1}, {"C", 1}});
  const ReadStage second = stage(1);
  ASSERT_EQ(second.weights(), (Names{"v", "w"}));
  const onnx::TensorView& tensor = second.model.graph.initializers[1];
  EXPECT_EQ(tensor.location, "data/w.bin");
  EXPECT_EQ(tensor.offset, 64);
  EXPECT_EQ(tensor.length, 16);
  EXPECT_EQ(bytes_of_file(out() / "data" / "w.bin"), weights());
  EXPECT_EQ(pipeline.files, (Names{"stage_0.onnx", "stage_1.onnx", "data/w.bin"}));
  EXPECT_EQ(onnx::why_not_a_pipeline(out()), "");
  write_file(out() / "mine.txt", "");
  EXPECT_NE(onnx::why_not_a_pipeline(out()).find("mine.txt"), std::string::npos);
}

TEST_F(SplitTest, CopiedWeightsAreTheStagesOwnOnPages) {
  write_file(model_path().parent_path() / "w.bin", weights());
  const onnx::Pipeline pipeline = split(model_with("w.bin"), {{"B", 1}, {"C", 1}}, {.copy_weights = true});
  EXPECT_EQ(pipeline.stages[1].data, "stage_1.data");
  const ReadStage second = stage(1);
  for (const onnx::TensorView& tensor : second.model.graph.initializers) {
    EXPECT_EQ(tensor.location, "stage_1.data");
    ASSERT_TRUE(tensor.offset);
    EXPECT_EQ(*tensor.offset % 4096, 0);
    const std::string copied =
        bytes_of_file(out() / "stage_1.data").substr(static_cast<std::size_t>(*tensor.offset), 16);
    EXPECT_EQ(copied, std::string(16, tensor.name[0]));
  }
  EXPECT_EQ(bytes_of_file(out() / "stage_0.data"), std::string(16, 'v'));
  EXPECT_FALSE(fs::exists(out() / "w.bin"));
}

TEST_F(SplitTest, WeightsThatCannotBeHad) {
  for (const char* location : {"../w.bin", "/etc/passwd", "a/../../w.bin", "", "stage_0.onnx", "pipeline.json"}) {
    fs::remove_all(out());
    EXPECT_THROW(split(model_with(location), {{"B", 1}, {"C", 1}}), InputError) << location;
  }
  const onnx::Pipeline pipeline = split(model_with("gone.bin"), {{"B", 1}, {"C", 1}});
  ASSERT_FALSE(pipeline.notes.empty());
  EXPECT_NE(pipeline.notes[0].find("'gone.bin' are not there"), std::string::npos);
  EXPECT_THROW(split(model_with("gone.bin"), {{"B", 1}, {"C", 1}}, {.copy_weights = true}), InputError);
  write_file(model_path().parent_path() / "short.bin", "too short");
  EXPECT_THROW(split(model_with("short.bin"), {{"B", 1}, {"C", 1}}, {.copy_weights = true}), InputError);
}

// The stage of each node that names one.
std::map<std::string, std::int64_t> noted_stages(const ReadStage& read) {
  std::map<std::string, std::int64_t> stages;
  for (const onnx::NodeView& node : read.model.graph.nodes) {
    for (onnx::WireReader fields(*read.file, node.range, "a node"); fields.next();) {
      if (fields.number() != 10) continue;
      EXPECT_FALSE(stages.contains(std::string(node.name)));
      for (onnx::WireReader entry = fields.message("a configuration"); entry.next();) {
        if (entry.number() == 1) {
          EXPECT_EQ(entry.text(), "partita");
        }
        if (entry.number() == 3) stages[std::string(node.name)] = entry.integer();
      }
    }
  }
  return stages;
}

TEST_F(SplitTest, TheWholeModelCanNameItsStages) {
  const std::map<std::string, int> devices{{"B", 1}, {"C", 1}};
  split(model_with("w.bin"), devices, {.annotate = true});
  const ReadStage once(out() / "model.onnx");
  EXPECT_EQ(once.model.ir_version, 11);
  EXPECT_EQ(once.weights(), (Names{"v", "w"}));
  const std::map<std::string, std::int64_t> expected{{"A", 0}, {"B", 1}, {"C", 1}};
  EXPECT_EQ(noted_stages(once), expected);
  // Annotated again, by another plan.
  split(*once.bytes, {{"C", 1}}, {.annotate = true});
  const ReadStage twice(out() / "model.onnx");
  const std::map<std::string, std::int64_t> other{{"A", 0}, {"B", 0}, {"C", 1}};
  EXPECT_EQ(noted_stages(twice), other);
  std::size_t configurations = 0;
  for (onnx::WireReader fields(*twice.file, twice.model.range, "the model"); fields.next();)
    configurations += fields.number() == 26 ? 1 : 0;
  EXPECT_EQ(configurations, 1u);
}

TEST(Rope, KnowsItsSizeAndJoinsWhatLiesTogether) {
  const std::string file = "0123456789";
  onnx::Rope inner;
  inner.copy({2, 4});
  inner.copy({4, 6});
  inner.number(1, 300);
  inner.text(2, "text");
  onnx::Rope rope;
  rope.message(7, inner);
  rope.range(3, {0, 2});
  const std::string flat = rope.flat(as_span(file));
  EXPECT_EQ(flat.size(), rope.size());
  EXPECT_EQ(flat, Message().text(7, "2345" + Message().number(1, 300).text(2, "text").bytes()).text(3, "01").bytes());
  std::size_t ranges = 0;
  inner.visit([](std::string_view) {}, [&](onnx::ByteRange) { ++ranges; });
  EXPECT_EQ(ranges, 1u);
}

// Whatever the bytes: stages that can be read, or one InputError.
TEST_F(SplitTest, DamagedModelsAreSplitOrRefused) {
  write_file(model_path().parent_path() / "w.bin", weights());
  std::mt19937 random(5);
  std::size_t cut = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = model_with("w.bin");
    if (i % 2 == 0) {
      bytes = mutate_bytes(bytes, random);
    } else {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    write_file(model_path(), bytes);
    try {
      Problem problem;
      problem.shape = Shape::Free;
      problem.workload = cost_workload(read_network(model_path().string()), compose_platform("3xa100"));
      ListedSplit plan;
      for (std::size_t v = 0; v < problem.workload->graph.nodes.size(); ++v)
        plan.split.device_of.push_back(DeviceId(random() % 3));
      plan.report = check(problem, plan.split);
      if (!plan.report.legal()) continue;
      fs::remove_all(out());
      fs::create_directories(out());
      const onnx::Pipeline pipeline =
          split_onnx(model_path(), problem, plan, out(), {.chain = i % 2 == 0, .copy_weights = i % 3 == 0});
      for (std::size_t q = 0; q < pipeline.stages.size(); ++q)
        EXPECT_NO_THROW(ReadStage(out() / pipeline.stages[q].file));
      ++cut;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(cut, 50u);
}

}  // namespace
}  // namespace partita::detail
