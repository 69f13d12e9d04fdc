// SPDX-License-Identifier: Apache-2.0
// Small transformers by hand, and splits of them by layers.
#pragma once

#include <string>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail::test {

struct LayeredModelOptions {
  int layers = 4;
  std::string prefix = "model.";  // of modules
  bool mask = false;              // an operator without weights that all layers read
  bool turned_table = false;      // the head reads a table that is made of weights alone, before all layers
  bool skip = false;              // the embedding is read by the last layer too
  bool nameless_mlp = false;      // the second half of a layer does not say which layer it is of
  bool backward = false;          // with a backward pass, each node with its forward one
};

// input_ids, embed_tokens, layers of norm, q_proj, attention, up_proj and a sum, norm, last_token, lm_head.
Workload layered_model(const Platform& platform, const LayeredModelOptions& options = {});

// Unequal accelerators, `hosts` hosts of one class behind them.
Platform unequal_platform(int accelerators, int hosts = 0);

// One device for the embedding, each layer, and the head with its norm.
Split layered_split(const Workload& workload, const std::vector<DeviceId>& unit_devices);

}  // namespace partita::detail::test
