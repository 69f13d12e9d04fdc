// SPDX-License-Identifier: Apache-2.0
#include "partita/report/sweep_json.h"

#include <cstddef>
#include <optional>

#include "partita/report/json_parts.h"
#include "partita/report/question_json.h"

namespace partita::detail {
namespace {

constexpr int kSweepVersion = 1;

void write_sweep_point(const Sweep& sweep, std::size_t place, JsonWriter& json) {
  const SweepPoint& point = sweep.points[place];
  const Result& result = point.result;
  const bool split = result.split.has_value();
  json.object([&] {
    json.field("parameter", point.parameter);
    json.field("label", point.label);
    json.field("status", to_string(result.status));
    json.field("value", split ? std::optional(result.value) : std::nullopt);
    json.field("bound", result.bound);
    json.field("gap", split ? std::optional(result.gap()) : std::nullopt);
    json.field("speed_up", sweep.speed_up(place));
    json.field("gain", sweep.step_gain(place));
    if (sweep.parameter == SweepParameter::Accelerators) json.field("efficiency", sweep.efficiency(place));
    json.field("devices_used", point.devices_used);
    json.field("bound_verified", !result.unverified);
    json.field("proof", result.proof);
    if (!split) json.field("reason", result.reason);
    json.field("seconds", result.seconds);
  });
}

}  // namespace

std::string sweep_json(const Problem& problem, const Sweep& sweep, const SweepJsonOptions& options) {
  const Workload& workload = problem.workload;
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] {
    add_format("sweep", kSweepVersion, json);
    json.field("workload", workload.name);
    add_time_unit(workload.time_unit, json);
    json.field("nodes", workload.graph.nodes.size());
    json.field("edges", workload.graph.edges.size());
    add_question(problem, json);
    json.field("time_limit", options.time_limit);
    json.field("seed", options.seed);
    json.field("parameter", to_string(sweep.parameter));
    json.field("worthwhile", sweep.worthwhile);
    json.key("points").array([&] {
      for (std::size_t i = 0; i < sweep.points.size(); ++i) write_sweep_point(sweep, i, json);
    });
    json.field("enough", sweep.enough);
    json.field("verdict", sweep.verdict);
  });
  return json.take();
}

}  // namespace partita::detail
