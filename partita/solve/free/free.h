// SPDX-License-Identifier: Apache-2.0
// The best free split for throughput, with proof: any assignment of groups to devices.
//
// Upper and lower bound feed each other. FreeSearch looks for better splits, starting from the staged optimum;
// ConfigurationLp tries to refute limits below the best. The first limit tried is just below the best value, for if
// that is refuted the split is optimal. If the LP cannot refute it, or not in reasonable time, the limits tried lie
// half way between the bound and the lowest limit that was too hard. The devices of good splits are columns of the LP.
//
// With one thread the two take turns, which are counted in ticks and grow, so a seed and a tick limit fix the answer.
// With two threads they run side by side, and the answer may differ from run to run.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "partita/model/settings/free.h"
#include "partita/solve/free/configuration_lp.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita {

struct FreeOptions {
  double gap = 0;  // stop once (value - bound) / value is at most this
  std::uint64_t seed = 1;
  int threads = 1;
  FreeSettings settings = {};
};

struct FreeOutcome {
  std::optional<FreeSplit> split;
  double bound = 0;
  std::string proof_text;
  std::optional<FreeProof> proof;  // of the bound; without one the bound is 0, or there was no time to verify it
};

// Whether a proof really holds, as somebody else sees it; a bound counts only if so.
using ProofCheck = std::function<bool(const FreeProof&, Budget&)>;

// `start` may be empty. Without a split in the end, none was found.
FreeOutcome solve_free(const FreeInstance& instance, const std::optional<FreeSplit>& start, const FreeOptions& options,
                       const ProofCheck& check, Budget& budget, const Sink& sink);

}  // namespace partita
