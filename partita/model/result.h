// SPDX-License-Identifier: Apache-2.0
// What a solver answers.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "partita/model/split.h"

namespace partita {

enum class Status {
  Optimal,     // bound = value to kOptimalGap, and `check` recomputed the value
  Feasible,    // a split, and a bound below its value
  Infeasible,  // proved: no legal split exists; `reason` names the constraint
  Unknown,     // a limit was reached before any split was found
};

inline constexpr double kOptimalGap = 1e-6;
// Where solvers stop: safely below kOptimalGap, so that rounding does not undo it.
inline constexpr double kClosedGap = 0.99 * kOptimalGap;

struct Result {
  Status status = Status::Unknown;
  std::optional<Split> split;
  double value = std::numeric_limits<double>::infinity();  // of the split
  double bound = 0;                                        // no legal split is below this
  std::string proof;                                       // how the bound was proved, in a few words
  bool unverified = false;  // the bound rests on a foreign solver's word, which nobody here has verified
  std::string reason;       // Infeasible, Unknown: why there is no split
  double seconds = 0;
  std::uint64_t seed = 0;

  // (value - bound) / value; 1 without a split, 0 for a value of 0.
  double gap() const;
};

const char* to_string(Status status);

}  // namespace partita
