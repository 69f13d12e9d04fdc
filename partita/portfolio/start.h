// SPDX-License-Identifier: Apache-2.0
// A good split in little time, for slower solvers to start from.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "partita/model/problem.h"
#include "partita/model/settings.h"
#include "partita/model/split.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

// As many as the whole has left.
inline constexpr std::uint64_t kAnyTicks = std::numeric_limits<std::uint64_t>::max();

// A part of what is left of the budget: no more than so many ticks, no less than so many seconds.
Budget share_of(Budget& budget, double part, std::uint64_t most_ticks, double least_seconds = 0);

// Where a certificate is asked for that is looked for once the answer is known, some of the time is left for it.
Budget before_certificate(bool certificate, Budget& budget);

struct Start {
  Split split;
  double value = 0;  // as `check` says, for the problem's objective
};

// The staged optimum, which is legal for every shape, or the best staged split within the budget; then, for the wider
// shapes, what a search for those makes of it. All of them mind max-load with transfers added up; for other objectives
// the result is legal and usually near. On unequal devices it is the greedy split, if that is legal. The sink hears of
// splits only.
//
// Takes this part of the budget, but a second at least, and no more than so many ticks.
struct StartOptions {
  double part = 1;
  std::uint64_t most_ticks = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t seed = 1;
  Settings settings = {};
};
std::optional<Start> find_start(const Problem& problem, const StartOptions& options, Budget& budget, const Sink& sink);

// The best staged split found within the budget, which is a split of every other shape too.
std::optional<Split> staged_split(const Problem& problem, std::uint64_t seed, const Settings& settings, Budget& budget,
                                  const Sink& sink);

}  // namespace partita::detail
