// SPDX-License-Identifier: Apache-2.0
// Attention operators of the standard and of ONNX Runtime, brought to the same numbers: who asks, whom they look at, how
// many heads, and how wide.
#pragma once

#include <cstdint>

#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

struct AttentionSizes {
  std::int64_t batch = kUnknownExtent;
  std::int64_t queries = kUnknownExtent;    // tokens that ask
  std::int64_t keys = kUnknownExtent;       // tokens that they look at, past ones too
  std::int64_t heads = kUnknownExtent;      // of queries
  std::int64_t kv_heads = kUnknownExtent;   // of keys and values
  std::int64_t key_width = kUnknownExtent;  // of one head
  std::int64_t value_width = kUnknownExtent;
  double projection = 0;  // multiply-adds that make queries, keys and values of the input, where the operator does
};

// None for an operator that is not one of attention.
std::optional<AttentionSizes> attention_sizes(const Inference& node);

}  // namespace partita::detail::onnx
