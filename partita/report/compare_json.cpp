// SPDX-License-Identifier: Apache-2.0
#include "partita/report/compare_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "partita/report/pretty_json.h"
#include "partita/report/question_json.h"
#include "partita/util/version.h"

namespace partita {

using namespace detail;

namespace {

using Json = nlohmann::ordered_json;

constexpr int kComparisonVersion = 1;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json shape_json(const std::optional<Shape>& shape) { return shape ? Json(to_string(*shape)) : Json(); }

Json run_json(const Comparison& comparison, const AlgorithmRun& run, bool times) {
  Json json{{"algorithm", run.algorithm}, {"baseline", run.baseline}, {"outcome", to_string(run.outcome)}};
  if (!run.reason.empty()) json["reason"] = run.reason;
  if (!run.ran()) return json;
  const bool split = run.outcome == AlgorithmRun::Outcome::Split;
  if (split) {
    const std::optional<double> ratio = comparison.ratio(run);
    json["value"] = finite_or_null(run.value);
    json["ratio"] = ratio ? Json(*ratio) : Json();
    json["legal"] = run.legal;
    if (!run.legal) {
      json["fault"] = run.fault;
      json["violations"] = run.violations;
      json["violation_count"] = run.violation_count;
    }
    if (run.shape) json["shape"] = shape_json(run.shape);
  }
  if (!run.baseline) {
    json["bound"] = finite_or_null(run.bound);
    if (run.bound_shape) json["bound_shape"] = shape_json(run.bound_shape);
    json["gap"] = split ? finite_or_null(run.gap()) : Json();
    json["optimal"] = run.optimal;
    json["bound_verified"] = !run.unverified;
    json["proof"] = run.proof;
  }
  if (run.baseline && !run.proof.empty()) json["note"] = run.proof;
  if (times) json["seconds"] = run.seconds;
  return json;
}

Json means_json(const std::vector<Comparison>& comparisons) {
  Json means = Json::array();
  for (const AlgorithmRun& run : comparisons.front().runs) {
    const std::optional<MeanRatio> mean = mean_ratio(comparisons, run.algorithm);
    if (!mean) continue;
    means.push_back(
        {{"algorithm", run.algorithm}, {"ratio", mean->ratio}, {"workloads", mean->workloads}, {"legal", mean->legal}});
  }
  return means;
}

}  // namespace

std::string compare_json(const Problem& question, const std::vector<Comparison>& comparisons,
                         const CompareJsonOptions& options) {
  Json json;
  json["partita"] = {{"format", "comparison"}, {"version", kComparisonVersion}, {"program_version", version()}};
  add_question(question, json);
  json["time_limit"] = finite_or_null(options.time_limit);
  json["seed"] = options.seed;
  json["workloads"] = Json::array();
  for (const Comparison& comparison : comparisons) {
    Json runs = Json::array();
    for (const AlgorithmRun& run : comparison.runs) runs.push_back(run_json(comparison, run, options.times));
    Json workload{{"name", comparison.name}};
    if (!comparison.time_unit.empty()) workload["time_unit"] = comparison.time_unit;
    workload["nodes"] = comparison.nodes;
    workload["edges"] = comparison.edges;
    workload["best"] = finite_or_null(comparison.best());
    workload["algorithms"] = std::move(runs);
    json["workloads"].push_back(std::move(workload));
  }
  json["geometric_means"] = means_json(comparisons);
  return pretty_json(json);
}

}  // namespace partita
