// SPDX-License-Identifier: Apache-2.0
// Answers to problems with wishes: one question without wishes for each case (reduce/wish_cases.h).
#pragma once

#include <functional>

#include "partita/model/problem.h"
#include "partita/portfolio/plan.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

// Answers a problem without wishes.
using WishlessAnswer = std::function<Plan(const Problem& problem, Budget& budget, const Sink& sink)>;

// The best split of all cases, and the least of their bounds. Throws InputError(Unsupported) where there are too many
// cases. Precondition: validate() accepts the problem, which has wishes.
Plan answer_with_wishes(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink,
                        const WishlessAnswer& answer);

}  // namespace partita::detail
