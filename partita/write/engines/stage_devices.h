// SPDX-License-Identifier: Apache-2.0
// Where files of stages run, and what passes between them: the same for every engine that runs such files.
#pragma once

#include <string>
#include <vector>

#include "partita/write/engines/engine.h"

namespace partita::detail {

// The device of that name. Throws InputError(Unsupported) where the plan's platform has none.
DeviceId device_named(const Engine& engine, const ExportRequest& request, const std::string& name);

// By stage: the device that the files name, or else the plan's devices in their order. Throws InputError(Unsupported)
// where the two do not fit each other.
std::vector<DeviceId> stage_devices(const Engine& engine, const ExportRequest& request);

// What the chained stages are given and make, as the files say, or else: what no stage makes before it is read, and
// what no stage reads.
struct ChainEnds {
  std::vector<StageTensor> inputs, outputs;
};

// Throws InputError(Unsupported) where a stage reads what neither an earlier stage makes nor the whole model is given.
ChainEnds chain_ends(const Engine& engine, const StageFiles& files);

}  // namespace partita::detail
