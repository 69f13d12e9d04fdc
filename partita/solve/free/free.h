// SPDX-License-Identifier: Apache-2.0
// The best free split for throughput, with proof: any assignment of groups to devices, whatever the devices and the
// transfer mode.
//
// Upper and lower bound feed each other. FreeSearch looks for better splits, from the starts that it is given on. The
// bounds are the volume of work (volume.h), which is there at once, and ConfigurationLp, which tries to refute limits
// below the best value (bound_climber.h).
//
// With one thread the two take turns, which are counted in ticks and grow, so a seed and a tick limit fix the answer.
// With several (Budget::work_with) they run side by side, and the split may differ from run to run. Tests:
// tests/solve/free_bound_test.cpp, tests/solve/classes_bound_test.cpp, tests/solve/free_threads_test.cpp.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "partita/model/settings/free.h"
#include "partita/solve/configuration/configuration_lp.h"
#include "partita/solve/shared/outcome.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

struct FreeOptions {
  double gap = 0;  // stop once (value - bound) / value is at most this
  std::uint64_t seed = 1;
  FreeSettings settings = {};
};

struct FreeOutcome : Outcome<FreeSplit> {
  std::optional<ProofTree>
      verified;  // proof of the bound; without one the bound is 0, or there was no time to verify it
};

// Whether a proof really holds, as somebody else sees it; a bound of the LP counts only if so.
using ProofCheck = std::function<bool(const ProofTree&, Budget&)>;

// `starts` may be empty; those that are not legal are ignored. Without a split in the end, none was found.
FreeOutcome solve_free(const FreeInstance& instance, const std::vector<FreeSplit>& starts, const FreeOptions& options,
                       const ProofCheck& check, Budget& budget, const Sink& sink);

}  // namespace partita::detail
