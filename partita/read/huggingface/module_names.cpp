// SPDX-License-Identifier: Apache-2.0
#include "partita/read/huggingface/module_names.h"

#include <string>

namespace partita::detail {

MlpNames mlp_names(const std::string& prefix) {
  return {prefix + "gate_proj", prefix + "up_proj", prefix + "gate_up_proj", prefix + "act_fn", prefix + "down_proj"};
}

ModuleNames llama_names() {
  ModuleNames names;
  names.shared_expert = mlp_names("mlp.shared_expert.");
  return names;
}

ModuleNames gpt2_names() {
  ModuleNames names;
  names.embedding = "transformer.embeddings";
  names.token_table = "transformer.wte";
  names.position_table = "transformer.wpe";
  names.layer = "transformer.h.";
  names.attention_norm = "ln_1";
  names.attention = "attn";
  names.query_key_value = "attn.c_attn";
  names.output = "attn.c_proj";
  names.mlp_norm = "ln_2";
  names.mlp.up = "mlp.c_fc";
  names.mlp.activation = "mlp.act";
  names.mlp.down = "mlp.c_proj";
  names.final_norm = "transformer.ln_f";
  return names;
}

ModuleNames gpt_neox_names() {
  ModuleNames names;
  names.embedding = names.token_table = "gpt_neox.embed_in";
  names.layer = "gpt_neox.layers.";
  names.attention = "attention";
  names.query_key_value = "attention.query_key_value";
  names.output = "attention.dense";
  names.mlp.up = "mlp.dense_h_to_4h";
  names.mlp.activation = "mlp.act";
  names.mlp.down = "mlp.dense_4h_to_h";
  names.final_norm = "gpt_neox.final_layer_norm";
  names.head = "embed_out";
  return names;
}

ModuleNames bert_names(const std::string& prefix) {
  ModuleNames names;
  names.embedding = prefix + "embeddings";
  names.token_table = prefix + "embeddings.word_embeddings";
  names.position_table = prefix + "embeddings.position_embeddings";
  names.type_table = prefix + "embeddings.token_type_embeddings";
  names.embedding_norm = prefix + "embeddings.LayerNorm";
  names.layer = prefix + "encoder.layer.";
  names.attention = "attention.self";
  names.query = "attention.self.query";
  names.key = "attention.self.key";
  names.value = "attention.self.value";
  names.output = "attention.output.dense";
  names.attention_after_norm = "attention.output.LayerNorm";
  names.mlp.up = "intermediate.dense";
  names.mlp.activation = "intermediate.intermediate_act_fn";
  names.mlp.down = "output.dense";
  names.mlp_after_norm = "output.LayerNorm";
  names.head = prefix + "pooler.dense";
  return names;
}

ModuleNames vit_names() {
  ModuleNames names;
  names.embedding = "vit.embeddings";
  names.position_table = "vit.embeddings.position_embeddings";
  names.patches = "vit.embeddings.patch_embeddings.projection";
  names.class_token = "vit.embeddings.cls_token";
  names.layer = "vit.encoder.layer.";
  names.attention_norm = "layernorm_before";
  names.attention = "attention.attention";
  names.query = "attention.attention.query";
  names.key = "attention.attention.key";
  names.value = "attention.attention.value";
  names.output = "attention.output.dense";
  names.mlp_norm = "layernorm_after";
  names.mlp.up = "intermediate.dense";
  names.mlp.activation = "intermediate.intermediate_act_fn";
  names.mlp.down = "output.dense";
  names.final_norm = "vit.layernorm";
  names.head = "classifier";
  return names;
}

ModuleNames gguf_names() {
  ModuleNames names;
  names.embedding = names.token_table = "token_embd";
  names.position_table = "position_embd";
  names.type_table = "token_types";
  names.embedding_norm = "token_embd_norm";
  names.layer = "blk.";
  names.attention_norm = "attn_norm";
  names.attention = "attn";
  names.query = "attn_q";
  names.key = "attn_k";
  names.value = "attn_v";
  names.query_key_value = "attn_qkv";
  names.query_norm = "attn_q_norm";
  names.key_norm = "attn_k_norm";
  names.output = "attn_output";
  names.attention_after_norm = "post_attention_norm";
  names.mlp_norm = "ffn_norm";
  names.mlp.gate = "ffn_gate";
  names.mlp.up = "ffn_up";
  names.mlp.gate_up = "ffn_up";  // Phi-3's files have both products in it
  names.mlp.activation = "ffn_act";
  names.mlp.down = "ffn_down";
  names.mlp_after_norm = "post_ffw_norm";
  names.query_down = "attn_q_a";
  names.query_down_norm = "attn_q_a_norm";
  names.query_up = "attn_q_b";
  names.key_value_down = "attn_kv_a_mqa";
  names.key_value_down_norm = "attn_kv_a_norm";
  names.key_value_up = "attn_kv_b";
  names.router = "ffn_gate_inp";
  names.router_bias = "exp_probs_b.bias";
  names.experts = "ffn_exps";
  names.expert_gate = "ffn_gate_exps";
  names.expert_up = "ffn_up_exps";
  names.expert_down = "ffn_down_exps";
  names.stacked_experts = true;
  names.shared_expert = {"ffn_gate_shexp", "ffn_up_shexp", "", "ffn_act_shexp", "ffn_down_shexp"};
  names.shared_gate = "ffn_gate_inp_shexp";
  names.final_norm = "output_norm";
  names.head = "output";
  return names;
}

}  // namespace partita::detail
