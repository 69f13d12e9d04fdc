// SPDX-License-Identifier: Apache-2.0
// Engines that run files of stages, as `partita split` writes them.
#include "partita/write/engines/stage_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "partita/util/error.h"
#include "partita/write/engines/engine.h"
#include "tests/support/mutate_bytes.h"
#include "tests/write/layered_model.h"

namespace partita::detail::test {
namespace {

namespace fs = std::filesystem;

// Two stages: the first makes h and m, the second reads both and the input y, and passes m on as `split --chain` does.
constexpr const char* kPipelineText = R"({
  "partita": {"format": "pipeline", "version": 1},
  "annotated": false,
  "inputs": [{"name": "x", "dtype": "int64", "shape": ["batch", 8]}, {"name": "y", "dtype": "fp16", "shape": []}],
  "outputs": [{"name": "z \"z\"", "dtype": "fp32", "shape": [1, 8], "from": {"stage": 1}},
              {"name": "m", "dtype": "bool", "shape": [null], "from": {"stage": 1}}],
  "stages": [
    {"stage": 0, "device": "gpu1 0", "file": "stage0.onnx", "inputs": [{"name": "x", "dtype": "int64", "shape": ["batch", 8]},
       {"name": "w", "dtype": "fp32", "shape": [4], "optional": true}],
     "outputs": [{"name": "h", "dtype": "fp32", "shape": [1, 8]}, {"name": "m", "dtype": "bool", "shape": [null]}]},
    {"stage": 1, "device": "cpu 0", "file": "stage1.onnx", "data": "stage1.data",
     "inputs": [{"name": "h", "dtype": "fp32", "shape": [1, 8]}, {"name": "m", "dtype": "bool", "shape": [null]},
                {"name": "y", "dtype": "fp16", "shape": []}],
     "outputs": [{"name": "z \"z\"", "dtype": "fp32", "shape": [1, 8]}, {"name": "m", "dtype": "bool", "shape": [null]}]}],
  "files": ["stage0.onnx", "stage1.onnx", "stage1.data", "model.weights"]
})";

