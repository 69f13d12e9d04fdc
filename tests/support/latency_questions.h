// SPDX-License-Identifier: Apache-2.0
// Questions of latency on random small workloads, for bounds: all of them must hold for all of these.
#pragma once

#include <cstdint>

#include "partita/model/problem.h"
#include "tests/support/more_hosts.h"
#include "tests/support/random_setup.h"

namespace partita::test {

// One in three with up to three classes of devices.
inline Problem random_latency_problem(std::uint64_t seed) {
  Problem problem{random_workload(seed), {.objective = Objective::Latency}};
  if (seed % 3 != 0) return problem;
  SetupFeatures features = SetupFeatures::none();
  features.classes = true;
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

}  // namespace partita::test
