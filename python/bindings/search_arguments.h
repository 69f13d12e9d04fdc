// SPDX-License-Identifier: Apache-2.0
// How to search, as Python says it in keyword arguments.
#pragma once

#include "partita/portfolio/plan.h"
#include "partita/util/budget.h"
#include "python/bindings/bind.h"
#include "python/bindings/handles.h"

namespace partita::python {

// python/partita/planning.py has checked types and ranges; names of settings and algorithms are checked here.
PlanOptions search_options(const nb::dict& arguments);
Budget::Limits search_limits(const nb::dict& arguments);

// The split of a plan to improve on, which must be of the same graph and legal for the problem. Throws InputError.
Split start_split(const PlanHandle& start, const Problem& problem);

}  // namespace partita::python
