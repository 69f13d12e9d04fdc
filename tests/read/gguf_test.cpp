// SPDX-License-Identifier: Apache-2.0
// GGUF headers: keys, tensors and their stored sizes, and headers that lie.
#include "partita/read/gguf.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "partita/read/huggingface/huggingface.h"
#include "tests/read/gguf_bytes.h"
#include "tests/read/inputs.h"
#include "tests/read/network_promises.h"

namespace partita::detail {
namespace {

// The same sizes as a config.json.
constexpr const char* kTinyConfig =
    R"({"model_type": "llama", "vocab_size": 100, "hidden_size": 64, "intermediate_size": 96,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "dtype": "float16"})";

TEST(Gguf, IsTheNetworkOfTheSameSizes) {
  const Network network = parse_gguf(tiny_llama().file(), "dir/tiny.gguf");
  expect_promises(network);
  EXPECT_EQ(network.name, "tiny");
  const Network same = parse_huggingface(kTinyConfig, "f");
  EXPECT_EQ(network.parameters(), same.parameters());
  EXPECT_EQ(network.flops(), same.flops());
  ASSERT_EQ(network.operators.size(), same.operators.size());
  EXPECT_EQ(network.operators[OperatorId(2)].name, "blk.0.attn_q");
  EXPECT_EQ(network.operators[OperatorId(2)].arithmetic, DataType::Float16);
  // Stored sizes: two tables of 8.5 bits, products of 4.5 bits, norms in full.
  const double products = 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 96);
  EXPECT_EQ(bytes_of(network), 2 * 6400 * 34 / 32.0 + products * 18 / 32 + 5 * 64 * 4.0);
  ASSERT_EQ(network.notes.size(), 1u);
  EXPECT_NE(network.notes.front().find("rope_freqs"), std::string::npos) << network.notes.front();
}

TEST(Gguf, AHeaderAloneIsEnough) {
  const Network network = parse_gguf(tiny_llama().header(2), "tiny.gguf");
  EXPECT_EQ(network.parameters(), parse_huggingface(kTinyConfig, "f").parameters());
  EXPECT_NE(network.notes.front().find("header alone"), std::string::npos);
}

TEST(Gguf, WithoutAnOutputTheHeadIsTied) {
  GgufBytes file = tiny_llama_keys("gemma2");
  file.key("gemma2.attention.key_length", std::uint32_t{32}).key("gemma2.attention.sliding_window", std::uint32_t{16});
  file.tensor("token_embd.weight", {64, 100}, GgufBytes::kF16).tensor("output_norm.weight", {64});
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    for (const char* name : {"attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"}) {
      file.tensor(layer + name + ".weight", {64});
    }
    file.tensor(layer + "attn_q.weight", {64, 128})
        .tensor(layer + "attn_k.weight", {64, 64})
        .tensor(layer + "attn_v.weight", {64, 64})
        .tensor(layer + "attn_output.weight", {128, 64})
        .tensor(layer + "ffn_gate.weight", {64, 96})
        .tensor(layer + "ffn_up.weight", {64, 96})
        .tensor(layer + "ffn_down.weight", {96, 64});
  }
  const Network network = parse_gguf(file.file(), "f");
  expect_promises(network);
  EXPECT_TRUE(network.notes.empty());
  const Operator& head = network.operators[OperatorId(network.operators.size() - 1)];
  EXPECT_EQ(head.name, "output");
  EXPECT_EQ(head.weights.front(), network.operators.begin()->weights.front());
  std::vector<double> caches;
  for (const Operator& op : network.operators) {
    if (op.family == OperatorFamily::Attention) caches.push_back(op.state_bytes);
  }
  EXPECT_EQ(caches, (std::vector<double>{16 * 2 * 2 * 32 * 2.0, 2048 * 2 * 2 * 32 * 2.0}));
}

TEST(Gguf, ExpertsAreSlicesOfOneTensor) {
  GgufBytes file = tiny_llama_keys();
  file.key("llama.expert_count", std::uint32_t{4}).key("llama.expert_used_count", std::uint32_t{2});
  file.tensor("token_embd.weight", {64, 100}).tensor("output_norm.weight", {64}).tensor("output.weight", {64, 100});
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    file.tensor(layer + "attn_norm.weight", {64})
        .tensor(layer + "attn_q.weight", {64, 64})
        .tensor(layer + "attn_k.weight", {64, 32})
        .tensor(layer + "attn_v.weight", {64, 32})
        .tensor(layer + "attn_output.weight", {64, 64})
        .tensor(layer + "ffn_norm.weight", {64})
        .tensor(layer + "ffn_gate_inp.weight", {64, 4})
        .tensor(layer + "ffn_gate_exps.weight", {64, 96, 4}, GgufBytes::kQ4_0)
        .tensor(layer + "ffn_up_exps.weight", {64, 96, 4}, GgufBytes::kQ4_0)
        .tensor(layer + "ffn_down_exps.weight", {96, 64, 4}, GgufBytes::kQ8_0);
  }
  const Network network = parse_gguf(file.file(), "f");
  expect_promises(network);
  EXPECT_TRUE(network.notes.empty());
  const auto expert = std::ranges::find(network.operators, "blk.1.ffn_exps.3", &Operator::name);
  ASSERT_NE(expert, network.operators.end());
  EXPECT_EQ(network.weights[expert->weights[0]].bytes, 64 * 96 * 18 / 32.0);
  EXPECT_EQ(network.weights[expert->weights[2]].bytes, 64 * 96 * 34 / 32.0);
}

