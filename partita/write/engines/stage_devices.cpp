// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/stage_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "partita/write/engines/refusal.h"

namespace partita::detail {
namespace {

constexpr const char* kSplitAgain = "run `partita split` with this plan again";

}  // namespace

DeviceId device_named(const Engine& engine, const ExportRequest& request, const std::string& name) {
  const Platform& platform = request.problem.workload->platform;
  for (const DeviceId device : ids<DeviceId>(platform.device_count()))
    if (platform.device_name(device) == name) return device;
  refuse_export(engine, fmt::format("the stages are for a device '{}', which the plan's platform does not have; {}",
                                    name, kSplitAgain));
}

std::vector<DeviceId> stage_devices(const Engine& engine, const ExportRequest& request) {
  std::vector<DeviceId> devices;
  for (const StageFile& stage : request.stages->stages)
    if (!stage.device.empty()) devices.push_back(device_named(engine, request, stage.device));
  if (devices.size() == request.stages->stages.size()) return devices;
  if (request.split.order.size() != request.stages->stages.size()) {
    refuse_export(engine, fmt::format("{} has {} stages and the plan has {}; {}", request.stages->folder,
                                      request.stages->stages.size(), request.split.order.size(), kSplitAgain));
  }
  return request.split.order;
}

ChainEnds chain_ends(const Engine& engine, const StageFiles& files) {
  ChainEnds ends{files.inputs, files.outputs};
  std::set<std::string> made, read;
  for (const StageTensor& input : files.inputs) made.insert(input.name);
  for (const StageFile& stage : files.stages) {
    for (const StageTensor& input : stage.inputs) {
      read.insert(input.name);
      if (made.contains(input.name)) continue;
      if (!files.inputs.empty()) {
        refuse_export(engine, fmt::format("{} reads {}, which no stage before it makes; {}", stage.file, input.name,
                                          kSplitAgain));
      }
      made.insert(input.name);
      ends.inputs.push_back(input);
    }
    for (const StageTensor& output : stage.outputs) made.insert(output.name);
  }
  if (!files.outputs.empty()) return ends;
  for (const StageFile& stage : files.stages)
    for (const StageTensor& output : stage.outputs)
      if (!read.contains(output.name)) ends.outputs.push_back(output);
  return ends;
}

}  // namespace partita::detail
