// SPDX-License-Identifier: Apache-2.0
// Reads the header of a safetensors file: names, types, shapes and sizes of tensors. What network they belong to is in
// the config.json beside it.
#pragma once

#include <string>
#include <string_view>

#include "partita/model/network.h"
#include "partita/read/checkpoint.h"
#include "partita/read/transformer_options.h"

namespace partita::detail {

bool looks_like_safetensors(std::string_view beginning);
bool looks_like_safetensors_index(std::string_view beginning);

// Adds what the header says. Throws InputError for a header that is not one or says more than the file has, and for a
// tensor that is there already. A file that ends with its header is one without weights.
void parse_safetensors(std::string_view bytes, const std::string& source, Checkpoint& checkpoint);

// All tensors of a file, or of the files that an index (model.safetensors.index.json) names.
Checkpoint read_checkpoint(const std::string& path);

// The network of the config.json in the same folder, with weights as they are stored. `path`: a safetensors file, or an
// index. Throws InputError where there is no config.json.
Network read_safetensors(const std::string& path, const TransformerOptions& options = {});

// The network of a folder as models are published: its config.json, with the weights of its index or model.safetensors
// where there is one.
Network read_model_folder(const std::string& folder, const TransformerOptions& options = {});

}  // namespace partita::detail
