// SPDX-License-Identifier: Apache-2.0
// Small models, split along plans that say by name which device each operator is on; the stage files, read back.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "partita/check/check.h"
#include "partita/cost/cost.h"
#include "partita/read/network.h"
#include "partita/read/onnx/model.h"
#include "partita/read/presets.h"
#include "partita/util/error.h"
#include "partita/write/onnx/split_onnx.h"
#include "tests/read/onnx_bytes.h"

namespace partita::detail {

inline std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

// A stage file that was read back. Names point into its bytes.
struct ReadStage {
  std::unique_ptr<std::string> bytes;
  std::unique_ptr<onnx::WireFile> file;
  onnx::ModelView model;

  explicit ReadStage(const std::filesystem::path& path)
      : bytes(std::make_unique<std::string>(bytes_of_file(path))),
        file(std::make_unique<onnx::WireFile>(onnx::WireFile{as_span(*bytes), path.filename().string()})),
        model(onnx::view_model(*file)) {}

  Names kinds() const {
    Names result;
    for (const onnx::NodeView& node : model.graph.nodes) result.emplace_back(node.op_type);
    return result;
  }
  static Names names(const std::vector<onnx::ValueView>& values) {
    Names result;
    for (const onnx::ValueView& value : values) result.emplace_back(value.name);
    std::ranges::sort(result);
    return result;
  }
  Names inputs() const { return names(model.graph.inputs); }
  Names outputs() const { return names(model.graph.outputs); }
  Names weights() const {
    Names result;
    for (const onnx::TensorView& tensor : model.graph.initializers) result.emplace_back(tensor.name);
    std::ranges::sort(result);
    return result;
  }
  const onnx::ValueView& input(std::string_view name) const {
    const auto at = std::ranges::find(model.graph.inputs, name, &onnx::ValueView::name);
    if (at == model.graph.inputs.end()) throw std::out_of_range(std::string(name));
    return *at;
  }
};

class SplitTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("partita-split-" + std::to_string(getpid()) + "-" +
                                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path model_path() const { return folder_ / "model.onnx"; }
  std::filesystem::path out() const { return folder_ / "out"; }

  // Operators that are not named are on device 0.
  onnx::Pipeline split(const std::string& bytes, const std::map<std::string, int>& device_of,
                       OnnxSplitOptions options = {}, Shape shape = Shape::Staged) {
    write_file(model_path(), bytes);
    Problem problem;
    problem.shape = shape;
    const Network network = read_network(model_path().string(), options.network);
    problem.workload = cost_workload(network, compose_platform("4xa100"));
    ListedSplit plan;
    const auto& nodes = problem.workload->graph.nodes;
    std::map<std::int64_t, DeviceId> colours;
    for (NodeId v : nodes.all()) {
      const auto at = device_of.find(nodes[v].name);
      DeviceId device(static_cast<std::size_t>(at == device_of.end() ? 0 : at->second));
      if (nodes[v].colour) device = colours.emplace(*nodes[v].colour, device).first->second;
      plan.split.device_of.push_back(device);
    }
    for (const auto& [name, device] : device_of) {
      EXPECT_TRUE(std::ranges::any_of(nodes, [&](const Node& node) { return node.name == name; })) << name;
    }
    plan.report = check(problem, plan.split);
    EXPECT_TRUE(plan.report.legal()) << plan.report.violations.front().message;
    std::filesystem::remove_all(out());
    std::filesystem::create_directories(out());
    onnx::Pipeline pipeline = split_onnx(model_path(), problem, plan, out(), options);
    // Every file of a stage is a model again: each name is made once, before it is read.
    for (const onnx::PipelineStage& stage : pipeline.stages) {
      const std::string written = bytes_of_file(out() / stage.file);
      parse_or_nothing(written, stage.file);
    }
    return pipeline;
  }

  ReadStage stage(std::size_t number) const { return ReadStage(out() / ("stage_" + std::to_string(number) + ".onnx")); }

 private:
  // The reader wants an operator that is not constant, which a stage need not have.
  static void parse_or_nothing(const std::string& bytes, const std::string& name) {
    try {
      parse_onnx(as_span(bytes), name);
    } catch (const InputError& error) {
      if (error.problem().find("everything in the graph is constant") == std::string::npos)
        ADD_FAILURE() << error.what();
    }
  }

  std::filesystem::path folder_;
};

inline Message floats(std::string_view name, const Extents& extents) {
  Message tensor;
  std::int64_t count = 1;
  for (std::int64_t extent : extents) {
    tensor.number(1, static_cast<std::uint64_t>(extent));
    count *= extent;
  }
  return tensor.number(2, kFloat).text(8, name).text(9, std::string(static_cast<std::size_t>(count) * 4, 'w'));
}

}  // namespace partita::detail
