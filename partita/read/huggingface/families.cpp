// SPDX-License-Identifier: Apache-2.0
#include "partita/read/huggingface/families.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace partita::detail {
namespace {

constexpr std::array kFamilies{
    Family{"bert", "Bert", read_bert},
    Family{"camembert", "Camembert", read_roberta},
    Family{"deepseek_v2", "DeepseekV2", read_deepseek},
    Family{"deepseek_v3", "DeepseekV3", read_deepseek},
    Family{"gemma", "GemmaFor", read_gemma},
    Family{"gemma2", "Gemma2", read_gemma2},
    Family{"gemma3", "Gemma3", read_gemma3},
    Family{"gemma3_text", "Gemma3Text", read_gemma3},
    Family{"gpt2", "GPT2", read_gpt2},
    Family{"gpt_neox", "GPTNeoX", read_gpt_neox},
    Family{"llama", "Llama", read_llama},
    Family{"mistral", "Mistral", read_mistral},
    Family{"mixtral", "Mixtral", read_mixtral},
    Family{"phi3", "Phi3", read_phi3},
    Family{"qwen2", "Qwen2For", read_qwen2},
    Family{"qwen2_moe", "Qwen2Moe", read_qwen2_moe},
    Family{"qwen3", "Qwen3For", read_qwen3},
    Family{"qwen3_moe", "Qwen3Moe", read_qwen3_moe},
    Family{"roberta", "Roberta", read_roberta},
    Family{"vit", "ViT", read_vit},
    Family{"xlm-roberta", "XLMRoberta", read_roberta},
};

}  // namespace

const Family* find_family(std::string_view model_type) {
  const auto entry =
      std::ranges::find(kFamilies, model_type, [](const Family& one) { return std::string_view(one.model_type); });
  return entry == kFamilies.end() ? nullptr : &*entry;
}

const Family* find_family_of(std::string_view architecture) {
  const auto entry =
      std::ranges::find_if(kFamilies, [&](const Family& one) { return architecture.starts_with(one.classes); });
  return entry == kFamilies.end() ? nullptr : &*entry;
}

std::string family_names() {
  std::string names;
  for (const Family& one : kFamilies) names += (names.empty() ? "" : ", ") + std::string(one.model_type);
  return names;
}

}  // namespace partita::detail
