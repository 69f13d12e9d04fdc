// SPDX-License-Identifier: Apache-2.0
// Reads the config.json of a model of the Transformers library: its family and its sizes become a network of operators.
#pragma once

#include <string>
#include <string_view>

#include "partita/model/network.h"
#include "partita/read/checkpoint.h"
#include "partita/read/transformer_options.h"

namespace partita::detail {

// Whether the beginning of a file looks like one: JSON that names its family.
bool looks_like_huggingface(std::string_view beginning);

// `path` may be "-" for standard input. `checkpoint`, which may be null, has the last word on the sizes of weights.
// Throws InputError, also for a family that is not known.
Network read_huggingface(const std::string& path, const TransformerOptions& options = {},
                         Checkpoint* checkpoint = nullptr);

// The same from bytes in memory; `source` is the name used in error messages.
Network parse_huggingface(std::string_view bytes, const std::string& source, const TransformerOptions& options = {},
                          Checkpoint* checkpoint = nullptr);

}  // namespace partita::detail
