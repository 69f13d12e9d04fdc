// SPDX-License-Identifier: Apache-2.0
// Reads model files, recognised by content: ONNX, the config.json of a transformer, GGUF.
#pragma once

#include <string>
#include <string_view>

#include "partita/model/network.h"
#include "partita/read/network_options.h"
#include "partita/read/transformer_options.h"

namespace partita {

// Is the file that begins like this a model, and not a workload with costs of its own? A few hundred bytes are enough.
bool looks_like_model(std::string_view beginning);

// `path` may be "-" for standard input; a folder is that of a Hugging Face model. Throws InputError, also for options that do not concern the format.
Network read_network(const std::string& path, const ReadNetworkOptions& options = {},
                     const TransformerOptions& transformer = {});

}  // namespace partita
