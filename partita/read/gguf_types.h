// SPDX-License-Identifier: Apache-2.0
// The types of GGUF tensors: plain numbers, and blocks of quantised ones.
#pragma once

#include <cstdint>

#include "partita/model/tensor.h"

namespace partita::detail {

struct GgufType {
  std::uint32_t id;
  const char* name;
  std::uint64_t elements;  // of a block
  std::uint64_t bytes;     // of a block
  DataType type = DataType::Unknown;
};

// Null where there is none.
const GgufType* find_gguf_type(std::uint32_t id);

}  // namespace partita::detail
