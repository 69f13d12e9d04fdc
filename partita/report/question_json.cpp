// SPDX-License-Identifier: Apache-2.0
#include "partita/report/question_json.h"

#include <nlohmann/json.hpp>

namespace partita::detail {

void add_question(const Problem& problem, nlohmann::ordered_json& object) {
  object["objective"] = to_string(problem.objective);
  if (problem.objective == Objective::Latency) {
    object["subgraphs"] = problem.subgraphs;
    object["host_cores"] = problem.strict_host_cores ? "strict" : "unlimited";
    return;
  }
  object["shape"] = to_string(problem.shape);
  object["transfers"] = to_string(problem.transfers);
  object["backward_shape"] = problem.backward_shape;
  add_pipeline_question(problem, object);
}

void add_time_unit(const Problem& problem, nlohmann::ordered_json& object) {
  if (!problem.workload->time_unit.empty()) object["time_unit"] = problem.workload->time_unit;
}

void add_pipeline_question(const Problem& problem, nlohmann::ordered_json& object) {
  if (problem.replicas > 1) object["replicas"] = problem.replicas;
  if (problem.memory_model != MemoryModel::Flat) object["memory_model"] = to_string(problem.memory_model);
  if (problem.microbatches > 0) object["microbatches"] = problem.microbatches;
  if (problem.recompute) object["recompute"] = true;
}

}  // namespace partita::detail
