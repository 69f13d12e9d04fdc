// SPDX-License-Identifier: Apache-2.0
// A transformer's sizes to the graph of its operators: embedding, blocks of attention and MLP or experts, head.
//
// How operations are counted. A product of matrices takes 2 for each multiplication with its addition; biases are left
// out. Attention takes 4 d for each head and each pair of a query and a key (2 d for the score, 2 d for the value); its
// softmax is left out. Causal attention computes s (s + 1) / 2 pairs of a sequence of s tokens, half of s^2, as kernels
// do that skip what is masked; with a window of w tokens, token i has min(i, w). Decoding computes one token for each
// sequence, against the whole cache. The head scores every token in training, the last token of each sequence
// otherwise: an operator takes it out.
//
// The KV cache is the state of the attention operator: 2 k d numbers for each token that it has room for, at most the
// window. DeepSeek's latent attention keeps one vector of a rank for each token, and the rotated part of the key. When
// it decodes, the products that make keys and values of that vector are moved over to the queries and the output
// ("absorbed"), which takes as many operations for one token as the product itself; so attention itself works on
// vectors of that rank.
//
// Experts are an operator each, behind a router: then a split can put the experts of one layer on several devices.
// Which token goes where is not known, so each expert gets its expected share, top-k / E of the tokens, and its weights
// are read with the probability that some token uses it, 1 - (1 - top-k / E)^tokens, which matters when few tokens are
// decoded. An expert reads all of the layer's input where that is on another device: who is sent which row is known
// only when the router has run.
//
// Tests: tests/read/huggingface_test.cpp (parameters to the last one, operations against published counts).
#include "partita/read/huggingface/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "partita/read/huggingface/network_builder.h"
#include "partita/read/huggingface/run_size.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

// Operations for an element: two products and a sum; a sum; an activation function, with a product where it is gated.
constexpr double kRotaryFlops = 3;
constexpr double kAddFlops = 1;
constexpr double kActivationFlops = 8;

double number(std::int64_t value) { return static_cast<double>(value); }

class TransformerWriter {
 public:
  TransformerWriter(const TransformerShape& shape, const ModuleNames& names, const RunSize& run,
                    const std::string& name, Checkpoint* checkpoint)
      : shape_(shape), names_(names), run_(run), out_(name, run.type, checkpoint) {}

  Network write() {
    TensorId x = shape_.image ? embed_image() : embed_tokens();
    for (std::size_t i = 0; i < shape_.layers.size(); ++i) {
      out_.set_layer(static_cast<std::int64_t>(i));
      prefix_ = fmt::format("{}{}.", names_.layer, i);
      x = block(x, shape_.layers[i]);
    }
    out_.set_layer({});
    return out_.finish({head(x)}, shape_.notes);
  }

 private:
  std::string in_layer(const std::string& name) const { return prefix_ + name; }

  // A table's rows: what is read of it is what is looked up, not all.
  TensorId embed_tokens() {
    const TensorId tokens = out_.input("input_ids", DataType::Int64, {run_.batch, run_.steps});
    Operator& op = out_.add(names_.embedding, "Embedding", OperatorFamily::Lookup, {tokens});
    double moved = out_.bytes(tokens);
    const auto look_up = [&](const std::string& table, std::int64_t rows, double rows_read) {
      const WeightId weight = out_.add_weight(table + ".weight", {rows, shape_.hidden});
      op.weights.push_back(weight);
      moved += std::min(rows_read, number(rows)) / number(rows) * out_.weight(weight).bytes;
      return weight;
    };
    token_table_ = look_up(names_.token_table, shape_.vocabulary, number(run_.batch) * number(run_.steps));
    if (shape_.positions > 0) look_up(names_.position_table, shape_.positions, number(run_.steps));
    if (shape_.token_types > 0) look_up(names_.type_table, shape_.token_types, number(shape_.token_types));
    const TensorId x = out_.output(op, {run_.batch, run_.steps, shape_.hidden});
    op.flops = (number(static_cast<std::int64_t>(op.weights.size())) - 1) * out_.elements(x);
    op.moved_bytes = moved + out_.bytes(x);
    return shape_.embedding_norm ? out_.norm(names_.embedding_norm, x, shape_.norm) : x;
  }

