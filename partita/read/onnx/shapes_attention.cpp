// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "partita/read/onnx/attention.h"

namespace partita::detail::onnx {

namespace {

std::int64_t known_or(std::int64_t extent, std::int64_t other) { return is_known(extent) ? extent : other; }

std::size_t rank(const Inference& node, std::size_t input) { return node.shape(input) ? node.shape(input)->size() : 0; }

std::int64_t count(const Inference& node, const char* name) {
  const std::int64_t number = node.integer(name, 0);
  return number > 0 ? number : kUnknownExtent;
}

// Attention of the standard: Q, K, V as [batch, heads, tokens, width] or [batch, tokens, heads * width]; past keys at 4.
AttentionSizes standard_sizes(const Inference& node) {
  AttentionSizes sizes;
  sizes.batch = node.extent(0, 0);
  std::int64_t fresh = kUnknownExtent;
  if (rank(node, 0) == 4) {
    sizes.heads = node.extent(0, 1);
    sizes.kv_heads = node.extent(1, 1);
    sizes.queries = node.extent(0, 2);
    sizes.key_width = node.extent(0, 3);
    sizes.value_width = node.extent(2, 3);
    fresh = node.extent(1, 2);
  } else {
    sizes.heads = count(node, "q_num_heads");
    sizes.kv_heads = count(node, "kv_num_heads");
    sizes.queries = node.extent(0, 1);
    sizes.key_width = over(node.extent(0, 2), sizes.heads);
    sizes.value_width = over(node.extent(2, 2), sizes.kv_heads);
    fresh = node.extent(1, 1);
  }
  const bool has_past = node.has(4) && node.node().kind() == "Attention";
  sizes.keys = has_past ? plus(fresh, node.extent(4, 2)) : fresh;
  return sizes;
}

// com.microsoft:Attention makes queries, keys and values itself: input [batch, tokens, width], weights [width, 3 * width];
// QAttention does so in 8 bits.
AttentionSizes fused_sizes(const Inference& node) {
  AttentionSizes sizes;
  sizes.batch = node.extent(0, 0);
  sizes.queries = node.extent(0, 1);
  sizes.heads = sizes.kv_heads = count(node, "num_heads");
  const std::optional<Numbers> widths = node.integers("qkv_hidden_sizes");
  const std::int64_t all = node.extent(1, 1);
  const bool listed = widths && widths->size() == 3;
  sizes.key_width = over(listed ? (*widths)[0] : over(all, 3), sizes.heads);
  sizes.value_width = over(listed ? (*widths)[2] : over(all, 3), sizes.heads);
  const std::size_t past = node.node().kind() == "QAttention" ? 8 : 4;
  sizes.keys = node.has(past) ? plus(sizes.queries, node.extent(past, 3)) : sizes.queries;
  const std::int64_t products = times(times(times(sizes.batch, sizes.queries), node.extent(0, 2)), all);
  sizes.projection = is_known(products) ? static_cast<double>(products) : -1;
  return sizes;
}

// com.microsoft:MultiHeadAttention: query [batch, tokens, width]; keys packed with it, or beside it in 3 or 4 axes.
AttentionSizes multi_head_sizes(const Inference& node) {
  AttentionSizes sizes;
  sizes.batch = node.extent(0, 0);
  sizes.queries = node.extent(0, 1);
  sizes.heads = sizes.kv_heads = count(node, "num_heads");
  std::int64_t fresh = kUnknownExtent;
  if (rank(node, 0) == 5) {  // [batch, tokens, heads, 3, width]
    sizes.key_width = sizes.value_width = node.extent(0, 4);
    fresh = sizes.queries;
  } else {
    sizes.key_width = over(node.extent(0, 2), sizes.heads);
    if (rank(node, 1) == 5) {  // [batch, tokens, heads, 2, width]
      fresh = node.extent(1, 1);
      sizes.value_width = node.extent(1, 4);
    } else if (rank(node, 1) == 4) {  // [batch, heads, tokens, width]
      fresh = node.extent(1, 2);
      sizes.value_width = node.extent(2, 3);
    } else {
      fresh = node.extent(1, 1);
      sizes.value_width = over(node.extent(2, 2), sizes.heads);
    }
  }
  sizes.keys = node.has(6) ? plus(fresh, node.extent(6, 2)) : fresh;
  return sizes;
}

// com.microsoft:GroupQueryAttention: keys and values beside the query, or all three packed in it; past keys at 3, which
// may be as long as the cache will ever be.
AttentionSizes grouped_sizes(const Inference& node) {
  AttentionSizes sizes;
  sizes.batch = node.extent(0, 0);
  sizes.queries = node.extent(0, 1);
  sizes.heads = count(node, "num_heads");
  sizes.kv_heads = count(node, "kv_num_heads");
  const bool packed = !node.has(1);
  sizes.key_width = packed ? over(node.extent(0, 2), plus(sizes.heads, times(2, sizes.kv_heads)))
                           : over(node.extent(0, 2), sizes.heads);
  sizes.value_width = sizes.key_width;
  sizes.keys = sizes.queries;
  if (node.has(3)) {
    const std::int64_t past = node.extent(3, 2);
    sizes.keys = plus(past, sizes.queries);
    // With a total length that is known, the cache is a buffer of its final size.
    if (const std::optional<Numbers> total = node.integers(std::size_t{6});
        total && total->size() == 1 && total->front() > 0) {
      sizes.keys = total->front();
    }
  }
  return sizes;
}

void attention(Inference& node) {
  const AttentionSizes sizes = *attention_sizes(node);
  const DataType type = node.type(0);
  const bool four_axes = rank(node, 0) == 4;
  const std::int64_t width = times(sizes.heads, sizes.value_width);
  node.set(0, type,
           !node.shape(0) ? Shape()
           : four_axes    ? Shape(Numbers{sizes.batch, sizes.heads, sizes.queries, sizes.value_width})
                          : Shape(Numbers{sizes.batch, sizes.queries, width}));
  node.set(1, node.type(1), Numbers{sizes.batch, sizes.kv_heads, sizes.keys, sizes.key_width});
  node.set(2, node.type(2), Numbers{sizes.batch, sizes.kv_heads, sizes.keys, sizes.value_width});
  node.set(3, type, Numbers{sizes.batch, sizes.heads, sizes.queries, sizes.keys});
}

void fused_attention(Inference& node) {
  const AttentionSizes sizes = *attention_sizes(node);
  const DataType type = node.type(node.node().kind() == "QAttention" ? 3 : 0);
  node.set(0, type, Numbers{sizes.batch, sizes.queries, times(sizes.heads, sizes.value_width)});
  node.set(1, type, Numbers{2, sizes.batch, sizes.heads, sizes.keys, sizes.key_width});
}

void cached_attention(Inference& node) {
  const AttentionSizes sizes = *attention_sizes(node);
  const std::size_t past = node.node().kind() == "GroupQueryAttention" ? 3 : 6;
  node.set(0, node.type(0), Numbers{sizes.batch, sizes.queries, times(sizes.heads, sizes.value_width)});
  const DataType cache = node.has(past) ? node.type(past) : node.type(0);
  const bool is_buffer = past == 3 && node.has(past) && is_known(node.extent(past, 2)) && is_known(sizes.keys) &&
                         sizes.keys <= node.extent(past, 2);
  const std::int64_t kept = is_buffer ? node.extent(past, 2) : sizes.keys;
  node.set(1, cache, Numbers{sizes.batch, sizes.kv_heads, kept, sizes.key_width});
  node.set(2, cache, Numbers{sizes.batch, sizes.kv_heads, kept, sizes.value_width});
}

// A state of [key width, value width] for each head takes the place of the keys: tokens are met one by one.
void linear_attention(Inference& node) {
  const AttentionSizes sizes = *attention_sizes(node);
  node.set(0, node.type(0), Numbers{sizes.batch, sizes.queries, times(sizes.heads, sizes.value_width)});
  node.set(1, node.has(3) ? node.type(3) : node.type(0),
           Numbers{sizes.batch, sizes.kv_heads, sizes.key_width, sizes.value_width});
}

constexpr ShapeRow kAttentionRows[] = {
    {"Attention", attention},
    {"com.microsoft:Attention", fused_attention},
    {"com.microsoft:QAttention", fused_attention},
    {"com.microsoft:MultiHeadAttention", cached_attention},
    {"com.microsoft:GroupQueryAttention", cached_attention},
    {"LinearAttention", linear_attention},
    {"ai.onnx.preview:FlexAttention", attention},
    {"RotaryEmbedding", same_shape},
    {"com.microsoft:RotaryEmbedding", same_shape},
};

}  // namespace

std::optional<AttentionSizes> attention_sizes(const Inference& node) {
  const std::string_view kind = node.node().kind(), domain = node.node().domain();
  std::optional<AttentionSizes> sizes;
  if (domain.empty() && (kind == "Attention" || kind == "LinearAttention")) sizes = standard_sizes(node);
  if (domain == "ai.onnx.preview" && kind == "FlexAttention") sizes = standard_sizes(node);
  if (domain == "com.microsoft" && (kind == "Attention" || kind == "QAttention")) sizes = fused_sizes(node);
  if (domain == "com.microsoft" && kind == "MultiHeadAttention") sizes = multi_head_sizes(node);
  if (domain == "com.microsoft" && kind == "GroupQueryAttention") sizes = grouped_sizes(node);
  if (sizes) sizes->kv_heads = known_or(sizes->kv_heads, sizes->heads);
  return sizes;
}

std::span<const ShapeRow> attention_shapes() { return kAttentionRows; }

}  // namespace partita::detail::onnx
