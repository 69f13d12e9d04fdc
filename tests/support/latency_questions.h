// SPDX-License-Identifier: Apache-2.0
// Questions of latency on random small workloads, for bounds: all of them must hold for all of these.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "partita/model/problem.h"
#include "partita/reduce/latency_instance.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/more_hosts.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {

// One in three with up to three classes of devices.
inline Problem random_latency_problem(std::uint64_t seed) {
  Problem problem{random_workload(seed), {.objective = Objective::Latency}};
  if (seed % 3 != 0) return problem;
  SetupFeatures features = SetupFeatures::none();
  features.classes = true;
  features.latencies = seed % 2 == 0;
  problem = random_setup(problem.workload, seed, features);
  problem.objective = Objective::Latency;
  if (seed % 4 == 0) add_more_hosts(problem.workload.change(), seed);
  return problem;
}

// Every other with two subgraphs on an accelerator; some with no more cores than hosts.
inline Problem latency_question(std::uint64_t seed) {
  Problem problem = random_latency_problem(seed);
  problem.subgraphs = 1 + static_cast<int>(seed % 2);
  problem.strict_host_cores = seed % 5 == 0;
  return problem;
}

// Bounds of questions whose optima are known: none may be above, up to rounding, and enough should meet them.
struct JudgedBounds {
  std::size_t met = 0, all = 0;

  void judge(double bound, double optimum, const std::string& about) {
    EXPECT_LE(bound * (1 - 1e-9), optimum * (1 + 1e-12)) << about;
    if (optimum == std::numeric_limits<double>::infinity()) return;
    ++all;
    met += bound >= optimum * (1 - 1e-9);
  }
};

// visit(seed, instance, optimum) for the first questions.
template <class Ask, class Visit>
void for_each_latency_question(std::uint64_t count, const Ask& ask, const Visit& visit) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const Problem problem = ask(seed);
    visit(seed, make_latency_instance(problem), best_latency_by_brute_force(problem));
  }
}

}  // namespace partita::detail::test
