// SPDX-License-Identifier: Apache-2.0
// A transformer of any size, as a tracer would write it: residual connections, one attention mask and one pair of
// rotary tables that every layer reads, and views that cost nothing. For tests and benchmarks of growth.
#pragma once

#include <cstddef>
#include <cstdint>

#include "partita/model/workload.h"

namespace partita::detail {

struct TransformerOptions {
  std::size_t layers = 12;
  bool training = false;  // adds a twin for every node, colocated with it, and an optimizer step per layer (an orphan)
  int accelerators = 6;
  int hosts = 1;
  double memory_slack = 1.5;  // the accelerators together hold this many times the model
  std::uint64_t seed = 1;     // for the small differences in time between layers
};

Workload transformer(const TransformerOptions& options);

// A transformer with as many layers as fit in `nodes`.
Workload transformer_of_size(std::size_t nodes, bool training);

}  // namespace partita::detail
