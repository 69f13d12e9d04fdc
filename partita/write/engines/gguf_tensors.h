// SPDX-License-Identifier: Apache-2.0
// What GGUF files call the weights of a layer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::detail {

// The tensors of an operator behind "blk.N.", without ".weight" or ".bias": "ffn_up". By the names of its weights where
// they are those of a GGUF file ("blk.3.ffn_up_exps.weight[7]"), else by its own name, as llama.cpp's converter maps it
// ("model.layers.3.mlp.up_proj"). Empty where neither is known.
std::vector<std::string> gguf_tensors(std::string_view name, std::span<const std::string> weights);

}  // namespace partita::detail
