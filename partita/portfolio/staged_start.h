// SPDX-License-Identifier: Apache-2.0
// Staged splits are splits of every other shape too: a short search for a good one, to start from, whatever the devices,
// the transfer mode and the objective.
#pragma once

#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/portfolio/plan.h"
#include "partita/util/budget.h"

namespace partita::detail {

// For max-load. Of the options: seed and settings.
std::optional<Split> staged_start(const Problem& problem, const PlanOptions& options, Budget& budget);
// For gpipe, on plain platforms and with loads that are sums. Of the options: these and the gap.
std::optional<Split> staged_gpipe_start(const Problem& problem, const PlanOptions& options, Budget& budget);

}  // namespace partita::detail
