// SPDX-License-Identifier: Apache-2.0
// How much goes through a transformer at once: the options, checked against the network and filled in.
#pragma once

#include <cstdint>
#include <string>

#include "partita/read/huggingface/transformer_shape.h"
#include "partita/read/transformer_options.h"

namespace partita::detail {

struct RunSize {
  TransformerPhase phase = TransformerPhase::Prefill;
  std::int64_t batch = 1;
  std::int64_t steps = 1;    // tokens of each sequence that are computed
  std::int64_t context = 1;  // tokens of each sequence that the cache has room for; 0: there is none
  DataType type = DataType::BFloat16;

  // Pairs of a query and a key that attention computes, for one head and one sequence. `window`: as LayerShape's.
  double attended(bool causal, std::int64_t window) const;
  // Tokens of each sequence that the cache of a layer keeps.
  double cached(std::int64_t window) const;
};

// Throws InputError; `source` is what messages call the file.
RunSize run_size(const TransformerShape& shape, const TransformerOptions& options, const std::string& source);

}  // namespace partita::detail
