// SPDX-License-Identifier: Apache-2.0
// The best staged split where stages can run in several ways, and a proof of how far from the best possible it is.
//
// First splits come from the linearised program over several orders. Then one question after the other: is there a
// pipeline with every load at most this (segment_search.h)? docs/algorithms/setups.md has the whole of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "partita/model/settings/presolve.h"
#include "partita/model/settings/setups.h"
#include "partita/reduce/setup_instance.h"
#include "partita/solve/shared/outcome.h"
#include "partita/solve/staged/setups/setup_linear.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

// What is known before, from a question whose answers are at least as good.
struct SetupHint {
  double bound = 0;
  std::string proof;
  bool infeasible = false;
  std::vector<GroupId> order;  // worth trying first; may be empty
};

struct SetupOptions {
  bool search = true;  // exactly; else the linearised program and simple bounds only
  double gap = 0;      // stop once (value - bound)/value is at most this
  std::uint64_t seed = 1;
  SetupHint hint = {};
  std::function<SetupHint()> another_hint = {};  // asked for once, when a question was too hard; may be empty
  SetupSettings settings = {};
  PresolveSettings presolve = {};
};

using SetupOutcome = Outcome<SetupPipeline>;

SetupOutcome solve_setups(const SetupInstance& instance, const SetupOptions& options, Budget& budget, const Sink& sink);

}  // namespace partita::detail
