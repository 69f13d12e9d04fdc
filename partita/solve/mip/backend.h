// SPDX-License-Identifier: Apache-2.0
// A mixed-integer solver, as the rest of Partita sees one.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partita/solve/mip/linear_model.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct MipRequest {
  const LinearModel& model;
  std::vector<double> start = {};  // a solution to start from, or empty
  double gap = 0;                  // stop once (objective - bound) / objective is at most this
  double known_bound = -kNoLimit;  // no solution is below this: one that meets it, up to the gap, ends the search
  // Told of news, from the thread that asked; may be empty.
  std::function<void(std::span<const double> solution)> found = {};  // the best so far, by column
  std::function<void(double bound)> raised = {};
};

// All of it is the solver's word, given in floating point: a solution may be none, a bound too high, and "infeasible"
// wrong.
struct MipOutcome {
  std::optional<std::vector<double>> solution;  // the best found, by column
  double bound = -kNoLimit;                     // no solution is below
  bool infeasible = false;                      // there is no solution
  bool finished = false;                        // ended by itself, not by a limit
  std::string failure;                          // how it broke down, if it did: "CBC failed (signal 11)"
};

class MipBackend {
 public:
  virtual ~MipBackend() = default;
  virtual const char* name() const = 0;
  // Ends soon after the budget is exhausted or cancelled, with the best so far. Prints nothing.
  virtual MipOutcome solve(const MipRequest& request, Budget& budget) = 0;
};

}  // namespace partita::detail