TEST(Gguf, FilesOfASplitModelAreReadTogether) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "partita_gguf_split";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return (folder / name).string();
  };
  GgufBytes first = tiny_llama_keys();
  first.key("split.count", std::uint32_t{2}).tensor("token_embd.weight", {64, 100});
  GgufBytes second;
  second.key("split.count", std::uint32_t{2}).key("split.no", std::uint32_t{1});
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    for (const char* name : {"attn_norm", "ffn_norm"}) second.tensor(layer + name + ".weight", {64});
    for (const char* name : {"attn_q", "attn_output"}) second.tensor(layer + name + ".weight", {64, 64});
    for (const char* name : {"attn_k", "attn_v"}) second.tensor(layer + name + ".weight", {64, 32});
    for (const char* name : {"ffn_gate", "ffn_up"}) second.tensor(layer + name + ".weight", {64, 96});
    second.tensor(layer + "ffn_down.weight", {96, 64});
  }
  second.tensor("output_norm.weight", {64});
  const std::string path = write("tiny-00001-of-00002.gguf", first.file());
  EXPECT_SAYS(error_of([&] { read_gguf(path); }), ErrorKind::Unreadable, "tiny-00002-of-00002.gguf");
  write("tiny-00002-of-00002.gguf", second.file());
  const Network network = read_gguf(path);
  EXPECT_EQ(network.name, "tiny");
  EXPECT_EQ(network.parameters(), parse_huggingface(kTinyConfig, "f").parameters() - 6400);
  EXPECT_EQ(read_gguf((folder / "tiny-00002-of-00002.gguf").string()).parameters(), network.parameters());
  const std::string renamed = write("part.gguf", first.file());
  EXPECT_SAYS(error_of([&] { read_gguf(renamed); }), ErrorKind::Unsupported, "2 files", "model-00001-of-00003.gguf");
  std::filesystem::remove_all(folder);
}

TEST(Gguf, HeadersThatLieAreRefused) {
  const auto fails = [](const std::string& bytes) { return error_of([&] { parse_gguf(bytes, "m.gguf"); }); };
  const std::string good = tiny_llama().file();
  EXPECT_SAYS(fails("GGUX"), ErrorKind::BadField, "does not begin with GGUF");
  EXPECT_SAYS(fails(good.substr(0, good.size() - 1000)), ErrorKind::BadField, "output.weight", "cut off");
  EXPECT_SAYS(fails(good.substr(0, 300)), ErrorKind::BadField, "m.gguf", "cut off");
  EXPECT_SAYS(fails(good.substr(0, 6)), ErrorKind::BadField, "the version");
  const auto with_number = [&](std::size_t at, std::uint64_t value) {
    std::string bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    return bytes;
  };
  EXPECT_SAYS(fails(with_number(8, std::uint64_t{1} << 62)), ErrorKind::BadField, "the number of tensors", "can hold");
  EXPECT_SAYS(fails(with_number(16, ~std::uint64_t{0})), ErrorKind::BadField, "the number of keys", "can hold");
  EXPECT_SAYS(fails(with_number(24, ~std::uint64_t{0})), ErrorKind::BadField, "key 0", "takes");
  std::string old = good;
  old[4] = 1;
  EXPECT_SAYS(fails(old), ErrorKind::Unsupported, "the version", "is 1");
  EXPECT_SAYS(fails(tiny_llama().key("general.architecture", std::string("x")).file()), ErrorKind::BadField,
              "general.architecture", "given twice");
  EXPECT_SAYS(fails(tiny_llama().tensor("output.weight", {64}).file()), ErrorKind::BadField, "output.weight", "twice");
  EXPECT_SAYS(fails(GgufBytes().key("general.architecture", std::string("mamba")).file()), ErrorKind::Unsupported,
              "\"mamba\"", "qwen3moe");
  EXPECT_SAYS(fails(tiny_llama_keys().file()), ErrorKind::BadField, "token_embd.weight", "not among");
  EXPECT_SAYS(fails(tiny_llama_keys().tensor("token_embd.weight", {64, 100}).file()), ErrorKind::BadField, "not among");
  // A block of 32 does not fit a row of 8.
  EXPECT_SAYS(fails(tiny_llama().tensor("x", {8, 32}, GgufBytes::kQ8_0).file()), ErrorKind::BadField, "multiple of 32");
  EXPECT_SAYS(fails(tiny_llama().tensor("x", {std::uint64_t{1} << 40, std::uint64_t{1} << 40}).header()),
              ErrorKind::BadNumber, "more than", "elements");
  // Sizes that contradict the keys.
  EXPECT_SAYS(fails(tiny_llama_keys().tensor("token_embd.weight", {32, 100}).file()), ErrorKind::BadField,
              "token_embd.weight", "[100,32]", "6400 elements");
  EXPECT_SAYS(fails(with(good, "llama.embedding_length", "llama.embedding_lengtH")), ErrorKind::BadField,
              "llama.embedding_length", "is missing");
}

}  // namespace
}  // namespace partita::detail
