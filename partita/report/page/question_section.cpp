// SPDX-License-Identifier: Apache-2.0
// What was asked, and of which devices.
#include "partita/report/page/sections.h"

namespace partita::detail {

void write_question(const Problem& problem, JsonWriter& json) {
  json.object([&] {
    json.field("objective", to_string(problem.objective));
    json.field("shape", to_string(problem.shape));
    json.field("transfers", to_string(problem.transfers));
    json.field("training", problem.workload->graph.has_backward());
    json.field("memoryModel", to_string(problem.memory_model));
  });
}

void write_devices(const Platform& platform, JsonWriter& json) {
  json.array(ids<DeviceId>(platform.device_count()), [&](DeviceId device) {
    const ClassId its_class = platform.class_of(device);
    json.object([&] {
      json.field("name", platform.device_name(device));
      json.field("kind", to_string(platform.classes[its_class].kind));
      json.field("class", its_class);
      json.field("memory", platform.classes[its_class].memory);
    });
  });
}

}  // namespace partita::detail
