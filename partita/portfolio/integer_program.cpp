// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/portfolio.h"

#include <fmt/format.h>

#include "partita/portfolio/settle.h"
#include "partita/solve/mip/cbc_backend.h"
#include "partita/solve/mip/solve_ip.h"

namespace partita {

void plan_ip(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  CbcBackend backend;
  const IpOutcome outcome = solve_ip(problem, backend, {.gap = options.gap, .seed = options.seed}, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.split) {
    result.split = outcome.split;
    settle_status(problem, outcome.value, outcome.bound, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason = fmt::format("no {} split meets the limits of memory and the devices each node can run on",
                                to_string(problem.shape));
  } else {
    result.reason = "a limit was reached before any split was found";
  }
}

}  // namespace partita
