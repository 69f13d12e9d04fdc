// SPDX-License-Identifier: Apache-2.0
// One question on many platforms that differ in one number: the curve of best value and bound.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "partita/model/sweep.h"
#include "partita/portfolio/plan.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita {

struct SweepOptions {
  PlanOptions plan;
  double seconds = std::numeric_limits<double>::infinity();         // for each point
  std::uint64_t ticks = std::numeric_limits<std::uint64_t>::max();  // likewise
  double worthwhile = 0.01;                                         // see Sweep::enough
};

// What a sweep tells while it runs. Points come from the coarse to the fine, not by parameter.
struct SweepWatcher {
  std::function<void(const SweepPoint& point, std::size_t done, std::size_t count)> begins;  // not yet searched
  Sink progress;  // of the point that is searched; its seconds are those of the whole budget
  // As far as it is known now: a point found later may still hand it a better split or bound.
  std::function<void(const SweepPoint& point, std::size_t done, std::size_t count)> ended;
};

// `values` in any order, without repetition; one at least. When the budget ends, the points so far are the sweep; the
// one that was searched then is among them with what it had. Throws InputError where the platform has no such parameter
// or a value makes no sense, and what answer() throws; std::logic_error where two points contradict each other.
Sweep sweep(const Problem& problem, SweepParameter parameter, std::vector<double> values, const SweepOptions& options,
            Budget& budget, const SweepWatcher& watcher = {});

}  // namespace partita
