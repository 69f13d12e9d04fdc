// SPDX-License-Identifier: Apache-2.0
// Decoders built like Llama: RMS norms, rotary positions, gated MLPs. Each family says in what it differs; what its
// files leave out is what the Transformers library takes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "partita/read/huggingface/families.h"
#include "partita/read/huggingface/transformer.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

using nlohmann::json;

// What a family takes where a file is silent; 0: the file must say.
struct Usual {
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t key_value_heads = 0;  // 0: as many as heads
  std::int64_t head_size = 0;        // 0: hidden / heads
  std::int64_t intermediate = 0;
  std::int64_t vocabulary = 0;
  bool tied = false;
};

std::int64_t size(const Config& config, const char* name, std::int64_t usual, const char* what) {
  return usual > 0 ? config.size_or({name}, usual, what) : config.size({name}, what);
}

bool has_vocabulary_head(const std::string& architecture) {
  if (architecture.empty()) return true;
  return std::ranges::any_of(std::array{"CausalLM", "LMHead", "ConditionalGeneration"},
                             [&](const char* word) { return architecture.find(word) != std::string::npos; });
}

FamilyShape read_decoder(const Config& config, const char* family, const Usual& usual = {}) {
  FamilyShape result;
  TransformerShape& shape = result.shape;
  result.names = llama_names();
  shape.family = family;
  shape.hidden = size(config, "hidden_size", usual.hidden, "the width of the network");
  shape.vocabulary = size(config, "vocab_size", usual.vocabulary, "the number of words");
  const std::int64_t layers = size(config, "num_hidden_layers", usual.layers, "the number of layers");
  if (layers > kMostLayers) {
    config.place()
        .member("num_hidden_layers")
        .fail(ErrorKind::BadNumber, fmt::format("found {}; expected at most {}", layers, kMostLayers));
  }
  LayerShape layer;
  layer.heads = size(config, "num_attention_heads", usual.heads, "the number of heads of attention");
  const auto key_value_heads = config.optional_size({"num_key_value_heads"}, "the number of heads of keys and values");
  layer.key_value_heads = key_value_heads.value_or(usual.key_value_heads > 0 ? usual.key_value_heads : layer.heads);
  if (layer.heads % layer.key_value_heads != 0) {
    config.place()
        .member("num_key_value_heads")
        .fail(ErrorKind::BadNumber, fmt::format("found {}; expected a divisor of num_attention_heads, which is {}",
                                                layer.key_value_heads, layer.heads));
  }
  layer.intermediate = size(config, "intermediate_size", usual.intermediate, "the width inside an MLP");
  const auto head_size = config.optional_size({"head_dim"}, "the size of a head");
  if (!head_size && usual.head_size == 0 && shape.hidden % layer.heads != 0) {
    config.place()
        .member("num_attention_heads")
        .fail(ErrorKind::BadNumber,
              fmt::format("found {}; expected a divisor of hidden_size, which is {}", layer.heads, shape.hidden));
  }
  shape.head_size = head_size.value_or(usual.head_size > 0 ? usual.head_size : shape.hidden / layer.heads);
  shape.layers.assign(static_cast<std::size_t>(layers), layer);
  shape.tied = config.flag({"tie_word_embeddings"}, usual.tied);
  shape.type = config.type(shape.notes);
  const std::string architecture = config.architecture();
  if (!has_vocabulary_head(architecture)) {
    shape.head = Head::None;
    if (!architecture.ends_with("Model")) {
      shape.notes.push_back(
          fmt::format("{}: {} is read without its head", config.place().where(), one_line(architecture, 60)));
    }
  }
  return result;
}

bool every_layer(std::int64_t) { return true; }

// All layers, or those that the family's rule names.
template <class Rule>
void read_window(const Config& config, std::optional<std::int64_t> usual, Rule rule, TransformerShape& shape) {
  const auto said = config.optional_size({"sliding_window"}, "how many tokens back attention looks, or null");
  // A null is said too: no window.
  const std::optional<std::int64_t> window = config.fields().has_key("sliding_window") ? said : usual;
  if (window) config.set_windows(shape.layers, *window, rule);
}

void read_experts(const Config& config, const char* count, const char* intermediate, TransformerShape& shape) {
  shape.experts.count = config.size({count}, "the number of experts");
  shape.experts.used = config.size({"num_experts_per_tok"}, "how many experts a token uses");
  shape.experts.intermediate = config.size({intermediate}, "the width inside an expert");
  if (shape.experts.used > shape.experts.count) {
    config.place()
        .member("num_experts_per_tok")
        .fail(ErrorKind::BadNumber, fmt::format("found {}; expected at most the number of experts, which is {}",
                                                shape.experts.used, shape.experts.count));
  }
}

