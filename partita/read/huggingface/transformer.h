// SPDX-License-Identifier: Apache-2.0
// Sizes to operators: the network of a transformer.
#pragma once

#include <string>

#include "partita/model/network.h"
#include "partita/read/checkpoint.h"
#include "partita/read/huggingface/module_names.h"
#include "partita/read/huggingface/transformer_shape.h"
#include "partita/read/transformer_options.h"

namespace partita::detail {

// More than these are taken for a mistake; a field that is larger is refused where it is read.
inline constexpr std::int64_t kLargestExtent = std::int64_t{1} << 30;
inline constexpr std::int64_t kMostLayers = 10'000;
inline constexpr std::int64_t kMostOperators = 100'000;

// `source` is what messages call the file, `checkpoint` (which may be null) has the last word on the sizes of weights.
// Throws InputError for options that make no sense, or none for this network. Precondition: every extent of the shape
// is from 0 to kLargestExtent, and not 0 where the network has the part.
Network build_transformer(const TransformerShape& shape, const ModuleNames& names, const TransformerOptions& options,
                          const std::string& name, const std::string& source, Checkpoint* checkpoint = nullptr);

}  // namespace partita::detail
