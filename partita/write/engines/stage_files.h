// SPDX-License-Identifier: Apache-2.0
// The folder that `partita split` writes: a model file for each stage, and pipeline.json, which says how they are
// chained.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::detail {

// A tensor that enters or leaves a stage.
struct StageTensor {
  std::string name;
  std::string type = {};                                // "fp32", "FLOAT"; empty where the file does not say
  std::optional<std::vector<std::int64_t>> shape = {};  // -1 where an extent is not fixed
};

struct StageFile {
  std::string file;                       // in the folder
  std::vector<std::string> weights = {};  // files that it needs beside it, in the folder too
  std::string device = {};                // as the platform calls it; empty where the file does not say
  std::vector<std::string> copies = {};   // other devices that run it too, in turns
  std::vector<StageTensor> inputs = {}, outputs = {};
};

struct StageFiles {
  std::string folder;
  std::vector<StageFile> stages;                       // in the order in which they run
  std::vector<StageTensor> inputs = {}, outputs = {};  // of the whole model
};

// Throws InputError where the folder has no pipeline.json, where that is not what it should be, or where a file that it
// names is missing.
StageFiles read_stage_files(const std::string& folder);

}  // namespace partita::detail
