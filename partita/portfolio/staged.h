// SPDX-License-Identifier: Apache-2.0
// What all questions about staged splits have in common, whatever is minimised.
#pragma once

#include <functional>

#include "partita/model/problem.h"
#include "partita/portfolio/plan.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/staged/staged.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

using StagedSolve = std::function<StagedOutcome(const StagedInstance&, const StagedOptions&)>;

// Reduces the problem, rules out what no split can meet, asks the solver, lifts its split and settles the plan.
void plan_by_stages(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan,
                    const StagedSolve& solve);

}  // namespace partita::detail
