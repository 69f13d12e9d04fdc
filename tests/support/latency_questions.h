// SPDX-License-Identifier: Apache-2.0
// Questions of latency on random small workloads, for bounds: all of them must hold for all of these.
#pragma once

#include <cstdint>

#include "partita/model/problem.h"
#include "tests/support/random_workload.h"

namespace partita::test {

// Every other with two subgraphs on an accelerator; some with no more cores than hosts.
inline Problem latency_question(std::uint64_t seed) {
  Problem problem{random_workload(seed), Objective::Latency};
  problem.subgraphs = 1 + static_cast<int>(seed % 2);
  problem.strict_host_cores = seed % 5 == 0;
  return problem;
}

}  // namespace partita::test
