// SPDX-License-Identifier: Apache-2.0
// accelerate's device_map: modules by name, each with the number of a device or "cpu"; a parameter is where the longest
// name says that begins its own (accelerate/utils/modeling.py). Every parameter must be named in this way, a block with
// a residual connection must not be cut, and tied weights must be together. Any device may have any layers: what passes
// between them is moved as it comes.
#include <fmt/format.h>

#include <map>
#include <string>

#include "partita/util/json_writer.h"
#include "partita/write/engines/device_names.h"
#include "partita/write/engines/modules.h"
#include "partita/write/engines/refusal.h"

namespace partita::detail {
namespace {

// Numbers are numbers in the file; "mps" or "xpu:1" are text.
void write_device(const std::string& name, JsonWriter& json) {
  const bool is_number = name.size() < 6 && name.find_first_not_of("0123456789") == std::string::npos;
  is_number ? json.value(std::stoi(name)) : json.value(name);
}

}  // namespace

Exported write_accelerate(const Engine& engine, const ExportRequest& request) {
  const LayerPipeline pipeline = layer_pipeline(engine, request);
  const auto modules = unit_modules(engine, request, pipeline);
  const Platform& platform = request.problem.workload->platform;
  std::vector<std::string> in_order;  // the modules, each once
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
      if (is_new) in_order.push_back(module);
    }
  }
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] {
    for (const std::string& module : in_order)
      write_device(engine_name(request, device_of.at(module), "", "cpu"), json.key(module));
  });
  return {{{"device_map.json", json.take()}}, pipeline.notes};
}

}  // namespace partita::detail
