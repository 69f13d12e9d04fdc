// SPDX-License-Identifier: Apache-2.0
// The model of one stage, and the whole model with a stage noted at each node: everything in them that does not have to
// change is the model's own bytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "partita/write/onnx/node_writer.h"
#include "partita/write/onnx/stages.h"
#include "partita/write/onnx/value_types.h"

namespace partita::detail::onnx {

struct StageFileParts {
  const WireFile& file;
  CutGraph& graph;
  const StageRow& row;
  const ValueTypes& types;
  ExternalData& data;
};

// A ModelProto: the stage's nodes in order, its initializers, what it reads and makes with types and shapes, the
// functions that it calls, and all else that the model says of itself.
Rope stage_model(const StageFileParts& parts, StageId stage);

// The whole model, with the stage of each node as NodeDeviceConfiguration.pipeline_stage, which IR version 11 brought.
// `devices` are names of devices by stage.
Rope annotated_model(const StageFileParts& parts, const std::vector<std::string>& devices);

// Bytes of the weights in a stage; of those that the file stores, wherever their elements are.
double weight_bytes(const CutGraph& graph, const std::vector<ValueId>& weights);

}  // namespace partita::detail::onnx
