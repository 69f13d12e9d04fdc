// SPDX-License-Identifier: Apache-2.0
#include "partita/report/question_json.h"

#include <nlohmann/json.hpp>

namespace partita {

void add_pipeline_question(const Problem& problem, nlohmann::ordered_json& object) {
  if (problem.replicas > 1) object["replicas"] = problem.replicas;
  if (problem.memory_model != MemoryModel::Flat) object["memory_model"] = to_string(problem.memory_model);
  if (problem.microbatches > 0) object["microbatches"] = problem.microbatches;
  if (problem.recompute) object["recompute"] = true;
}

}  // namespace partita
