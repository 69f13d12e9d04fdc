// SPDX-License-Identifier: Apache-2.0
// What was written, and how the stages are chained: pipeline.json (docs/split.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "partita/write/onnx/value_types.h"

namespace partita::detail::onnx {

inline constexpr const char* kPipelineFile = "pipeline.json";

struct PipelineValue {
  std::string name;
  ValueType type;
  std::optional<std::size_t> from;  // the stage that it comes from; none: the model's input
  bool optional = false;            // an initializer that a caller may replace
};

struct PipelineStage {
  std::string device;               // its name on the plan's platform
  std::vector<std::string> copies;  // devices that run the same stage, each for every so many samples
  std::string file;                 // in the folder
  std::optional<std::string> data;  // its own weights, where they were copied
  std::uint32_t checksum = 0;       // CRC-32 of the file
  std::size_t nodes = 0;            // of the graph
  std::size_t recomputed = 0;       // of those: nodes that stand in another stage too, instead of being sent
  double weight_bytes = 0;
  std::vector<PipelineValue> inputs, outputs;
};

struct Pipeline {
  std::string model;        // the name of its file
  std::string fingerprint;  // of the graph that was planned (model/fingerprint.h)
  bool chain = false;       // each stage reads from the one before it
  bool annotated = false;   // one file, in which nodes name their stage
  std::vector<PipelineStage> stages;
  std::vector<PipelineValue> inputs, outputs;  // of the model; outputs come from the stage that they name
  double model_weight_bytes = 0;               // each weight once
  std::vector<std::string> files;              // all that is in the folder, but for pipeline.json
  std::vector<std::string> notes;              // what a user should know, a line each
};

std::string pipeline_json(const Pipeline& pipeline);

// Was the folder written by us, and holds it nothing else? Else why not, in a few words; empty: it is ours.
std::string why_not_a_pipeline(const std::filesystem::path& folder);

}  // namespace partita::detail::onnx