  TensorId embed_image() {
    const ImageShape& image = *shape_.image;
    const TensorId pixels =
        out_.input("pixel_values", run_.type, {run_.batch, image.channels, image.height, image.width});
    Operator& conv = out_.add(names_.patches, "Conv", OperatorFamily::Convolution, {pixels});
    conv.weights = {out_.add_weight(names_.patches + ".weight",
                                    {shape_.hidden, image.channels, image.patch_height, image.patch_width}),
                    out_.add_weight(names_.patches + ".bias", {shape_.hidden})};
    const TensorId patches = out_.output(conv, {run_.batch, image.patches(), shape_.hidden});
    conv.flops =
        2 * out_.elements(patches) * number(image.channels) * number(image.patch_height) * number(image.patch_width);
    Operator& op = out_.add(names_.embedding, "Embedding", OperatorFamily::Elementwise, {patches});
    op.weights = {out_.add_weight(names_.class_token, {1, 1, shape_.hidden}),
                  out_.add_weight(names_.position_table, {1, run_.steps, shape_.hidden})};
    const TensorId x = out_.output(op, {run_.batch, run_.steps, shape_.hidden});
    op.flops = kAddFlops * out_.elements(x);
    return x;
  }

  TensorId block(TensorId x, const LayerShape& layer) {
    const bool before = shape_.norm_place != NormPlace::After;
    const bool both = shape_.norm_place == NormPlace::Both;
    const auto norm = [&](const std::string& name, TensorId of) { return out_.norm(in_layer(name), of, shape_.norm); };
    TensorId made = attention(before ? norm(names_.attention_norm, x) : x, layer);
    if (both) made = norm(names_.attention_after_norm, made);
    TensorId sum = out_.elementwise(in_layer("attention_residual"), "Add", {made, x}, kAddFlops);
    if (!before) sum = norm(names_.attention_after_norm, sum);
    // GPT-NeoX computes attention and MLP from the same input.
    const TensorId mlp_input = shape_.parallel_residual ? x : sum;
    const TensorId normed = before ? norm(names_.mlp_norm, mlp_input) : mlp_input;
    made = layer.experts ? experts(normed) : mlp(normed, names_.mlp, layer.intermediate);
    if (both) made = norm(names_.mlp_after_norm, made);
    sum = out_.elementwise(in_layer("mlp_residual"), "Add", {made, sum}, kAddFlops);
    return before ? sum : norm(names_.mlp_after_norm, sum);
  }

  TensorId linear(const std::string& name, TensorId x, std::int64_t columns, bool bias) {
    return out_.linear(in_layer(name), x, columns, bias, shape_.weights_by_input);
  }

  TensorId attention(TensorId x, const LayerShape& layer) {
    if (shape_.latent) return latent_attention(x, layer);
    const std::int64_t d = shape_.head_size;
    const std::int64_t query_columns = layer.heads * d;
    const std::int64_t key_columns = layer.key_value_heads * d;
    const bool bias = shape_.query_key_value_bias;
    TensorId q, k, v;
    if (shape_.fused_query_key_value) {
      const std::vector<TensorId> made =
          out_.fused_linear(in_layer(names_.query_key_value), x, {query_columns, key_columns, key_columns},
                            {".query", ".key", ".value"}, bias, shape_.weights_by_input);
      q = made[0];
      k = made[1];
      v = made[2];
    } else {
      q = linear(names_.query, x, query_columns, bias);
      k = linear(names_.key, x, key_columns, bias);
      v = linear(names_.value, x, key_columns, bias);
    }
    if (shape_.query_key_norm) {
      q = out_.norm(in_layer(names_.query_norm), q, shape_.norm, d);
      k = out_.norm(in_layer(names_.key_norm), k, shape_.norm, d);
    }
    if (shape_.rotary) rotate(q, k);
    const double pairs = number(run_.batch) * number(layer.heads) * run_.attended(shape_.causal, layer.window);
    const TensorId mixed =
        attend({q, k, v}, query_columns, 4 * number(d) * pairs, 2 * number(key_columns), layer.window);
    return linear(names_.output, mixed, shape_.hidden, shape_.output_bias);
  }

  void rotate(TensorId& q, TensorId& k) {
    Operator& op =
        out_.add(in_layer(names_.attention + ".rotary"), "RotaryEmbedding", OperatorFamily::Elementwise, {q, k});
    op.flops = kRotaryFlops * (out_.elements(q) + out_.elements(k));
    q = out_.output(op, Extents(out_.extents(q)), ".query");
    k = out_.output(op, Extents(out_.extents(k)), ".key");
  }

  // The operator of attention itself. `cached`: numbers that the cache keeps of a token.
  TensorId attend(std::vector<TensorId> inputs, std::int64_t columns, double flops, double cached,
                  std::int64_t window) {
    Operator& op = out_.add(in_layer(names_.attention), "Attention", OperatorFamily::Attention, std::move(inputs));
    op.flops = flops;
    const TensorId made = out_.output(op, {run_.batch, run_.steps, columns});
    if (run_.context == 0) return made;
    const double token_bytes = number(run_.batch) * cached * out_.element_bytes();
    op.state_bytes = token_bytes * run_.cached(window);
    // New keys and values are written to the cache; when decoding, all that is in it is read.
    double moved = out_.bytes(made) + token_bytes * number(run_.steps);
    for (TensorId input : op.inputs) moved += out_.bytes(input);
    if (run_.phase == TransformerPhase::Decode) moved += op.state_bytes;
    op.moved_bytes = moved;
    return made;
  }

