// SPDX-License-Identifier: Apache-2.0
// The whole flow in one call: reduce, solve, lift, check. docs/library.md shows how to embed it.
//
// Every function throws InputError for a problem that validate() refuses (model/validate.h). They may run side by side
// in one process, each with a budget of its own; nothing is printed.
#pragma once

#include <string>
#include <string_view>

#include "partita/model/problem.h"
#include "partita/model/program_format.h"
#include "partita/portfolio/plan.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"
#include "partita/version.h"

namespace partita {

// Never throws for "no answer": see Result::status. Throws InputError(Unsupported) for a question this version cannot
// answer. `optimal` is only claimed once `check` has recomputed the value.
Plan plan(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink = {});

// A plan out of a split from elsewhere: measured by `check`, feasible, with a bound of 0 as nothing was proved. An
// illegal split has its violations in the report; its status is unknown, and result.split is empty.
Plan adopt(const Problem& problem, const Split& split);

// The integer program of the problem as text for other solvers, and the split that a solution file of one of them
// describes. Throw InputError: Unsupported for strict host cores, BadField for a file that does not belong to the
// program. `where` is what error messages call the file.
std::string integer_program(const Problem& problem, ModelFormat format);
Split read_integer_solution(const Problem& problem, std::string_view text, const std::string& where);

}  // namespace partita
