// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/gguf_tensors.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace partita::detail {
namespace {

struct TensorNames {
  std::string_view operator_name;  // behind the layer's number
  std::vector<std::string> tensors;
};

// gguf-py/gguf/tensor_mapping.py, for models that are built like Llama.
const std::vector<TensorNames>& known_tensors() {
  static const std::vector<TensorNames> kNames{
      {"input_layernorm", {"attn_norm"}},
      {"self_attn.q_proj", {"attn_q"}},
      {"self_attn.k_proj", {"attn_k"}},
      {"self_attn.v_proj", {"attn_v"}},
      {"self_attn.qkv_proj", {"attn_qkv"}},
      {"self_attn.q_norm", {"attn_q_norm"}},
      {"self_attn.k_norm", {"attn_k_norm"}},
      {"self_attn.o_proj", {"attn_output"}},
      {"post_attention_layernorm", {"ffn_norm"}},
      {"mlp.gate_proj", {"ffn_gate"}},
      {"mlp.up_proj", {"ffn_up"}},
      {"mlp.gate_up_proj", {"ffn_up"}},
      {"mlp.down_proj", {"ffn_down"}},
      {"mlp.gate", {"ffn_gate_inp"}},
      {"block_sparse_moe.gate", {"ffn_gate_inp"}},
      {"mlp.shared_expert.gate_proj", {"ffn_gate_shexp"}},
      {"mlp.shared_expert.up_proj", {"ffn_up_shexp"}},
      {"mlp.shared_expert.down_proj", {"ffn_down_shexp"}},
      {"mlp.shared_expert_gate", {"ffn_gate_inp_shexp"}},
  };
  return kNames;
}

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// What follows the layer's number in "model.layers.3.mlp.up_proj".
std::string_view behind_number(std::string_view name) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    const bool is_layer = is_number(name.substr(0, dot));
    name.remove_prefix(dot + 1);
    if (is_layer) return name;
  }
  return {};
}

}  // namespace

std::vector<std::string> gguf_tensors(std::string_view name, std::span<const std::string> weights) {
  std::vector<std::string> tensors;
  for (const std::string& weight : weights) {
    if (!weight.starts_with("blk.")) continue;
    const std::string_view tensor = behind_number(weight);
    const std::string word(tensor.substr(0, tensor.find('.')));
    if (std::ranges::find(tensors, word) == tensors.end()) tensors.push_back(word);
  }
  if (!tensors.empty()) return tensors;
  const std::string_view part = behind_number(name);
  for (const TensorNames& known : known_tensors())
    if (known.operator_name == part) return known.tensors;
  // "mlp.experts.7": the experts of a layer are stored in one tensor for each product.
  const std::size_t experts = part.find(".experts.");
  if (experts != std::string_view::npos && is_number(part.substr(experts + std::string_view(".experts.").size())))
    return {"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"};
  return {};
}

}  // namespace partita::detail
