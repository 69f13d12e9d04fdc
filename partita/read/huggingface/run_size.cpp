// SPDX-License-Identifier: Apache-2.0
#include "partita/read/huggingface/run_size.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/read/huggingface/transformer.h"
#include "partita/util/error.h"

namespace partita {

const char* to_string(TransformerPhase phase) {
  switch (phase) {
    case TransformerPhase::Prefill: return "prefill";
    case TransformerPhase::Decode: return "decode";
    case TransformerPhase::Training: return "training";
  }
  return "prefill";
}

namespace detail {
namespace {

constexpr std::int64_t kUsualSequence = 2048;

std::int64_t checked(std::int64_t value, const char* field) {
  if (value >= 1 && value <= kLargestExtent) return value;
  throw InputError(ErrorKind::Usage, fmt::format("TransformerOptions::{}", field),
                   fmt::format("found {}; expected an integer from 1 to {}", value, kLargestExtent));
}

void refuse_beyond_positions(std::int64_t tokens, const char* field, const TransformerShape& shape,
                             const std::string& source) {
  if (!shape.longest_sequence || tokens <= *shape.longest_sequence) return;
  throw InputError(ErrorKind::Usage, fmt::format("TransformerOptions::{}", field),
                   fmt::format("found {}, but {} has positions for {} tokens; expected at most so many", tokens, source,
                               *shape.longest_sequence));
}

DataType checked_type(DataType type) {
  if (bits_of(type)) return type;
  throw InputError(ErrorKind::Usage, "TransformerOptions::type",
                   fmt::format("found {}; expected a type of numbers, such as bf16", to_string(type)));
}

}  // namespace

double RunSize::attended(bool causal, std::int64_t window) const {
  const auto s = static_cast<double>(steps);
  const double w = window == 0 ? s : std::min(s, static_cast<double>(window));
  if (phase == TransformerPhase::Decode) return cached(window);
  if (!causal) return s * s;
  return w * (w + 1) / 2 + (s - w) * w;  // token i looks at the last min(i, w)
}

double RunSize::cached(std::int64_t window) const {
  return static_cast<double>(window == 0 ? context : std::min(context, window));
}

RunSize run_size(const TransformerShape& shape, const TransformerOptions& options, const std::string& source) {
  RunSize size;
  size.phase = options.phase;
  size.type = checked_type(options.type.value_or(shape.type));
  size.batch = checked(options.batch, "batch");
  if (!shape.causal && options.phase == TransformerPhase::Decode) {
    throw InputError(ErrorKind::Unsupported, "TransformerOptions::phase",
                     fmt::format("found decode, but {} ({}) is an encoder, which has no KV cache; expected prefill or "
                                 "training",
                                 source, shape.family));
  }
  if (shape.image) {
    size.steps = shape.image->patches() + 1;
    size.context = 0;
    return size;
  }
  const std::int64_t usual = std::min(kUsualSequence, shape.longest_sequence.value_or(kUsualSequence));
  const std::int64_t sequence =
      checked(options.sequence.value_or(options.phase == TransformerPhase::Decode && options.context ? *options.context
                                                                                                     : usual),
              "sequence");
  refuse_beyond_positions(sequence, "sequence", shape, source);
  const std::int64_t context = checked(options.context.value_or(sequence), "context");
  refuse_beyond_positions(context, "context", shape, source);
  if (options.phase == TransformerPhase::Prefill && context < sequence) {
    throw InputError(ErrorKind::Usage, "TransformerOptions::context",
                     fmt::format("found {}, less than the {} tokens of a sequence; expected room for all of them",
                                 context, sequence));
  }
  size.steps = options.phase == TransformerPhase::Decode ? 1 : sequence;
  size.context = shape.causal && options.phase != TransformerPhase::Training ? context : 0;
  return size;
}

}  // namespace detail
}  // namespace partita
