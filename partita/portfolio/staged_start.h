// SPDX-License-Identifier: Apache-2.0
// Staged splits are splits of every other shape too: a short search for a good one, to start from, whatever the devices,
// the transfer mode and the objective.
#pragma once

#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/util/budget.h"

namespace partita::detail {

// For max-load.
std::optional<Split> staged_start(const Problem& problem, std::uint64_t seed, Budget& budget);
// For gpipe, on plain platforms and with loads that are sums.
std::optional<Split> staged_gpipe_start(const Problem& problem, double gap, std::uint64_t seed, Budget& budget);

}  // namespace partita::detail
