// SPDX-License-Identifier: Apache-2.0
// Throughput on a platform with shared links, by plain questions that know nothing of them.
//
// First the question without the links. Its bound holds, as links only add to values, and where no link is busier than
// the devices are, its best split is the answer. Else splits are wanted that move less. Two kinds of plain questions find
// some: with dearer transfers (dearer_transfers.h), whose bounds hold too, and on fewer devices, as every further stage
// is a further cut: dearer transfers alone make the largest share of the link small, not the sum of all. Whatever is found is
// measured by `check`, links included, and the best is kept. Small problems are looked at split by split in the end.
//
// Limits: bounds know what one device moves over a link, or twice that, not what all of them must move together. With
// many devices behind a link that is much too slow for them, a gap stays. Tests: tests/portfolio/shared_links_test.cpp.
#pragma once

#include <functional>

#include "partita/portfolio/plan.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

using AskPlain = std::function<Plan(const Problem&, Budget&, const Sink&)>;

// Precondition: has_shared_links(problem). `ask` answers questions without them.
void plan_shared_links(const Problem& problem, const PlanOptions& options, const AskPlain& ask, Budget& budget,
                       const Sink& sink, Plan& plan);

}  // namespace partita::detail
