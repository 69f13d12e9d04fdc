// SPDX-License-Identifier: Apache-2.0
// What was asked, in full.
#include <optional>

#include "partita/report/plan/sections.h"
#include "partita/report/platform_json.h"
#include "partita/report/question_json.h"

namespace partita::detail {

void add_latency_question(const Problem& problem, const Result& result, const CheckReport& report, JsonWriter& json) {
  json.field("subgraphs", problem.subgraphs);
  json.key("host_cores").object([&] {
    json.field("policy", problem.strict_host_cores ? "strict" : "unlimited");
    json.field("available", problem.workload->platform.device_count(DeviceKind::Host));
    json.field("busy", result.split ? std::optional(report.host_cores) : std::nullopt);
  });
}

void write_whole_question(const Problem& problem, const PlatformSpec& devices, JsonWriter& json) {
  json.object([&] {
    add_question(problem, json);
    const bool given = !devices.platform.classes.empty();
    write_platform(given ? devices : PlatformSpec{problem.workload->platform}, json.key("platform"));
  });
}

}  // namespace partita::detail
