// SPDX-License-Identifier: Apache-2.0
// Exported models and the files of the ONNX project, where they are: everything known of the former, and an answer for
// each of the latter.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/read/inputs.h"
#include "tests/read/onnx_bytes.h"
#include "tests/support/workloads.h"

namespace partita::detail {
namespace {

namespace fs = std::filesystem;

struct Expected {
  const char* file;
  std::size_t operators;
  double parameters;
  double multiply_adds;
};

// Parameters by the shapes of the architecture. Exporters store tensors that are equal once: the many biases and scales
// of models with fresh weights, which are all zeros or ones.
constexpr double kHidden = 768, kInner = 3072, kTokens = 128, kBertLayers = 12;
constexpr double kBertMatrices = kBertLayers * (4 * kHidden * kHidden + 2 * kHidden * kInner);
constexpr double kBertParameters = (30522 + 512 + 2) * kHidden + kBertMatrices + kBertLayers * kInner + 2 * kHidden;
constexpr double kBertWork = kTokens * kBertMatrices + kBertLayers * 2 * kTokens * kTokens * kHidden;

constexpr double kWide = 2048, kWideInner = 8192, kKeys = 512, kLlamaLayers = 16, kWords = 32000, kLlamaTokens = 256;
constexpr double kLlamaMatrices =
    kLlamaLayers * (2 * kWide * kWide + 2 * kWide * kKeys + 3 * kWide * kWideInner) + kWide * kWords;
constexpr double kLlamaParameters = kLlamaMatrices + kWide * kWords + (2 * kLlamaLayers + 1) * kWide;
constexpr double kLlamaWork = kLlamaTokens * kLlamaMatrices + kLlamaLayers * 2 * kLlamaTokens * kLlamaTokens * kWide;

// Four layers of width 64 and one of 500 words at 32 tokens; the positions are a table that was looked up beforehand.
constexpr double kTinyMatrices = 4 * (64 * 192 + 64 * 64 + 2 * 64 * 256);
constexpr double kTinyWork = 32 * (kTinyMatrices + 64 * 500) + 4 * 2 * 32 * 32 * 64;

// Fire modules: squeeze to s channels, expand to 1x1 and 3x3 of e channels each.
double squeezenet_weights() {
  double sum = 64 * 3 * 9;
  const double modules[][3] = {{64, 16, 64},   {128, 16, 64},  {128, 32, 128}, {256, 32, 128},
                               {256, 48, 192}, {384, 48, 192}, {384, 64, 256}, {512, 64, 256}};
  for (const auto& [in, squeeze, expand] : modules) sum += in * squeeze + squeeze * expand * 10;
  return sum + 512 * 10;
}

// Of matrix products, convolutions and attention: what the literature counts.
double multiply_adds(const Network& network) {
  double sum = 0;
  for (const Operator& each : network.operators) {
    const bool is_product = each.family == OperatorFamily::MatrixProduct || is_convolution(each.family) ||
                            each.family == OperatorFamily::Attention;
    if (is_product) sum += *each.flops / 2;
  }
  return sum;
}

TEST(OnnxModels, EverythingIsKnownOfTheExportedOnes) {
  const auto workloads = workloads_folder();
  if (!workloads || !fs::is_directory(*workloads / "onnx")) GTEST_SKIP() << kNoWorkloads;
  const Expected all[] = {
      {"resnet50", 122, 25'503'912, 4.1e9},  // without the scales and shifts that were folded into its convolutions
      {"bert_base", 368, kBertParameters, kBertWork},
      {"llama_1b", 976, kLlamaParameters, kLlamaWork},
      {"tiny_gpt2", 155, 0, kTinyWork},
      {"squeezenet_ts", 65, 0, 0},
  };
  for (const Expected& expected : all) {
    SCOPED_TRACE(expected.file);
    const Network network = read_onnx(*workloads / "onnx" / (std::string(expected.file) + ".onnx"));
    EXPECT_EQ(network.operators.size(), expected.operators);
    EXPECT_TRUE(network.notes.empty()) << network.notes.front();
    for (const Tensor& tensor : network.tensors) EXPECT_TRUE(tensor.type.bytes()) << tensor.name;
    for (const Operator& each : network.operators) EXPECT_TRUE(each.flops) << each.name;
    if (expected.parameters > 0) {
      EXPECT_EQ(network.parameters(), expected.parameters);
    }
    if (expected.multiply_adds > 0) {
      EXPECT_NEAR(multiply_adds(network) / expected.multiply_adds, 1, 0.02);
    }
    if (expected.multiply_adds > 1e9) {
      EXPECT_NEAR(network.flops() / 2 / expected.multiply_adds, 1, 0.02) << "all else is small beside it";
    }
  }
}

TEST(OnnxModels, SqueezenetsWeightsAndBiases) {
  const auto workloads = workloads_folder();
  if (!workloads || !fs::is_directory(*workloads / "onnx")) GTEST_SKIP() << kNoWorkloads;
  const Network network = read_onnx(*workloads / "onnx" / "squeezenet_ts.onnx");
  double matrices = 0;
  for (const Weight& weight : network.weights) matrices += weight.type.shape->size() == 4 ? weight.parameters : 0;
  EXPECT_EQ(matrices, squeezenet_weights());
}

TEST(OnnxModels, TenGigabytesOfExternalDataAreNotTouched) {
  std::vector<Message> nodes, weights;
  std::string last = "x";
  for (int i = 0; i < 200; ++i) {
    const std::string name = fmt::format("blk.{}.w", i), next = fmt::format("h{}", i);
    nodes.push_back(op("MatMul", {last, name}, {next}, {}, fmt::format("mm{}", i)));
    weights.push_back(weight(name, {3600, 3600}));
    last = next;
  }
  const fs::path path = fs::temp_directory_path() / "partita_ten_gigabytes.onnx";
  std::ofstream(path, std::ios::binary) << model(graph({.nodes = nodes,
                                                        .inputs = {value("x", kFloat, {"1", "3600"})},
                                                        .outputs = {value_without_shape(last)},
                                                        .weights = weights,
                                                        .values = {}}));
  const Network network = read_onnx(path);
  fs::remove(path);
  EXPECT_EQ(network.parameters() * 4, 200.0 * 3600 * 3600 * 4);
  EXPECT_GT(network.parameters() * 4, 10e9);
  EXPECT_EQ(network.operators[OperatorId(7)].layer, 7);
}

TEST(OnnxModels, EveryFileOfTheOnnxProjectIsReadOrRefused) {
  const fs::path folder = "/usr/share/libonnx-testdata/data";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "install libonnx-testdata to read the files of the ONNX project";
  std::size_t read = 0, refused = 0, contradictions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    SCOPED_TRACE(entry.path().string());
    try {
      const Network network = read_onnx(entry.path());
      ++read;
      for (const std::string& note : network.notes) contradictions += note.find("something else") != std::string::npos;
    } catch (const InputError& error) {
      ++refused;
      // A single Constant, Shape or Size: nothing to plan.
      EXPECT_NE(std::string(error.what()).find("everything in the graph is constant"), std::string::npos)
          << error.what();
    }
  }
  std::printf("%zu files read, %zu refused\n", read, refused);
  EXPECT_GT(read, 1000u);
  EXPECT_LT(refused, 20u);
  EXPECT_EQ(contradictions, 0u) << "shapes that the files say are those that are inferred";
}

TEST(OnnxModels, AFileThatIsNotThere) {
  EXPECT_SAYS(error_of([] { read_onnx("no-such-file.onnx"); }), ErrorKind::Unreadable, "no-such-file.onnx");
}

}  // namespace
}  // namespace partita::detail
