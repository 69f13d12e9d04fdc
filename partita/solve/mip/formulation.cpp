// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/formulation.h"

#include "partita/solve/mip/chain_of_ideals.h"
#include "partita/solve/mip/max_load.h"
#include "partita/util/error.h"

namespace partita {

std::unique_ptr<Formulation> formulate(const Problem& problem, const FormulationOptions& options) {
  if (problem.objective == Objective::Latency) {
    throw InputError(ErrorKind::Unsupported, "--objective latency",
                     "has no integer program in this version; use throughput or gpipe");
  }
  if (problem.shape == Shape::Staged) return std::make_unique<ChainOfIdealsFormulation>(problem, options);
  return std::make_unique<MaxLoadFormulation>(problem, options);
}

}  // namespace partita
