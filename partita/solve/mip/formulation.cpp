// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/formulation.h"

#include "partita/reduce/device_table.h"
#include "partita/solve/mip/chain_of_ideals.h"
#include "partita/solve/mip/latency_program.h"
#include "partita/solve/mip/max_load.h"

namespace partita {

std::unique_ptr<Formulation> formulate(const Problem& problem, const FormulationOptions& options) {
  refuse_all_but_classes(problem, "the integer programs");
  if (problem.objective == Objective::Latency) return std::make_unique<LatencyFormulation>(problem, options);
  if (problem.shape == Shape::Staged) return std::make_unique<ChainOfIdealsFormulation>(problem, options);
  return std::make_unique<MaxLoadFormulation>(problem, options);
}

}  // namespace partita
