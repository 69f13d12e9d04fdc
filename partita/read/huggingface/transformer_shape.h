// SPDX-License-Identifier: Apache-2.0
// What sets one transformer apart from another: the common ground of config.json files and GGUF headers, and all that
// build_transformer needs. A letter in brackets is the one of the formulae in docs/formats.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partita/model/tensor.h"

namespace partita::detail {

enum class NormKind {
  Rms,    // a weight for each channel
  Layer,  // a weight and a bias
};

// Where the norms of a block stand.
enum class NormPlace {
  Before,  // attention and MLP each read a normed input
  After,   // BERT: the sum behind each is normed
  Both,    // Gemma 2: also what they make, before it is added
};

enum class Head {
  None,
  Vocabulary,  // scores for every word
  Pooler,      // BERT: one product of the first token
  Classes,     // ViT: scores for every class, of the first token
};

// Attention whose keys and values are made from one short vector for each token, which is all that the cache keeps.
struct LatentAttention {
  std::int64_t query_rank = 0;  // 0: queries are made from the input
  std::int64_t key_value_rank = 0;
  std::int64_t plain_size = 0;  // of a head: what is not rotated
  std::int64_t rotary_size = 0;
  std::int64_t value_size = 0;
};

struct ExpertShape {
  std::int64_t count = 0;                // [E]
  std::int64_t used = 0;                 // by each token
  std::int64_t intermediate = 0;         // of each
  std::int64_t shared_intermediate = 0;  // of the experts that every token uses, together; 0: there are none
  bool shared_gate = false;              // how much they count is a product of its own
  bool router_bias = false;              // one number for each expert, added where experts are chosen
};

struct ImageShape {
  std::int64_t channels = 3;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t patch_height = 0;
  std::int64_t patch_width = 0;

  std::int64_t patches() const { return (height / patch_height) * (width / patch_width); }
};

struct LayerShape {
  std::int64_t heads = 0;            // [a]
  std::int64_t key_value_heads = 0;  // [k]
  std::int64_t intermediate = 0;     // [I]
  std::int64_t window = 0;           // how many tokens back attention looks; 0: all
  bool experts = false;              // in the place of the MLP
};

struct TransformerShape {
  std::string family;  // "llama": for people
  std::int64_t hidden = 0;
  std::int64_t head_size = 0;   // [d]
  std::int64_t vocabulary = 0;  // 0 for images
  std::int64_t positions = 0;   // rows of a learned table; 0: rotary, or nothing that is stored
  std::int64_t token_types = 0;
  std::optional<std::int64_t> longest_sequence = {};  // beyond it there is no position
  std::optional<ImageShape> image = {};
  std::vector<LayerShape> layers = {};

  bool causal = true;
  bool rotary = true;
  bool gated = true;  // three products in an MLP instead of two
  bool parallel_residual = false;
  bool query_key_norm = false;
  bool embedding_norm = false;
  bool tied = false;  // the head has the table of the embedding for its weights
  bool fused_query_key_value = false;
  bool fused_gate_up = false;
  bool query_key_value_bias = false;
  bool output_bias = false;
  bool mlp_bias = false;
  bool head_bias = false;
  bool weights_by_input = false;  // stored [in, out], not [out, in]: GPT-2
  NormKind norm = NormKind::Rms;
  NormPlace norm_place = NormPlace::Before;
  const char* activation = "SiLU";

  std::optional<LatentAttention> latent = {};
  ExpertShape experts = {};
  Head head = Head::Vocabulary;
  std::int64_t classes = 0;

  DataType type = DataType::BFloat16;
  std::vector<std::string> notes = {};
};

}  // namespace partita::detail
