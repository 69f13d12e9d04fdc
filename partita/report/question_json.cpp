// SPDX-License-Identifier: Apache-2.0
#include "partita/report/question_json.h"

namespace partita::detail {

void add_question(const Problem& problem, JsonWriter& json) {
  json.field("objective", to_string(problem.objective));
  if (problem.objective == Objective::Latency) {
    json.field("subgraphs", problem.subgraphs);
    json.field("host_cores", problem.strict_host_cores ? "strict" : "unlimited");
    return;
  }
  add_throughput_question(problem, json);
}

void add_throughput_question(const Problem& problem, JsonWriter& json) {
  json.field("shape", to_string(problem.shape));
  json.field("transfers", to_string(problem.transfers));
  json.field("backward_shape", problem.backward_shape);
  if (problem.replicas > 1) json.field("replicas", problem.replicas);
  if (problem.memory_model != MemoryModel::Flat) json.field("memory_model", to_string(problem.memory_model));
  if (problem.microbatches > 0) json.field("microbatches", problem.microbatches);
  if (problem.recompute) json.field("recompute", true);
}

}  // namespace partita::detail
