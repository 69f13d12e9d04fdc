// SPDX-License-Identifier: Apache-2.0
// The families of transformers whose config.json is understood.
#pragma once

#include <string>
#include <string_view>

#include "partita/read/huggingface/config.h"
#include "partita/read/huggingface/module_names.h"
#include "partita/read/huggingface/transformer_shape.h"

namespace partita::detail {

struct FamilyShape {
  TransformerShape shape;
  ModuleNames names;
};

// How a family's fields become sizes. Throws InputError.
using ReadFamily = FamilyShape (*)(const Config& config);

struct Family {
  const char* model_type;  // as the file says
  const char* classes;     // how the names of its architectures begin
  ReadFamily read;
};

// Null where there is none. A file without `model_type` is known by its architecture.
const Family* find_family(std::string_view model_type);
const Family* find_family_of(std::string_view architecture);
std::string family_names();  // "bert, gemma, ..."

FamilyShape read_llama(const Config& config);
FamilyShape read_mistral(const Config& config);
FamilyShape read_mixtral(const Config& config);
FamilyShape read_qwen2(const Config& config);
FamilyShape read_qwen3(const Config& config);
FamilyShape read_qwen2_moe(const Config& config);
FamilyShape read_qwen3_moe(const Config& config);
FamilyShape read_gemma(const Config& config);
FamilyShape read_gemma2(const Config& config);
FamilyShape read_gemma3(const Config& config);
FamilyShape read_phi3(const Config& config);
FamilyShape read_deepseek(const Config& config);
FamilyShape read_gpt2(const Config& config);
FamilyShape read_gpt_neox(const Config& config);
FamilyShape read_bert(const Config& config);
FamilyShape read_roberta(const Config& config);
FamilyShape read_vit(const Config& config);

}  // namespace partita::detail
