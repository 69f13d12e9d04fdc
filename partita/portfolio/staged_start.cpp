// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/staged_start.h"

#include "partita/portfolio/start.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/pass_graphs.h"
#include "partita/reduce/setup_instance.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/staged/gpipe_staged.h"
#include "partita/solve/staged/setups/solve_setups.h"

namespace partita::detail {
namespace {

Problem as_staged(const Problem& problem) {
  Problem staged = problem;
  staged.shape = Shape::Staged;
  return staged;
}

}  // namespace

std::optional<Split> staged_start(const Problem& problem, const PlanOptions& options, Budget& budget) {
  if (is_plain(problem.workload->platform) && problem.transfers == TransferMode::Sum)
    return staged_split(problem, options.seed, options.settings, budget, {});
  const Problem staged = as_staged(problem);
  const SetupInstance instance = make_setup_instance(staged);
  const SetupOutcome outcome = solve_setups(
      instance, {.seed = options.seed, .settings = options.settings.setups, .presolve = options.settings.presolve},
      budget, {});
  if (!outcome.split) return std::nullopt;
  return lift_parts(staged, instance, outcome.split->parts);
}

std::optional<Split> staged_gpipe_start(const Problem& problem, const PlanOptions& options, Budget& budget) {
  const Problem staged = as_staged(problem);
  const StagedInstance instance = make_staged_instance(staged);
  const PassGraphs graphs = make_pass_graphs(staged, instance.graph, instance.group_of);
  const StagedOutcome outcome = solve_staged_gpipe(
      graphs, instance.platform, {true, options.gap, options.seed, options.settings.staged, options.settings.presolve},
      budget, {});
  if (!outcome.split) return std::nullopt;
  return lift_stages(staged, instance, outcome.split->stages);
}

}  // namespace partita::detail