class StageFilesTest : public ::testing::Test {
 protected:
  StageFilesTest() : folder_(fs::temp_directory_path() / ("partita-stages-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    for (const char* name : {"stage0.onnx", "stage1.onnx", "stage1.data", "model.weights"}) write(name, name);
    write("pipeline.json", kPipelineText);
  }
  ~StageFilesTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  // What is said of a pipeline.json that was changed in this way.
  std::string complaint(const std::string& from, const std::string& to) const {
    std::string text = kPipelineText;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write("pipeline.json", text.replace(at, from.size(), to));
    try {
      const StageFiles files = read_stage_files(folder_.string());
      exported("triton", files);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  Exported exported(const char* engine, const StageFiles& files) const {
    return export_plan(*find_engine(engine), {.problem = problem_, .split = split_, .stages = &files});
  }

  fs::path folder_;
  Problem problem_{layered_model(unequal_platform(2, 1))};
  Split split_ =
      layered_split(*problem_.workload, {DeviceId(1), DeviceId(1), DeviceId(1), DeviceId(2), DeviceId(2), DeviceId(2)});
};

TEST_F(StageFilesTest, AreReadAsTheyAreWritten) {
  const StageFiles files = read_stage_files(folder_.string());
  ASSERT_EQ(files.stages.size(), 2U);
  EXPECT_EQ(files.stages[0].device, "gpu1 0");
  EXPECT_EQ(files.stages[0].inputs.size(), 1U);  // not what a caller may leave out
  EXPECT_EQ(files.stages[0].inputs[0].shape, (std::vector<std::int64_t>{-1, 8}));
  EXPECT_EQ(files.stages[0].weights, (std::vector<std::string>{"model.weights"}));
  EXPECT_EQ(files.stages[1].weights, (std::vector<std::string>{"stage1.data", "model.weights"}));
  EXPECT_EQ(files.outputs[0].name, "z \"z\"");
}

TEST_F(StageFilesTest, BecomeARepositoryOfTriton) {
  const StageFiles files = read_stage_files(folder_.string());
  std::map<std::string, ExportedFile> made;
  for (const ExportedFile& file : exported("triton", files).files) made[file.path] = file;
  EXPECT_EQ(made.size(), 4U + 3U + 2U);
  EXPECT_EQ(made.at("stage0/1/model.onnx").linked_to, (folder_ / "stage0.onnx").string());
  EXPECT_EQ(made.at("stage1/1/stage1.data").linked_to, (folder_ / "stage1.data").string());
  EXPECT_EQ(made.at("stage0/1/model.weights").linked_to, (folder_ / "model.weights").string());
  EXPECT_NE(made.at("stage0/config.pbtxt").text.find("instance_group [ { count: 1 kind: KIND_GPU gpus: [ 1 ] } ]"),
            std::string::npos);
  EXPECT_NE(made.at("stage0/config.pbtxt").text.find("{ name: \"x\" data_type: TYPE_INT64 dims: [ -1, 8 ] }"),
            std::string::npos);
  EXPECT_NE(made.at("stage1/config.pbtxt").text.find("KIND_CPU"), std::string::npos);
  EXPECT_NE(made.at("stage1/config.pbtxt").text.find("data_type: TYPE_FP16 dims: [ 1 ] reshape { shape: [ ] }"),
            std::string::npos);
  const std::string& ensemble = made.at("pipeline/config.pbtxt").text;
  EXPECT_NE(ensemble.find("platform: \"ensemble\""), std::string::npos);
  EXPECT_NE(ensemble.find("output_map { key: \"z \\\"z\\\"\" value: \"z \\\"z\\\"\" }"), std::string::npos);
  EXPECT_NE(ensemble.find("  { name: \"m\" data_type: TYPE_BOOL dims: [ -1 ] }"), std::string::npos);
}

// The rules of an ensemble: every tensor is an input or made by one step, and is there when it is read.
TEST_F(StageFilesTest, ChainsOfTritonHold) {
  const StageFiles files = read_stage_files(folder_.string());
  std::string ensemble;
  for (const ExportedFile& file : exported("triton", files).files)
    if (file.path == "pipeline/config.pbtxt") ensemble = file.text;
  std::map<std::string, int> made{{"x", 1}, {"y", 1}};
  const std::regex entry(R"re((input|output)_map \{ key: "((?:[^"\\]|\\.)*)" value: "((?:[^"\\]|\\.)*)" \})re");
  int inputs = 0;
  for (std::sregex_iterator at(ensemble.begin(), ensemble.end(), entry), end; at != end; ++at) {
    const std::string name = (*at)[3];
    if ((*at)[1] == "output") {
      ++made[name];
    } else {
      ++inputs;
      EXPECT_TRUE(made.contains(name)) << name;
    }
  }
  EXPECT_EQ(inputs, 4);
  for (const auto& [name, times] : made) EXPECT_EQ(times, 1) << name;
  EXPECT_EQ(made.size(), 5U);
}

TEST_F(StageFilesTest, BecomeAPipelineOfGenai) {
  const StageFiles files = read_stage_files(folder_.string());
  const nlohmann::json config = nlohmann::json::parse(exported("genai", files).files.front().text);
  EXPECT_EQ(config["model"]["type"], "decoder-pipeline");
  const nlohmann::json& pipeline = config["model"]["decoder"]["pipeline"];
  ASSERT_EQ(pipeline.size(), 2U);
  EXPECT_EQ(pipeline[0]["stage0"]["filename"], "stage0.onnx");
  EXPECT_EQ(pipeline[0]["stage0"]["session_options"]["provider_options"][0]["cuda"]["device_id"], "1");
  EXPECT_EQ(pipeline[1]["stage1"]["inputs"], (nlohmann::json{"h", "m", "y"}));
  EXPECT_TRUE(pipeline[1]["stage1"]["session_options"]["provider_options"].empty());
}

TEST_F(StageFilesTest, CopiesAreInstances) {
  EXPECT_EQ(complaint("\"device\": \"gpu1 0\",", "\"device\": \"gpu1 0\", \"copies\": [\"gpu0 0\"],"), "");
  const StageFiles files = read_stage_files(folder_.string());
  EXPECT_NE(exported("triton", files).files.front().text.find("gpus: [ 1, 0 ]"), std::string::npos);
}

TEST_F(StageFilesTest, ThatAreWrongAreRefused) {
  const auto expect = [this](const std::string& from, const std::string& to, const std::string& mention) {
    const std::string said = complaint(from, to);
    EXPECT_NE(said.find(mention), std::string::npos) << said;
  };
  expect("\"stage0.onnx\", \"inputs\"", "\"../stage0.onnx\", \"inputs\"", "expected a file of the folder");
  expect("\"stage0.onnx\", \"inputs\"", "\"/etc/passwd\", \"inputs\"", "expected a file of the folder");
  expect("\"stage0.onnx\", \"inputs\"", "\"stage7.onnx\", \"inputs\"", "not in the folder");
  expect("\"annotated\": false", "\"annotated\": true", "expected a file for each stage");
  expect("\"device\": \"gpu1 0\"", "\"device\": \"gpu9 0\"", "a device 'gpu9 0'");
  expect("\"int64\"", "\"int4\"", "the type int4");
  expect("\"shape\": [\"batch\", 8]", "\"shape\": null", "no shape");
  expect("\"shape\": [\"batch\", 8]", "\"shape\": [-5]", "an extent");
  expect(
      "\"name\": \"h\", \"dtype\": \"fp32\", \"shape\": [1, 8]}, {\"name\": \"m\", \"dtype\": \"bool\", \"shape\": "
      "[null]}]}",
      "\"name\": \"g\", \"dtype\": \"fp32\", \"shape\": [1, 8]}]}", "stage1.onnx reads h");
  write("pipeline.json", R"({"stages": []})");
  EXPECT_THROW(read_stage_files(folder_.string()), InputError);
  write("pipeline.json", "[");
  EXPECT_THROW(read_stage_files(folder_.string()), InputError);
  fs::remove(folder_ / "pipeline.json");
  try {
    read_stage_files(folder_.string());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("`partita split MODEL PLAN"), std::string::npos);
  }
}

TEST_F(StageFilesTest, ThatAreDamagedAreReadOrRefused) {
  std::mt19937 random(5);
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    write("pipeline.json", mutate_bytes(kPipelineText, random));
    try {
      const StageFiles files = read_stage_files(folder_.string());
      exported("triton", files);
      exported("genai", files);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(refused, 250);
}

}  // namespace
}  // namespace partita::detail::test
