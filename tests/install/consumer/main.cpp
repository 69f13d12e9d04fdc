// SPDX-License-Identifier: Apache-2.0
// Reads a workload, plans it and prints what came out: the least a program that embeds the library does.
#include <cstdio>

#include "partita/partita.h"
#include "partita/read/workload.h"
#include "partita/report/plan_json.h"
#include "partita/util/error.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: consumer WORKLOAD\n");
    return 2;
  }
  try {
    partita::Problem problem;
    problem.workload = partita::read_workload(argv[1]);
    partita::Budget budget;
    const partita::Plan plan = partita::plan(problem, {}, budget);
    std::printf("%s %.6f legal=%d\n", to_string(plan.result.status), plan.result.value, plan.report.legal() ? 1 : 0);
    return partita::plan_json(problem, plan.result, plan.report).empty() ? 1 : 0;
  } catch (const partita::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
}