// Qwen's: every so many layers, but for those that are listed.
void choose_sparse_layers(const Config& config, TransformerShape& shape) {
  const std::int64_t step =
      config.optional_size({"decoder_sparse_step"}, "every how many layers has experts").value_or(1);
  for (std::size_t i = 0; i < shape.layers.size(); ++i) {
    shape.layers[i].experts = (static_cast<std::int64_t>(i) + 1) % step == 0;
  }
  const json* dense = config.fields().find("mlp_only_layers");
  if (!dense) return;
  const Place place = config.place().member("mlp_only_layers");
  if (!dense->is_array()) fail_type(*dense, place, "a list of layers");
  for (std::size_t i = 0; i < dense->size(); ++i) {
    const Place here = place.element(i);
    const std::int64_t layer = integer_at((*dense)[i], here, "the number of a layer");
    if (layer >= 0 && layer < static_cast<std::int64_t>(shape.layers.size())) {
      shape.layers[static_cast<std::size_t>(layer)].experts = false;
    }
  }
}

void read_qwen_window(const Config& config, TransformerShape& shape) {
  if (!config.flag({"use_sliding_window"}, false)) return;
  const std::int64_t first = config.count_or("max_window_layers", 28, "the first layer whose attention is windowed");
  read_window(
      config, 4096, [first](std::int64_t layer) { return layer >= first; }, shape);
}

}  // namespace

FamilyShape read_llama(const Config& config) {
  FamilyShape result = read_decoder(config, "llama");
  result.shape.query_key_value_bias = result.shape.output_bias = config.flag({"attention_bias"}, false);
  result.shape.mlp_bias = config.flag({"mlp_bias"}, false);
  return result;
}

FamilyShape read_mistral(const Config& config) {
  FamilyShape result = read_decoder(config, "mistral", {.key_value_heads = 8});
  read_window(config, 4096, every_layer, result.shape);
  return result;
}

FamilyShape read_mixtral(const Config& config) {
  FamilyShape result = read_decoder(config, "mixtral", {.key_value_heads = 8});
  read_window(config, std::nullopt, every_layer, result.shape);
  read_experts(config, "num_local_experts", "intermediate_size", result.shape);
  for (LayerShape& layer : result.shape.layers) layer.experts = true;
  result.names.router = "block_sparse_moe.gate";
  result.names.experts = "block_sparse_moe.experts";
  result.names.expert_gate = "w1";
  result.names.expert_up = "w3";
  result.names.expert_down = "w2";
  return result;
}

FamilyShape read_qwen2(const Config& config) {
  FamilyShape result = read_decoder(config, "qwen2");
  result.shape.query_key_value_bias = true;
  read_qwen_window(config, result.shape);
  return result;
}

FamilyShape read_qwen3(const Config& config) {
  FamilyShape result = read_decoder(config, "qwen3", {.head_size = 128});
  result.shape.query_key_value_bias = result.shape.output_bias = config.flag({"attention_bias"}, false);
  result.shape.query_key_norm = true;
  read_qwen_window(config, result.shape);
  return result;
}

FamilyShape read_qwen2_moe(const Config& config) {
  FamilyShape result = read_decoder(config, "qwen2_moe");
  result.shape.query_key_value_bias = config.flag({"qkv_bias"}, true);
  read_qwen_window(config, result.shape);
  read_experts(config, "num_experts", "moe_intermediate_size", result.shape);
  result.shape.experts.shared_intermediate =
      config.size({"shared_expert_intermediate_size"}, "the width inside the shared expert");
  result.shape.experts.shared_gate = true;
  choose_sparse_layers(config, result.shape);
  return result;
}

FamilyShape read_qwen3_moe(const Config& config) {
  FamilyShape result = read_decoder(config, "qwen3_moe", {.head_size = 128});
  result.shape.query_key_value_bias = result.shape.output_bias = config.flag({"attention_bias"}, false);
  result.shape.query_key_norm = true;
  read_qwen_window(config, result.shape);
  read_experts(config, "num_experts", "moe_intermediate_size", result.shape);
  choose_sparse_layers(config, result.shape);
  return result;
}

