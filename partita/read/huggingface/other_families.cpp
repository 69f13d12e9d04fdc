// SPDX-License-Identifier: Apache-2.0
// Transformers with LayerNorms, biases and MLPs of two products: GPT-2, GPT-NeoX, BERT and its like, ViT.
#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "partita/read/huggingface/families.h"
#include "partita/read/huggingface/transformer.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

using nlohmann::json;

// The names of what all of them have.
struct BasicNames {
  const char* hidden = "hidden_size";
  const char* layers = "num_hidden_layers";
  const char* heads = "num_attention_heads";
  const char* intermediate = "intermediate_size";
};

TransformerShape read_basics(const Config& config, const char* family, const BasicNames& names) {
  TransformerShape shape;
  shape.family = family;
  shape.hidden = config.size({names.hidden}, "the width of the network");
  const std::int64_t layers = config.size({names.layers}, "the number of layers");
  if (layers > kMostLayers) {
    config.place()
        .member(names.layers)
        .fail(ErrorKind::BadNumber, fmt::format("found {}; expected at most {}", layers, kMostLayers));
  }
  LayerShape layer;
  layer.heads = layer.key_value_heads = config.size({names.heads}, "the number of heads of attention");
  if (shape.hidden % layer.heads != 0) {
    config.place()
        .member(names.heads)
        .fail(ErrorKind::BadNumber,
              fmt::format("found {}; expected a divisor of {}, which is {}", layer.heads, names.hidden, shape.hidden));
  }
  shape.head_size = shape.hidden / layer.heads;
  layer.intermediate = config.optional_size({names.intermediate}, "the width inside an MLP").value_or(4 * shape.hidden);
  shape.layers.assign(static_cast<std::size_t>(layers), layer);
  shape.norm = NormKind::Layer;
  shape.gated = false;
  shape.activation = "GELU";
  shape.query_key_value_bias = shape.output_bias = shape.mlp_bias = true;
  shape.type = config.type(shape.notes);
  return shape;
}

// Published files of BERT are of all kinds of heads; what is planned is the body.
void note_other_head(const Config& config, TransformerShape& shape) {
  const std::string architecture = config.architecture();
  if (architecture.empty() || architecture.ends_with("Model")) return;
  shape.notes.push_back(fmt::format("{}: {} is read as the body with its pooler, without other heads",
                                    config.place().where(), one_line(architecture, 60)));
}

FamilyShape read_bert_like(const Config& config, const char* family, const std::string& prefix, std::int64_t offset) {
  FamilyShape result{read_basics(config, family, {}), bert_names(prefix)};
  TransformerShape& shape = result.shape;
  shape.causal = shape.rotary = false;
  shape.norm_place = NormPlace::After;
  shape.embedding_norm = true;
  shape.head = Head::Pooler;
  shape.vocabulary = config.size({"vocab_size"}, "the number of words");
  shape.positions = config.size({"max_position_embeddings"}, "the number of positions");
  shape.token_types = config.optional_size({"type_vocab_size"}, "the number of types of tokens").value_or(2);
  if (shape.positions <= offset) {
    config.place()
        .member("max_position_embeddings")
        .fail(ErrorKind::BadNumber, fmt::format("found {}; expected more than {}", shape.positions, offset));
  }
  shape.longest_sequence = shape.positions - offset;
  note_other_head(config, shape);
  return result;
}

// A side, or two: "image_size": 224, "patch_size": [16, 16].
std::pair<std::int64_t, std::int64_t> sides(const Config& config, const char* key, std::int64_t usual) {
  const json* value = config.fields().find(key);
  if (!value || !value->is_array()) {
    const std::int64_t side = config.size_or({key}, usual, "a number of pixels, or two");
    return {side, side};
  }
  const Place place = config.place().member(key);
  if (value->size() != 2) fail_type(*value, place, "a number of pixels, or two");
  const auto side = [&](std::size_t i) {
    const Place here = place.element(i);
    const std::int64_t pixels = integer_at((*value)[i], here, "a number of pixels");
    if (pixels < 1 || pixels > kLargestExtent) fail_type((*value)[i], here, "a number of pixels");
    return pixels;
  };
  return {side(0), side(1)};
}

}  // namespace

FamilyShape read_gpt2(const Config& config) {
  FamilyShape result{read_basics(config, "gpt2", {"n_embd", "n_layer", "n_head", "n_inner"}), gpt2_names()};
  TransformerShape& shape = result.shape;
  shape.rotary = false;
  shape.vocabulary = config.size({"vocab_size"}, "the number of words");
  shape.positions = config.size({"n_positions", "n_ctx"}, "the number of positions");
  shape.longest_sequence = shape.positions;
  shape.fused_query_key_value = true;
  shape.weights_by_input = true;
  shape.tied = config.flag({"tie_word_embeddings"}, true);
  return result;
}

FamilyShape read_gpt_neox(const Config& config) {
  FamilyShape result{read_basics(config, "gpt_neox", {}), gpt_neox_names()};
  TransformerShape& shape = result.shape;
  shape.vocabulary = config.size({"vocab_size"}, "the number of words");
  shape.query_key_value_bias = shape.output_bias = config.flag({"attention_bias"}, true);
  shape.parallel_residual = config.flag({"use_parallel_residual"}, true);
  shape.fused_query_key_value = true;
  shape.tied = config.flag({"tie_word_embeddings"}, false);
  return result;
}

FamilyShape read_bert(const Config& config) { return read_bert_like(config, "bert", "bert.", 0); }

// The first two positions are for padding.
FamilyShape read_roberta(const Config& config) { return read_bert_like(config, "roberta", "roberta.", 2); }

FamilyShape read_vit(const Config& config) {
  FamilyShape result{read_basics(config, "vit", {}), vit_names()};
  TransformerShape& shape = result.shape;
  shape.causal = shape.rotary = false;
  shape.query_key_value_bias = config.flag({"qkv_bias"}, true);
  ImageShape image;
  std::tie(image.height, image.width) = sides(config, "image_size", 224);
  std::tie(image.patch_height, image.patch_width) = sides(config, "patch_size", 16);
  image.channels = config.optional_size({"num_channels"}, "the number of channels").value_or(3);
  if (image.patch_height > image.height || image.patch_width > image.width) {
    config.place().member("patch_size").fail(ErrorKind::BadNumber, "is larger than the image; expected parts of it");
  }
  shape.image = image;
  const std::string architecture = config.architecture();
  if (architecture.empty() || architecture.find("ImageClassification") != std::string::npos) {
    shape.head = Head::Classes;
    shape.classes = config.labels();
  } else {
    shape.head = Head::Pooler;
    result.names.head = "vit.pooler.dense";
  }
  config.note_fallbacks(shape.notes, "vit");
  return result;
}

}  // namespace partita::detail
