// SPDX-License-Identifier: Apache-2.0
// A bound for contiguous splits, and sometimes a better split: limits refuted by the configuration LP over convex sets,
// and by a tree of cases above it (bound_climber.h). On the paper's inputs it proves nearly all optima in seconds, where
// bounds of free splits stay up to a third below. Tests: tests/solve/convex_bound_test.cpp, tests/portfolio/.
#pragma once

#include <functional>
#include <optional>

#include "partita/solve/configuration/convex_order.h"
#include "partita/solve/free/free.h"

namespace partita::detail {

// Whether a split is what it should be, of one that the LP came across; sets its value.
using SplitCheck = std::function<bool(FreeSplit&)>;

// From `start` on, which is legal and contiguous and has its value. Ends when value and bound agree, the budget ends, or
// nothing more can be refuted; where sets are too many for a trellis, soon.
FreeOutcome bound_contiguous(const FreeInstance& instance, const ConvexOrder& order, const FreeSplit& start,
                             const FreeOptions& options, const ProofCheck& check, const SplitCheck& legal,
                             Budget& budget, const Sink& sink);

}  // namespace partita::detail
