// SPDX-License-Identifier: Apache-2.0
// Reads a workload, plans it, runs the plan in a simulation and prints what came out: what a program that embeds the
// library does.
#include <cstdio>
#include <string>

#include "partita/partita.h"
#include "partita/read/workload.h"
#include "partita/report/page.h"
#include "partita/report/plan_json.h"
#include "partita/schedule/simulation.h"
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
    if (!plan.result.split) return 1;
    const partita::Simulation simulation = partita::simulate(problem, *plan.result.split, {});
    partita::PageContent content;
    content.command = "plan";
    content.problem = &problem;
    content.result = &plan.result;
    content.report = &plan.report;
    content.simulation = &simulation;
    const std::string page = partita::page_html(content);
    const std::string json = partita::plan_json(problem, plan.result, plan.report);
    return page.find("</html>") == std::string::npos || json.empty() ? 1 : 0;
  } catch (const partita::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
}
