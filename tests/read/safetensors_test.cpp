// SPDX-License-Identifier: Apache-2.0
// Safetensors headers, and what they say of the weights of a network.
#include "partita/read/safetensors.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "partita/read/huggingface/huggingface.h"
#include "tests/read/inputs.h"
#include "tests/read/network_promises.h"

namespace partita::detail {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string safetensors(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + header + std::string(data_bytes, '\0');
}

// A file with these weights of a network, each as "BF16" or as `types` says; without data.
std::string file_of(const Network& network, const std::string& only, const std::string& prefix_dropped = "") {
  json header;
  std::uint64_t at = 0;
  for (const Weight& weight : network.weights) {
    if (weight.name.find(only) == std::string::npos) continue;
    const std::string name =
        weight.name.starts_with(prefix_dropped) ? weight.name.substr(prefix_dropped.size()) : weight.name;
    const auto bytes = static_cast<std::uint64_t>(weight.parameters) * 4;
    header[name] = {{"dtype", "F32"}, {"shape", *weight.type.shape}, {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  header["__metadata__"] = {{"format", "pt"}};
  return safetensors(header.dump(), 0);
}

constexpr const char* kTiny = R"({"model_type": "llama", "vocab_size": 100, "hidden_size": 64, "intermediate_size": 96,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "dtype": "bfloat16"})";

class SafetensorsFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

TEST_F(SafetensorsFolder, StoredTypesReplaceThoseOfTheConfig) {
  const Network config = parse_huggingface(kTiny, "f");
  const std::string path = write("model.safetensors", file_of(config, ""));
  EXPECT_SAYS(error_of([&] { read_safetensors(path); }), ErrorKind::Unsupported, "model.safetensors", "config.json");
  write("config.json", kTiny);
  const Network network = read_safetensors(path);
  expect_promises(network);
  EXPECT_EQ(network.name, "StoredTypesReplaceThoseOfTheConfig");
  EXPECT_TRUE(network.notes.empty());
  EXPECT_EQ(network.parameters(), config.parameters());
  EXPECT_EQ(bytes_of(network), 4 * network.parameters());
  EXPECT_EQ(network.weights.begin()->type.type, DataType::Float32);
  EXPECT_EQ(network.operators.begin()->arithmetic, DataType::BFloat16);
  // A checkpoint of the body alone leaves out the first part of the names.
  write("model.safetensors", file_of(config, "model.", "model."));
  const Network body = read_safetensors(path);
  EXPECT_EQ(bytes_of(body), 4 * (network.parameters() - 6400) + 2 * 6400);
  ASSERT_EQ(body.notes.size(), 1u);
  EXPECT_NE(body.notes.front().find("lm_head.weight"), std::string::npos);
}

TEST_F(SafetensorsFolder, AnIndexNamesTheFiles) {
  const Network config = parse_huggingface(kTiny, "f");
  write("config.json", kTiny);
  const std::string first = write("model-00001-of-00002.safetensors", file_of(config, "model."));
  write("model-00002-of-00002.safetensors", file_of(config, "lm_head"));
  json map;
  for (const Weight& weight : config.weights) {
    map[weight.name] =
        weight.name == "lm_head.weight" ? "model-00002-of-00002.safetensors" : "model-00001-of-00002.safetensors";
  }
  const std::string index = write("model.safetensors.index.json", json({{"weight_map", map}}).dump());
  EXPECT_TRUE(looks_like_safetensors_index(json({{"weight_map", map}}).dump()));
  EXPECT_EQ(bytes_of(read_safetensors(index)), 4 * config.parameters());
  EXPECT_EQ(bytes_of(read_safetensors(first)), 4 * config.parameters());
  map["lm_head.weight"] = "../secret";
  write("model.safetensors.index.json", json({{"weight_map", map}}).dump());
  EXPECT_SAYS(error_of([&] { read_safetensors(index); }), ErrorKind::BadField, "weight_map.lm_head.weight", "secret");
  map["lm_head.weight"] = "gone.safetensors";
  write("model.safetensors.index.json", json({{"weight_map", map}}).dump());
  EXPECT_SAYS(error_of([&] { read_safetensors(index); }), ErrorKind::Unreadable, "gone.safetensors");
}

TEST_F(SafetensorsFolder, AFolderIsAModel) {
  EXPECT_SAYS(error_of([&] { read_model_folder(folder_.string()); }), ErrorKind::Unreadable, "config.json");
  write("config.json", kTiny);
  const Network config = read_model_folder(folder_.string());
  EXPECT_EQ(bytes_of(config), 2 * config.parameters());
  write("model.safetensors", file_of(config, ""));
  EXPECT_EQ(bytes_of(read_model_folder(folder_.string())), 4 * config.parameters());
}

TEST(Safetensors, ScalesCountWithTheirWeight) {
  Checkpoint checkpoint("f");
  parse_safetensors(safetensors(R"({"a.q.weight": {"dtype": "F8_E4M3", "shape": [4, 8], "data_offsets": [0, 32]},
      "a.q.weight_scale_inv": {"dtype": "F32", "shape": [2], "data_offsets": [32, 40]},
      "a.k.qweight": {"dtype": "I32", "shape": [4], "data_offsets": [40, 56]},
      "a.k.scales": {"dtype": "F16", "shape": [4], "data_offsets": [56, 64]},
      "a.q.bias": {"dtype": "BF16", "shape": [4], "data_offsets": [64, 72]}})",
                                72),
                    "f", checkpoint);
  Weight q{"a.q.weight", {DataType::BFloat16, {{4, 8}}}, 64, 32};
  checkpoint.describe(q);
  EXPECT_EQ(q.bytes, 40);
  EXPECT_EQ(q.type.type, DataType::Float8);
  Weight k{"a.k.weight", {DataType::BFloat16, {{4, 8}}}, 64, 32};
  checkpoint.describe(k);
  EXPECT_EQ(k.bytes, 24);
  Weight bias{"model.a.q.bias", {DataType::BFloat16, {{4}}}, 8, 4};
  checkpoint.describe(bias);
  EXPECT_EQ(bias.bytes, 8);
  EXPECT_TRUE(checkpoint.notes().empty());
  Weight wrong{"a.q.weight", {DataType::BFloat16, {{5, 8}}}, 80, 40};
  EXPECT_SAYS(error_of([&] { checkpoint.describe(wrong); }), ErrorKind::BadField, "a.q.weight", "[4,8]", "40 elements");
}

TEST(Safetensors, HeadersThatLieAreRefused) {
  const auto fails = [](const std::string& bytes) {
    return error_of([&] {
      Checkpoint checkpoint("f");
      parse_safetensors(bytes, "m.safetensors", checkpoint);
    });
  };
  const std::string good = R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                               "b": {"dtype": "F16", "shape": [], "data_offsets": [8, 10]}})";
  Checkpoint checkpoint("f");
  parse_safetensors(safetensors(good, 10), "f", checkpoint);
  EXPECT_EQ(checkpoint.size(), 2u);
  EXPECT_TRUE(looks_like_safetensors(safetensors(good, 10)));
  EXPECT_FALSE(looks_like_safetensors(good));
  EXPECT_SAYS(fails("short"), ErrorKind::BadField, "8 bytes");
  EXPECT_SAYS(fails(safetensors(good, 10).substr(0, 40)), ErrorKind::BadField, "header takes");
  std::string huge = safetensors(good, 10);
  huge[7] = '\x7f';
  EXPECT_SAYS(fails(huge), ErrorKind::BadField, "header takes");
  EXPECT_SAYS(fails(safetensors(good, 9)), ErrorKind::BadField, "has 9 bytes of data", "take 10");
  EXPECT_SAYS(fails(safetensors(good, 11)), ErrorKind::BadField, "has 11 bytes of data");
  EXPECT_SAYS(fails(safetensors(with(good, "[8, 10]", "[9, 11]"), 11)), ErrorKind::BadField, "b", "expected 8");
  EXPECT_SAYS(fails(safetensors(with(good, "[8, 10]", "[6, 8]"), 8)), ErrorKind::BadField, "b", "expected 8");
  EXPECT_SAYS(fails(safetensors(with(good, "[8, 10]", "[8, 12]"), 12)), ErrorKind::BadField, "b.data_offsets",
              "2 bytes");
  EXPECT_SAYS(fails(safetensors(with(good, "[8, 10]", "[10, 8]"), 10)), ErrorKind::BadField, "b.data_offsets");
  EXPECT_SAYS(fails(safetensors(with(good, "\"F16\"", "\"F17\""), 10)), ErrorKind::Unsupported, "b.dtype", "F17");
  EXPECT_SAYS(fails(safetensors(with(good, "[2]", "[-2]"), 10)), ErrorKind::BadField, "a.shape[0]", "-2");
  EXPECT_SAYS(fails(safetensors(with(good, "\"b\"", "\"a\""), 10)), ErrorKind::BadField, "given twice");
  EXPECT_SAYS(fails(safetensors("[1]", 0)), ErrorKind::BadField, "a list");
  EXPECT_SAYS(fails(safetensors("{", 0)), ErrorKind::NotJson, "not JSON");
}

}  // namespace
}  // namespace partita::detail