FamilyShape read_gemma(const Config& config) {
  FamilyShape result = read_decoder(config, "gemma", {.head_size = 256, .tied = true});
  result.shape.query_key_value_bias = result.shape.output_bias = config.flag({"attention_bias"}, false);
  result.shape.activation = "GELU";
  return result;
}

FamilyShape read_gemma2(const Config& config) {
  FamilyShape result = read_decoder(config, "gemma2", {.key_value_heads = 4, .head_size = 256, .tied = true});
  result.shape.query_key_value_bias = result.shape.output_bias = config.flag({"attention_bias"}, false);
  result.shape.activation = "GELU";
  result.shape.norm_place = NormPlace::Both;
  result.names.attention_after_norm = "post_attention_layernorm";
  result.names.mlp_norm = "pre_feedforward_layernorm";
  result.names.mlp_after_norm = "post_feedforward_layernorm";
  read_window(
      config, 4096, [](std::int64_t layer) { return layer % 2 == 0; }, result.shape);
  return result;
}

FamilyShape read_gemma3(const Config& config) {
  // Published files leave out much of text_config.
  FamilyShape result = read_decoder(config, "gemma3",
                                    {.hidden = 2304,
                                     .layers = 26,
                                     .heads = 8,
                                     .key_value_heads = 4,
                                     .head_size = 256,
                                     .intermediate = 9216,
                                     .vocabulary = 262208,
                                     .tied = true});
  result.shape.query_key_value_bias = result.shape.output_bias = config.flag({"attention_bias"}, false);
  result.shape.activation = "GELU";
  result.shape.norm_place = NormPlace::Both;
  result.shape.query_key_norm = true;
  result.names.attention_after_norm = "post_attention_layernorm";
  result.names.mlp_norm = "pre_feedforward_layernorm";
  result.names.mlp_after_norm = "post_feedforward_layernorm";
  const std::int64_t full =
      config.optional_size({"sliding_window_pattern"}, "every how many layers sees all").value_or(6);
  read_window(
      config, 4096, [full](std::int64_t layer) { return (layer + 1) % full != 0; }, result.shape);
  config.note_fallbacks(result.shape.notes, "gemma3");
  return result;
}

FamilyShape read_phi3(const Config& config) {
  FamilyShape result = read_decoder(config, "phi3");
  result.shape.fused_query_key_value = result.shape.fused_gate_up = true;
  read_window(config, std::nullopt, every_layer, result.shape);
  return result;
}

FamilyShape read_deepseek(const Config& config) {
  FamilyShape result =
      read_decoder(config, "deepseek_v3", {.head_size = 1});  // its heads have three sizes of their own
  TransformerShape& shape = result.shape;
  for (LayerShape& layer : shape.layers) layer.key_value_heads = layer.heads;
  LatentAttention latent;
  latent.query_rank = config.optional_size({"q_lora_rank"}, "the rank of the queries, or null").value_or(0);
  latent.key_value_rank = config.size({"kv_lora_rank"}, "the rank of keys and values");
  latent.plain_size = config.size({"qk_nope_head_dim"}, "the size of a head without its rotated part");
  latent.rotary_size = config.size({"qk_rope_head_dim"}, "the size of the rotated part of a head");
  latent.value_size = config.size({"v_head_dim"}, "the size of a head's values");
  shape.latent = latent;
  shape.query_key_value_bias = shape.output_bias = config.flag({"attention_bias"}, false);
  if (config.fields().find("n_routed_experts")) {
    read_experts(config, "n_routed_experts", "moe_intermediate_size", shape);
    shape.experts.router_bias = config.fields().text("topk_method", "how experts are chosen") == "noaux_tc" ||
                                config.fields().text("model_type", "the family") == "deepseek_v3";
    const std::int64_t shared = config.count_or("n_shared_experts", 0, "the number of experts that every token uses");
    shape.experts.shared_intermediate = shared * shape.experts.intermediate;
    const std::int64_t dense = config.count_or("first_k_dense_replace", 0, "how many layers have no experts");
    for (std::size_t i = 0; i < shape.layers.size(); ++i) {
      shape.layers[i].experts = static_cast<std::int64_t>(i) >= dense;
    }
  }
  result.names.shared_expert = mlp_names("mlp.shared_experts.");
  if (config.count_or("num_nextn_predict_layers", 0, "how many layers predict further tokens") > 0) {
    shape.notes.push_back(fmt::format(
        "{}: the layers that predict further tokens (num_nextn_predict_layers) are left out", config.place().where()));
  }
  return result;
}

}  // namespace partita::detail
