// SPDX-License-Identifier: Apache-2.0
// What a file that describes a transformer leaves open: how much goes through it at once, and for what.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/model/tensor.h"

namespace partita {

enum class TransformerPhase {
  Prefill,   // all tokens of a prompt at once; their keys and values go into the KV cache
  Decode,    // one new token for each sequence, which attends to all that is in the KV cache
  Training,  // the forward pass of a training step: no KV cache, and every token is scored
};

const char* to_string(TransformerPhase phase);

struct TransformerOptions {
  std::int64_t batch = 1;  // sequences, or images, that one sample of the network holds
  // Tokens of a sequence. None: 2048, or as many as the network has positions for. Images have as many as patches.
  std::optional<std::int64_t> sequence = {};
  // Tokens of each sequence that the KV cache has room for; in the phase Decode it is full. None: `sequence`.
  std::optional<std::int64_t> context = {};
  TransformerPhase phase = TransformerPhase::Prefill;
  std::optional<DataType> type = {};  // of weights and activations. None: what the file says, or bf16
};

}  // namespace partita
