// SPDX-License-Identifier: Apache-2.0
// Random problems with their optima: how most tests of bounds and certificates begin.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/brute_force.h"
#include "tests/support/random_workload.h"

namespace partita::detail {

// A random workload, asked for staged splits; every fourth one with a shape of its backward pass.
inline Problem random_staged_problem(std::uint64_t seed) {
  Problem problem{random_workload(seed)};
  problem.shape = Shape::Staged;
  problem.backward_shape = seed % 4 == 0;
  return problem;
}

// Calls use(seed, problem, optimum) for each of the problems make_problem(1), make_problem(2), ... that has a split and
// whose optimum is no 0. A failure tells the seed and the workload; after a fatal one no more are tried.
template <class MakeProblem, class Use>
void for_each_optimum(std::uint64_t count, MakeProblem make_problem, Use use) {
  for (std::uint64_t seed = 1; seed <= count && !testing::Test::HasFatalFailure(); ++seed) {
    const Problem problem = make_problem(seed);
    const std::optional<double> best = brute_force(problem);
    if (!best || !(*best > 0)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*problem.workload));
    use(seed, problem, *best);
  }
}

}  // namespace partita::detail
