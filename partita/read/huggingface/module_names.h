// SPDX-License-Identifier: Apache-2.0
// What the parts of a transformer are called: in Hugging Face's modules, so that plans can be used with them and
// weights be found in a checkpoint, and in GGUF files.
#pragma once

#include <string>

namespace partita::detail {

// Names of layers' parts follow `layer`, the layer's number and a dot. A weight is called as the operator that has it,
// with ".weight" or ".bias".
struct MlpNames {
  std::string gate = "mlp.gate_proj";
  std::string up = "mlp.up_proj";
  std::string gate_up = "mlp.gate_up_proj";
  std::string activation = "mlp.act_fn";
  std::string down = "mlp.down_proj";
};

struct ModuleNames {
  std::string embedding = "model.embed_tokens";  // the operator; its tables are the three below
  std::string token_table = "model.embed_tokens";
  std::string position_table = {};
  std::string type_table = {};
  std::string embedding_norm = {};
  std::string patches = {};  // of images: the product for each patch
  std::string class_token = {};

  std::string layer = "model.layers.";
  std::string attention_norm = "input_layernorm";  // before attention
  std::string attention = "self_attn";
  std::string query = "self_attn.q_proj";
  std::string key = "self_attn.k_proj";
  std::string value = "self_attn.v_proj";
  std::string query_key_value = "self_attn.qkv_proj";
  std::string query_norm = "self_attn.q_norm";
  std::string key_norm = "self_attn.k_norm";
  std::string output = "self_attn.o_proj";
  std::string attention_after_norm = {};  // of what attention makes, or of the sum behind it
  std::string mlp_norm = "post_attention_layernorm";
  MlpNames mlp = {};
  std::string mlp_after_norm = {};

  // DeepSeek's attention.
  std::string query_down = "self_attn.q_a_proj";
  std::string query_down_norm = "self_attn.q_a_layernorm";
  std::string query_up = "self_attn.q_b_proj";
  std::string key_value_down = "self_attn.kv_a_proj_with_mqa";
  std::string key_value_down_norm = "self_attn.kv_a_layernorm";
  std::string key_value_up = "self_attn.kv_b_proj";

  std::string router = "mlp.gate";
  std::string router_bias = "mlp.gate.e_score_correction_bias";
  std::string experts = "mlp.experts";  // a dot and the expert's number follow
  std::string expert_gate = "gate_proj";
  std::string expert_up = "up_proj";
  std::string expert_down = "down_proj";
  bool stacked_experts =
      false;  // one stored tensor has the weights of all experts, "ffn_up_exps.weight[7]" is one of them
  MlpNames shared_expert = {};
  std::string shared_gate = "mlp.shared_expert_gate";

  std::string final_norm = "model.norm";
  std::string head = "lm_head";
};

MlpNames mlp_names(const std::string& prefix);  // "mlp.shared_expert."
ModuleNames llama_names();                      // and of all that are built like it
ModuleNames gpt2_names();
ModuleNames gpt_neox_names();
ModuleNames bert_names(const std::string& prefix);  // "bert.", "roberta."
ModuleNames vit_names();
ModuleNames gguf_names();

}  // namespace partita::detail
