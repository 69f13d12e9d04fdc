// SPDX-License-Identifier: Apache-2.0
// A mixed-integer solver, as the rest of Partita sees one. Each has a file of its own that alone includes its headers.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "partita/solve/mip/linear_model.h"
#include "partita/util/budget.h"

namespace partita {

struct MipRequest {
  const LinearModel& model;
  std::vector<double> start = {};  // a solution to start from, or empty
  double gap = 0;                  // stop once (objective - bound) / objective is at most this
  double known_bound = -kNoLimit;  // no solution is below this: one that meets it, up to the gap, ends the search
  // Told of news, from the solving thread; may be empty. Infinite and minus infinite where nothing is known yet.
  std::function<void(double objective, double bound)> progress = {};
};

struct MipOutcome {
  // The best found, by column; not worse than the start if that was accepted.
  std::optional<std::vector<double>> solution;
  double bound = -kNoLimit;  // claimed by the solver, in floating point: no solution is below
  bool infeasible = false;   // claimed: there is no solution
  bool finished = false;     // ended by itself, not by a limit
};

class MipBackend {
 public:
  virtual ~MipBackend() = default;
  virtual const char* name() const = 0;
  // Ends soon after the budget is exhausted or cancelled, with the best so far. Prints nothing.
  virtual MipOutcome solve(const MipRequest& request, Budget& budget) = 0;
};

}  // namespace partita
