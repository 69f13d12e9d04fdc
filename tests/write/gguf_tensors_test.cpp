// SPDX-License-Identifier: Apache-2.0
// What GGUF files call weights, by the names of a GGUF file and by those of a config.json.
#include "partita/write/engines/gguf_tensors.h"

#include <gtest/gtest.h>

namespace partita::detail::test {
namespace {

using Names = std::vector<std::string>;

TEST(GgufTensors, AreThoseOfAGgufFile) {
  EXPECT_EQ(gguf_tensors("blk.3.ffn_up", Names{"blk.3.ffn_up.weight", "blk.3.ffn_up.bias"}), Names{"ffn_up"});
  EXPECT_EQ(gguf_tensors("blk.3.ffn_exps.7", Names{"blk.3.ffn_gate_exps.weight[7]", "blk.3.ffn_up_exps.weight[7]"}),
            (Names{"ffn_gate_exps", "ffn_up_exps"}));
}

TEST(GgufTensors, AreMadeOfModules) {
  EXPECT_EQ(gguf_tensors("model.layers.31.self_attn.o_proj", Names{"model.layers.31.self_attn.o_proj.weight"}),
            Names{"attn_output"});
  EXPECT_EQ(gguf_tensors("model.layers.0.mlp.gate", {}), Names{"ffn_gate_inp"});
  EXPECT_EQ(gguf_tensors("model.layers.0.block_sparse_moe.experts.11", {}),
            (Names{"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"}));
}

TEST(GgufTensors, AreNotGuessed) {
  for (const char* name :
       {"transformer.h.3.attn.c_attn", "node_linear_4", "", ".", "3", "model.layers.3", "3.", "a.3."})
    EXPECT_EQ(gguf_tensors(name, {}), Names{}) << name;
}

}  // namespace
}  // namespace partita::detail::test
