// SPDX-License-Identifier: Apache-2.0
// accelerate's device_map: modules by name, each with the number of a device or "cpu"; a parameter is where the longest
// name says that begins its own (accelerate/utils/modeling.py). Every parameter must be named in this way, a block with
// a residual connection must not be cut, and tied weights must be together. Any device may have any layers: what passes
// between them is moved as it comes.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "partita/report/pretty_json.h"
#include "partita/write/engines/device_names.h"
#include "partita/write/engines/modules.h"
#include "partita/write/engines/refusal.h"

namespace partita::detail {
namespace {

// Numbers are numbers in the file; "mps" or "xpu:1" are text.
nlohmann::ordered_json device_json(const std::string& name) {
  if (name.size() < 6 && name.find_first_not_of("0123456789") == std::string::npos) return std::stoi(name);
  return name;
}

}  // namespace

Exported write_accelerate(const Engine& engine, const ExportRequest& request) {
  const LayerPipeline pipeline = layer_pipeline(engine, request);
  const auto modules = unit_modules(engine, request, pipeline);
  const Platform& platform = request.problem.workload->platform;
  nlohmann::ordered_json map = nlohmann::ordered_json::object();
  std::map<std::string, DeviceId> device_of;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const DeviceId device = pipeline.units[i].device;
    for (const std::string& module : modules[i]) {
      const auto [entry, is_new] = device_of.emplace(module, device);
      if (!is_new && entry->second != device) {
        refuse_export(engine,
                      fmt::format("the weights of {} are used on {} and on {}, and accelerate keeps tied weights "
                                  "together; plan with CostOptions::shared_weights = together and "
                                  "Question::shape = free",
                                  module, platform.device_name(entry->second), platform.device_name(device)));
      }
      map[module] = device_json(engine_name(request, device, "", "cpu"));
    }
  }
  return {{{"device_map.json", pretty_json(map)}}, pipeline.notes};
}

}  // namespace partita::detail
