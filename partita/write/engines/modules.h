// SPDX-License-Identifier: Apache-2.0
// The modules of a PyTorch model that units stand for: "model.layers.3", "model.embed_tokens". They are read off the
// names of weights where those are known ("model.layers.3.mlp.up_proj.weight"), else off the names of operators, which
// are those of modules in networks made of a config.json ("model.layers.3.mlp.up_proj") and in ONNX files that PyTorch
// has written ("/model/layers.3/mlp/up_proj/MatMul").
#pragma once

#include <string>
#include <vector>

#include "partita/write/engines/layer_pipeline.h"

namespace partita::detail {

// By unit: one module for a layer, and one for each table or matrix outside of them. Throws InputError(Unsupported)
// where a layer's names have no module in common, or the names are those of a GGUF file.
std::vector<std::vector<std::string>> unit_modules(const Engine& engine, const ExportRequest& request,
                                                   const LayerPipeline& pipeline);

}  // namespace partita::detail
