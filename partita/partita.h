// SPDX-License-Identifier: Apache-2.0
// The whole flow in one call: reduce, solve, lift, check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "partita/check/check.h"
#include "partita/model/certificate.h"
#include "partita/model/problem.h"
#include "partita/model/result.h"
#include "partita/solve/mip/write_model.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita {

enum class Algorithm {
  Auto,    // the best portfolio for the question
  Exact,   // the exact dynamic program over ideals
  Linear,  // the linearised dynamic program (DPL): fast, bound from the relaxation only
  Ip,      // the integer program of the shape, by CBC: slow, but for every shape and objective of throughput
};

struct PlanOptions {
  Algorithm algorithm = Algorithm::Auto;
  double gap = 0;          // stop once (value - bound)/value is at most this
  int threads = 1;         // at most this many; answers do not depend on it
  std::uint64_t seed = 1;  // for the random orders tried by the heuristics
};

struct Plan {
  Result result;
  std::optional<Certificate> certificate;  // of result.bound, where the bound has one that was verified (free splits)
  CheckReport report;  // of result.split, where there is one
};

// Never throws for "no answer": see Result::status. Throws InputError(Unsupported) for a question this version cannot
// answer. `optimal` is only claimed once `check` has recomputed the value.
Plan plan(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink = {});

// A plan out of a split from elsewhere: measured by `check`, feasible, with a bound of 0 as nothing was proved. An
// illegal split has its violations in the report; its status is unknown, and result.split is empty.
Plan adopt(const Problem& problem, const Split& split);

// The integer program of the problem as text for other solvers, and the split that a solution file of one of them
// describes. Throw InputError: Unsupported for latency, BadField for a file that does not belong to the program.
// `where` is what error messages call the file.
std::string integer_program(const Problem& problem, ModelFormat format);
Split read_integer_solution(const Problem& problem, std::string_view text, const std::string& where);

}  // namespace partita