  TensorId latent_attention(TensorId x, const LayerShape& layer) {
    const LatentAttention& latent = *shape_.latent;
    const std::int64_t a = layer.heads;
    const std::int64_t rank = latent.key_value_rank;
    const bool bias = shape_.query_key_value_bias;
    const std::int64_t query_columns = a * (latent.plain_size + latent.rotary_size);
    TensorId q;
    if (latent.query_rank > 0) {
      const TensorId down = linear(names_.query_down, x, latent.query_rank, bias);
      q = linear(names_.query_up, out_.norm(in_layer(names_.query_down_norm), down, shape_.norm), query_columns, false);
    } else {
      q = linear(names_.query, x, query_columns, false);
    }
    const std::vector<TensorId> down =
        out_.fused_linear(in_layer(names_.key_value_down), x, {rank, latent.rotary_size}, {".latent", ".rotary"}, bias);
    TensorId rotated = down[1];
    rotate(q, rotated);
    const TensorId normed = out_.norm(in_layer(names_.key_value_down_norm), down[0], shape_.norm);
    const TensorId key_values = linear(names_.key_value_up, normed, a * (latent.plain_size + latent.value_size), false);
    const double size_of_scores = number(
        run_.phase == TransformerPhase::Decode ? rank + latent.rotary_size : latent.plain_size + latent.rotary_size);
    const double size_of_values = number(run_.phase == TransformerPhase::Decode ? rank : latent.value_size);
    const double pairs = number(run_.batch) * number(a) * run_.attended(true, layer.window);
    const TensorId mixed =
        attend({q, key_values, rotated}, a * latent.value_size, 2 * (size_of_scores + size_of_values) * pairs,
               number(rank + latent.rotary_size), layer.window);
    return linear(names_.output, mixed, shape_.hidden, shape_.output_bias);
  }

  TensorId mlp(TensorId x, const MlpNames& names, std::int64_t intermediate) {
    TensorId middle;
    if (shape_.gated && shape_.fused_gate_up) {
      const std::vector<TensorId> both = out_.fused_linear(in_layer(names.gate_up), x, {intermediate, intermediate},
                                                           {".gate", ".up"}, shape_.mlp_bias);
      middle = out_.elementwise(in_layer(names.activation), shape_.activation, both, kActivationFlops);
    } else if (shape_.gated) {
      const TensorId gate = linear(names.gate, x, intermediate, shape_.mlp_bias);
      const TensorId up = linear(names.up, x, intermediate, shape_.mlp_bias);
      middle = out_.elementwise(in_layer(names.activation), shape_.activation, {gate, up}, kActivationFlops);
    } else {
      const TensorId up = linear(names.up, x, intermediate, shape_.mlp_bias);
      middle = out_.elementwise(in_layer(names.activation), shape_.activation, {up}, kActivationFlops);
    }
    return linear(names.down, middle, shape_.hidden, shape_.mlp_bias);
  }

  TensorId experts(TensorId x) {
    const ExpertShape& experts = shape_.experts;
    const double tokens = number(run_.batch) * number(run_.steps);
    const double used_share = number(experts.used) / number(experts.count);

    const TensorId routes = out_.linear(in_layer(names_.router), x, experts.count, false);
    if (experts.router_bias)
      out_.last_operator().weights.push_back(out_.add_weight(in_layer(names_.router_bias), {experts.count}));
    std::vector<TensorId> parts{routes};
    for (std::int64_t e = 0; e < experts.count; ++e) parts.push_back(expert(e, x, routes, tokens * used_share));
    // What is added up: one row for each token and expert that it uses.
    double rows = tokens * number(experts.used);
    if (experts.shared_intermediate > 0) {
      parts.push_back(mlp(x, names_.shared_expert, experts.shared_intermediate));
      if (experts.shared_gate) parts.push_back(out_.linear(in_layer(names_.shared_gate), x, 1, false));
      rows += tokens;
    }
    Operator& op =
        out_.add(in_layer(names_.experts + ".combine"), "Combine", OperatorFamily::Elementwise, std::move(parts));
    const TensorId sum = out_.output(op, Extents(out_.extents(x)));
    op.flops = 2 * rows * number(shape_.hidden);
    op.moved_bytes = rows * number(shape_.hidden) * out_.element_bytes() + out_.bytes(routes) + out_.bytes(sum);
    return sum;
  }

