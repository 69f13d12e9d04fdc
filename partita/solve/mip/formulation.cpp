// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/formulation.h"

#include "partita/reduce/device_table.h"
#include "partita/solve/mip/latency_program.h"

namespace partita::detail {

std::unique_ptr<Formulation> formulate(const Problem& problem, const FormulationOptions& options) {
  refuse_all_but_classes(problem, "the integer programs");
  if (problem.objective == Objective::Latency) return std::make_unique<LatencyFormulation>(problem, options);
  if (problem.shape == Shape::Staged) return formulate_chain_of_ideals(problem, options);
  return formulate_max_load(problem, options);
}

}  // namespace partita::detail
