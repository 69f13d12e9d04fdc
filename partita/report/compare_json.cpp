// SPDX-License-Identifier: Apache-2.0
#include "partita/report/compare_json.h"

#include <optional>

#include "partita/report/json_parts.h"
#include "partita/report/question_json.h"

namespace partita {

using namespace detail;

namespace {

constexpr int kComparisonVersion = 1;

void add_found_split(const Comparison& comparison, const AlgorithmRun& run, JsonWriter& json) {
  json.field("value", run.value);
  json.field("ratio", comparison.ratio(run));
  json.field("legal", run.legal);
  if (!run.legal) {
    json.field("fault", run.fault);
    json.column("violations", run.violations);
    json.field("violation_count", run.violation_count);
  }
  if (run.shape) json.field("shape", to_string(*run.shape));
}

void add_algorithm(const Comparison& comparison, const AlgorithmRun& run, bool times, JsonWriter& json) {
  json.field("algorithm", run.algorithm);
  json.field("baseline", run.baseline);
  json.field("outcome", to_string(run.outcome));
  if (!run.reason.empty()) json.field("reason", run.reason);
  if (!run.ran()) return;
  const bool split = run.outcome == AlgorithmRun::Outcome::Split;
  if (split) add_found_split(comparison, run, json);
  if (!run.baseline) {
    json.field("bound", run.bound);
    if (run.bound_shape) json.field("bound_shape", to_string(*run.bound_shape));
    json.field("gap", split ? std::optional(run.gap()) : std::nullopt);
    json.field("optimal", run.optimal);
    json.field("bound_verified", !run.unverified);
    json.field("proof", run.proof);
  }
  if (run.baseline && !run.proof.empty()) json.field("note", run.proof);
  if (times) json.field("seconds", run.seconds);
}

void write_means(const std::vector<Comparison>& comparisons, JsonWriter& json) {
  json.array([&] {
    for (const AlgorithmRun& run : comparisons.front().runs) {
      const std::optional<MeanRatio> mean = mean_ratio(comparisons, run.algorithm);
      if (!mean) continue;
      json.object([&] {
        json.field("algorithm", run.algorithm);
        json.field("ratio", mean->ratio);
        json.field("workloads", mean->workloads);
        json.field("legal", mean->legal);
      });
    }
  });
}

}  // namespace

std::string compare_json(const Problem& question, const std::vector<Comparison>& comparisons,
                         const CompareJsonOptions& options) {
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] {
    add_format("comparison", kComparisonVersion, json);
    add_question(question, json);
    json.field("time_limit", options.time_limit);
    json.field("seed", options.seed);
    json.rows("workloads", comparisons, [&](const Comparison& comparison) {
      json.field("name", comparison.name);
      add_time_unit(comparison.time_unit, json);
      json.field("nodes", comparison.nodes);
      json.field("edges", comparison.edges);
      json.field("best", comparison.best());
      json.rows("algorithms", comparison.runs,
                [&](const AlgorithmRun& run) { add_algorithm(comparison, run, options.times, json); });
    });
    write_means(comparisons, json.key("geometric_means"));
  });
  return json.take();
}

}  // namespace partita
