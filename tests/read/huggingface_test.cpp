// SPDX-License-Identifier: Apache-2.0
// Networks from config.json files: parameters to the last one, operations against published counts and formulae.
#include "partita/read/huggingface/huggingface.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/read/inputs.h"
#include "tests/read/model_configs.h"
#include "tests/read/network_promises.h"
#include "tests/support/workloads.h"

namespace partita::detail {
namespace {

const ModelConfig& config_of(const std::string& name) {
  return *std::ranges::find(model_configs(), name, &ModelConfig::name);
}

Network network_of(const std::string& name, const TransformerOptions& options = {}) {
  return parse_huggingface(config_of(name).text, "f", options);
}

const Operator& operator_named(const Network& network, const std::string& name) {
  const auto entry = std::ranges::find(network.operators, name, &Operator::name);
  EXPECT_NE(entry, network.operators.end()) << name;
  return *entry;
}

double family_flops(const Network& network, OperatorFamily family) {
  double sum = 0;
  for (const Operator& op : network.operators) {
    if (op.family == family) sum += *op.flops;
  }
  return sum;
}

TEST(HuggingFace, ParametersOfPublishedModelsAreExact) {
  for (const ModelConfig& config : model_configs()) {
    SCOPED_TRACE(config.name);
    const Network network = parse_huggingface(config.text, "f");
    expect_promises(network);
    EXPECT_EQ(network.parameters(), config.parameters) << network.parameters() - config.parameters;
  }
}

TEST(HuggingFace, EveryPhaseKeepsThePromises) {
  for (const ModelConfig& config : model_configs()) {
    SCOPED_TRACE(config.name);
    for (TransformerPhase phase : {TransformerPhase::Prefill, TransformerPhase::Decode, TransformerPhase::Training}) {
      TransformerOptions options;
      options.phase = phase;
      options.batch = 3;
      options.sequence = 100;
      const bool encoder = std::string(config.name).find("BERT") != std::string::npos ||
                           std::string(config.name).find("BERTa") != std::string::npos ||
                           std::string(config.name).starts_with("ViT");
      if (encoder && phase == TransformerPhase::Decode) {
        EXPECT_SAYS(error_of([&] { parse_huggingface(config.text, "f", options); }), ErrorKind::Unsupported,
                    "TransformerOptions::phase", "decode", "encoder");
        continue;
      }
      const Network network = parse_huggingface(config.text, "f", options);
      expect_promises(network);
      EXPECT_EQ(network.parameters(), config.parameters);
      const bool has_state =
          std::ranges::any_of(network.operators, [](const Operator& op) { return op.state_bytes > 0; });
      EXPECT_EQ(has_state, !encoder && phase != TransformerPhase::Training);
    }
  }
}

// Multiplications with their additions, as papers count them: without what is not a product.
TEST(HuggingFace, OperationsOfEncodersAreAsPublished) {
  const Network vit = network_of("ViT-B/16");
  EXPECT_NEAR(vit.flops() / 2e9, 17.6, 0.02 * 17.6);
  TransformerOptions options;
  options.sequence = 128;
  const Network bert = network_of("BERT-base", options);
  EXPECT_NEAR(bert.flops() / 2e9, 11.2, 0.02 * 11.2);
}

TEST(HuggingFace, OperationsOfLlamaFollowTheTwoNRule) {
  for (const char* name : {"Llama-3-8B", "Llama-3.1-70B"}) {
    TransformerOptions options;
    options.phase = TransformerPhase::Training;
    options.sequence = 4096;
    const Network network = network_of(name, options);
    const double hidden = name == std::string("Llama-3-8B") ? 4096 : 8192;
    const double layers = name == std::string("Llama-3-8B") ? 32 : 80;
    const double tokens = 4096;
    // The table of the embedding is looked up, not multiplied with; attention computes half of s^2.
    const double products = 2 * (network.parameters() - 128256 * hidden) * tokens;
    const double attention = 4 * hidden * tokens * tokens / 2 * layers;
    EXPECT_NEAR(network.flops(), products + attention, 0.02 * (products + attention));
    EXPECT_NEAR(family_flops(network, OperatorFamily::Attention), attention, 0.001 * attention);
    // The head scores the last token alone when it is not training.
    options.phase = TransformerPhase::Prefill;
    const Network prefill = network_of(name, options);
    EXPECT_EQ(*operator_named(network, "lm_head").flops, tokens * *operator_named(prefill, "lm_head").flops);
    EXPECT_EQ(*operator_named(prefill, "lm_head").flops, 2 * hidden * 128256);
  }
}

TEST(HuggingFace, DecodingReadsTheCacheAndAllWeights) {
  TransformerOptions options;
  options.phase = TransformerPhase::Decode;
  options.batch = 2;
  options.context = 1000;
  const Network network = network_of("Llama-3-8B", options);
  const Operator& attention = operator_named(network, "model.layers.3.self_attn");
  EXPECT_EQ(*attention.flops, 2 * 4 * 32.0 * 128 * 1000);
  EXPECT_EQ(attention.state_bytes, 2 * 1000 * 2 * 8 * 128 * 2.0);
  EXPECT_GT(*attention.moved_bytes, attention.state_bytes);
  EXPECT_LT(*attention.moved_bytes, 1.1 * attention.state_bytes);
  EXPECT_EQ(attention.layer, 3);
  EXPECT_EQ(network.tensors[attention.outputs.front()].type.shape, (std::vector<std::int64_t>{2, 1, 4096}));
  const Operator& head = operator_named(network, "lm_head");
  EXPECT_EQ(head.layer, std::nullopt);
  EXPECT_EQ(head.moved_bytes, std::nullopt);
  // The table of words is looked up in, not read.
  EXPECT_LT(*operator_named(network, "model.embed_tokens").moved_bytes, 1e5);
}

TEST(HuggingFace, WindowsCapTheCacheAndTheOperations) {
  TransformerOptions options;
  options.phase = TransformerPhase::Decode;
  options.context = 8192;
  const Network mistral = network_of("Mistral-7B-v0.1", options);
  EXPECT_EQ(operator_named(mistral, "model.layers.0.self_attn").state_bytes, 4096 * 2 * 8 * 128 * 2.0);
  const Network gemma2 = network_of("Gemma-2-2b", options);
  EXPECT_EQ(operator_named(gemma2, "model.layers.0.self_attn").state_bytes * 2,
            operator_named(gemma2, "model.layers.1.self_attn").state_bytes);
  const Network gemma3 = network_of("Gemma-3-1b", options);
  std::map<double, int> caches;
  for (const Operator& op : gemma3.operators) {
    if (op.family == OperatorFamily::Attention) ++caches[op.state_bytes];
  }
  EXPECT_EQ(caches, (std::map<double, int>{{512 * 2 * 256 * 2.0, 22}, {8192 * 2 * 256 * 2.0, 4}}));
  // Token i looks back at min(i, window).
  options.phase = TransformerPhase::Prefill;
  options.context = std::nullopt;
  options.sequence = 8192;
  const Network prefill = network_of("Mistral-7B-v0.1", options);
  double pairs = 0;
  for (int i = 1; i <= 8192; ++i) pairs += std::min(i, 4096);
  EXPECT_EQ(*operator_named(prefill, "model.layers.0.self_attn").flops, 4 * 32 * 128 * pairs);
}

TEST(HuggingFace, ExpertsShareTheTokens) {
  TransformerOptions options;
  options.phase = TransformerPhase::Decode;
  options.context = 1;
  const Network network = network_of("Mixtral-8x7B", options);
  // 12,879,925,248 parameters are active, of which the table of words and the norms are not multiplied with.
  const double active = 12879925248.0 - 32000.0 * 4096;
  EXPECT_NEAR(network.flops(), 2 * active, 0.005 * 2 * active);
  const Operator& expert = operator_named(network, "model.layers.5.block_sparse_moe.experts.7");
  ASSERT_EQ(expert.weights.size(), 3u);
  EXPECT_EQ(network.weights[expert.weights[1]].name, "model.layers.5.block_sparse_moe.experts.7.w3.weight");
  // One token reads two experts of eight, so a quarter of each on average.
  const double weights = 3 * 4096 * 14336 * 2.0;
  EXPECT_NEAR(*expert.moved_bytes, weights / 4, 0.01 * weights);
  options.batch = 64;
  const Network busy = network_of("Mixtral-8x7B", options);
  EXPECT_NEAR(*operator_named(busy, "model.layers.5.block_sparse_moe.experts.7").moved_bytes, weights, 0.02 * weights);
}

TEST(HuggingFace, TiedHeadsShareTheTableOfTheEmbedding) {
  for (const char* name : {"GPT-2", "Gemma-2-2b"}) {
    const Network network = network_of(name);
    const Operator& head = operator_named(network, "lm_head");
    const Operator& embedding = *network.operators.begin();
    EXPECT_EQ(embedding.family, OperatorFamily::Lookup);
    ASSERT_EQ(head.weights.size(), 1u);
    EXPECT_EQ(head.weights.front(), embedding.weights.front());
  }
  EXPECT_EQ(operator_named(network_of("GPT-2"), "transformer.h.11.attn.c_attn").outputs.size(), 3u);
}

TEST(HuggingFace, LatentAttentionKeepsItsRanks) {
  TransformerOptions options;
  options.phase = TransformerPhase::Decode;
  options.context = 4096;
  const Network network = network_of("DeepSeek-V3", options);
  const Operator& attention = operator_named(network, "model.layers.60.self_attn");
  EXPECT_EQ(attention.state_bytes, 4096 * (512 + 64) * 2.0);
  EXPECT_EQ(*attention.flops, 2 * 128.0 * (2 * 512 + 64) * 4096);
  EXPECT_EQ(operator_named(network, "model.layers.2.mlp.down_proj").layer, 2);
  EXPECT_EQ(operator_named(network, "model.layers.3.mlp.experts.255").layer, 3);
}

TEST(HuggingFace, TypesAreTheFilesOrTheCallers) {
  EXPECT_EQ(network_of("Llama-3-8B").weights.begin()->type.type, DataType::BFloat16);
  EXPECT_EQ(network_of("Gemma-2-2b").weights.begin()->type.type, DataType::Float32);
  TransformerOptions options;
  options.type = DataType::Int8;
  const Network network = network_of("Llama-3-8B", options);
  double bytes = 0;
  for (const Weight& weight : network.weights) bytes += weight.bytes;
  EXPECT_EQ(bytes, network.parameters());
  const Network silent = network_of("GPT-2");
  ASSERT_EQ(silent.notes.size(), 1u);
  EXPECT_NE(silent.notes.front().find("bf16"), std::string::npos);
  const std::string torch = with(config_of("Llama-3-8B").text, "\"bfloat16\"", "\"torch.float16\"");
  EXPECT_EQ(parse_huggingface(torch, "f").weights.begin()->type.type, DataType::Float16);
}

TEST(HuggingFace, TextInsideAModelOfImagesIsRead) {
  const Network network = parse_huggingface(
      R"({"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"], "torch_dtype": "bfloat16",
          "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34,
                          "sliding_window": 1024}})",
      "dir/gemma-3-4b-it/config.json");
  EXPECT_EQ(network.name, "gemma-3-4b-it");
  EXPECT_EQ(network.parameters(), 3880263168.0);
  ASSERT_EQ(network.notes.size(), 2u);
  EXPECT_NE(network.notes[0].find("num_attention_heads = 8"), std::string::npos) << network.notes[0];
  EXPECT_NE(network.notes[1].find("text_config"), std::string::npos);
}