  TensorId expert(std::int64_t number_of_it, TensorId x, TensorId routes, double rows) {
    const std::int64_t intermediate = shape_.experts.intermediate;
    const std::string name = fmt::format("{}.{}", in_layer(names_.experts), number_of_it);
    const auto weight_name = [&](const std::string& part) {
      return names_.stacked_experts ? fmt::format("{}.weight[{}]", in_layer(part), number_of_it)
                                    : fmt::format("{}.{}.weight", name, part);
    };
    Operator& op = out_.add(name, "Expert", OperatorFamily::MatrixProduct, {x, routes});
    op.weights = {out_.add_weight(weight_name(names_.expert_gate), {intermediate, shape_.hidden}),
                  out_.add_weight(weight_name(names_.expert_up), {intermediate, shape_.hidden}),
                  out_.add_weight(weight_name(names_.expert_down), {shape_.hidden, intermediate})};
    op.flops = rows * (6 * number(shape_.hidden) + kActivationFlops) * number(intermediate);
    const double tokens = number(run_.batch) * number(run_.steps);
    const double is_used = 1 - std::pow(1 - number(shape_.experts.used) / number(shape_.experts.count), tokens);
    // Rows of the input are read and of the output written; in between the two products and the activation write and
    // read 3 rows each.
    const double elements = rows * (2 * number(shape_.hidden) + 6 * number(intermediate));
    op.moved_bytes = is_used * out_.weight_bytes(op) + elements * out_.element_bytes();
    const auto whole_rows = static_cast<std::int64_t>(std::ceil(rows));
    return out_.output(op, {std::max<std::int64_t>(whole_rows, 1), shape_.hidden});
  }

  // What the network is run for.
  TensorId head(TensorId x) {
    if (shape_.norm_place != NormPlace::After) x = out_.norm(names_.final_norm, x, shape_.norm);
    switch (shape_.head) {
      case Head::None: return x;
      case Head::Vocabulary: return vocabulary_head(x);
      case Head::Pooler: {
        const TensorId pooled = out_.linear(names_.head, one_token(x, "first_token"), shape_.hidden, true);
        return out_.elementwise(names_.head + ".activation", "Tanh", {pooled}, kActivationFlops);
      }
      case Head::Classes: return out_.linear(names_.head, one_token(x, "first_token"), shape_.classes, true);
    }
    return x;
  }

  TensorId one_token(TensorId x, const char* name) {
    if (run_.steps == 1) return x;
    Operator& op = out_.add(name, "Slice", OperatorFamily::Movement, {x});
    const TensorId token = out_.output(op, {run_.batch, 1, shape_.hidden});
    op.flops = 0;
    op.moved_bytes = 2 * out_.bytes(token);
    return token;
  }

  TensorId vocabulary_head(TensorId x) {
    if (run_.phase != TransformerPhase::Training && shape_.causal) x = one_token(x, "last_token");
    if (!shape_.tied) return out_.linear(names_.head, x, shape_.vocabulary, shape_.head_bias);
    Operator& op = out_.add(names_.head, "Linear", OperatorFamily::MatrixProduct, {x});
    op.weights = {token_table_};
    op.flops = 2 * out_.elements(x) * number(shape_.vocabulary);
    Extents extents = out_.extents(x);
    extents.back() = shape_.vocabulary;
    return out_.output(op, std::move(extents));
  }

  const TransformerShape& shape_;
  const ModuleNames& names_;
  RunSize run_;
  NetworkBuilder out_;
  std::string prefix_;
  WeightId token_table_;
};

// Before anything is made of them.
void refuse_too_many_operators(const TransformerShape& shape, const std::string& source) {
  constexpr double kOfALayer = 24;
  double operators = 0;
  for (const LayerShape& layer : shape.layers)
    operators += kOfALayer + (layer.experts ? number(shape.experts.count) : 0);
  if (operators <= number(kMostOperators)) return;
  throw InputError(ErrorKind::BadNumber, source,
                   fmt::format("has {} layers with {} experts each, which makes more than {} operators; expected fewer",
                               shape.layers.size(), shape.experts.count, kMostOperators));
}

}  // namespace

Network build_transformer(const TransformerShape& shape, const ModuleNames& names, const TransformerOptions& options,
                          const std::string& name, const std::string& source, Checkpoint* checkpoint) {
  refuse_too_many_operators(shape, source);
  return TransformerWriter(shape, names, run_size(shape, options, source), name, checkpoint).write();
}

}  // namespace partita::detail
