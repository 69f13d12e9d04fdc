// SPDX-License-Identifier: Apache-2.0
#include "partita/report/sweep_json.h"

#include <nlohmann/json.hpp>

#include "partita/report/pretty_json.h"
#include "partita/report/question_json.h"
#include "partita/util/version.h"

namespace partita::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSweepVersion = 1;

Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json point_json(const Sweep& sweep, std::size_t place) {
  const SweepPoint& point = sweep.points[place];
  const Result& result = point.result;
  const bool split = result.split.has_value();
  Json json{{"parameter", whole_if_exact(point.parameter)},
            {"label", point.label},
            {"status", to_string(result.status)},
            {"value", split ? Json(result.value) : Json()},
            {"bound", result.bound},
            {"gap", split ? Json(result.gap()) : Json()},
            {"speed_up", number_or_null(sweep.speed_up(place))},
            {"gain", number_or_null(sweep.step_gain(place))}};
  if (sweep.parameter == SweepParameter::Accelerators) json["efficiency"] = number_or_null(sweep.efficiency(place));
  json["devices_used"] = point.devices_used;
  json["bound_verified"] = !result.unverified;
  json["proof"] = result.proof;
  if (!split) json["reason"] = result.reason;
  json["seconds"] = result.seconds;
  return json;
}

}  // namespace

std::string sweep_json(const Problem& problem, const Sweep& sweep, const SweepJsonOptions& options) {
  const Graph& graph = problem.workload->graph;
  Json json;
  json["partita"] = {{"format", "sweep"}, {"version", kSweepVersion}, {"program_version", version()}};
  json["workload"] = problem.workload->name;
  add_time_unit(problem, json);
  json["nodes"] = graph.nodes.size();
  json["edges"] = graph.edges.size();
  add_question(problem, json);
  json["time_limit"] = options.time_limit;
  json["seed"] = options.seed;
  json["parameter"] = to_string(sweep.parameter);
  json["worthwhile"] = sweep.worthwhile;
  json["points"] = Json::array();
  for (std::size_t i = 0; i < sweep.points.size(); ++i) json["points"].push_back(point_json(sweep, i));
  json["enough"] = sweep.enough ? Json(*sweep.enough) : Json();
  json["verdict"] = sweep.verdict;
  return pretty_json(json);
}

}  // namespace partita::detail