TEST(HuggingFace, AnArchitectureStandsInForTheFamily) {
  const std::string text = with(config_of("Llama-3-8B").text, "\"model_type\": \"llama\", ", "");
  EXPECT_EQ(parse_huggingface(text, "f").parameters(), 8030261248.0);
  const Network body = parse_huggingface(with(text, "LlamaForCausalLM", "LlamaModel"), "f");
  EXPECT_EQ(body.parameters(), 8030261248.0 - 128256.0 * 4096);
}

TEST(HuggingFace, WhatIsWrongIsSaidInOneLine) {
  const auto fails = [](const std::string& text, const TransformerOptions& options = {}) {
    return error_of([&] { parse_huggingface(text, "c.json", options); });
  };
  const std::string llama = config_of("Llama-3-8B").text;
  EXPECT_SAYS(fails(R"({"model_type": "t5"})"), ErrorKind::Unsupported, "c.json: model_type", "\"t5\"", "gemma2",
              "vit");
  EXPECT_SAYS(fails(R"({"hidden_size": 3})"), ErrorKind::BadField, "model_type", "is missing");
  EXPECT_SAYS(fails("[1]"), ErrorKind::BadField, "a list", "config.json");
  EXPECT_SAYS(fails(with(llama, "\"hidden_size\": 4096,", "")), ErrorKind::BadField, "hidden_size", "is missing");
  EXPECT_SAYS(fails(with(llama, "\"hidden_size\": 4096", "\"hidden_size\": 4095")), ErrorKind::BadNumber,
              "num_attention_heads", "divisor");
  EXPECT_SAYS(fails(with(llama, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 7")), ErrorKind::BadNumber,
              "num_key_value_heads", "divisor");
  EXPECT_SAYS(fails(with(llama, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": 1000000")), ErrorKind::BadNumber,
              "num_hidden_layers", "at most");
  EXPECT_SAYS(fails(with(llama, "\"vocab_size\": 128256", "\"vocab_size\": -1")), ErrorKind::BadNumber, "vocab_size",
              "-1");
  EXPECT_SAYS(fails(with(llama, "\"bfloat16\"", "\"float17\"")), ErrorKind::BadField, "torch_dtype", "float17");
  EXPECT_SAYS(fails(with(config_of("Mixtral-8x7B").text, "\"num_local_experts\": 8", "\"num_local_experts\": 1000000")),
              ErrorKind::BadNumber, "experts", "operators");
  EXPECT_SAYS(fails(with(config_of("Mixtral-8x7B").text, "\"num_local_experts\": 8", "\"num_local_experts\": 1")),
              ErrorKind::BadNumber, "num_experts_per_tok", "at most");
  TransformerOptions options;
  options.sequence = 513;
  EXPECT_SAYS(fails(config_of("BERT-base").text, options), ErrorKind::Usage, "TransformerOptions::sequence", "512");
  options.sequence = 0;
  EXPECT_SAYS(fails(llama, options), ErrorKind::Usage, "TransformerOptions::sequence", "found 0");
  options.sequence = 100;
  options.context = 99;
  EXPECT_SAYS(fails(llama, options), ErrorKind::Usage, "TransformerOptions::context", "99");
}

TEST(HuggingFace, ExampleModelsAreThePublishedOnes) {
  const std::map<std::string, const char*> published{{"bert-base", "BERT-base"},
                                                     {"gpt2", "GPT-2"},
                                                     {"llama-3-70b", "Llama-3.1-70B"},
                                                     {"llama-3-8b", "Llama-3-8B"},
                                                     {"mixtral-8x7b", "Mixtral-8x7B"}};
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "examples" / "models")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    const Network network = read_huggingface(entry.path().string());
    ASSERT_TRUE(published.contains(network.name));
    EXPECT_EQ(network.parameters(), config_of(published.at(network.name)).parameters);
    EXPECT_TRUE(network.notes.empty());
    ++found;
  }
  EXPECT_EQ(found, published.size());
}

TEST(HuggingFace, IsToldFromOtherJson) {
  EXPECT_TRUE(looks_like_huggingface(config_of("GPT-2").text));
  EXPECT_TRUE(looks_like_huggingface(R"( {"architectures" : []})"));
  EXPECT_FALSE(looks_like_huggingface(kSmallWorkload));
  EXPECT_FALSE(looks_like_huggingface(kSmallPlatform));
  EXPECT_FALSE(looks_like_huggingface(R"({"nodes": ["model_type"]})"));
  EXPECT_FALSE(looks_like_huggingface("model_type"));
}

}  // namespace
}  // namespace partita::detail
