// SPDX-License-Identifier: Apache-2.0
#include "partita/report/plan_json.h"

#include "partita/report/json_parts.h"
#include "partita/report/plan/sections.h"
#include "partita/report/question_json.h"

namespace partita {

using namespace detail;

namespace {

// An older reader would take copies for idle devices, and miss what recomputing costs.
constexpr int kPlanVersion = 1;
constexpr int kPlanVersionOfPipelines = 2;

int plan_version(const Result& result) {
  const bool pipeline = result.split && (has_copies(*result.split) || has_recomputing(*result.split));
  return pipeline ? kPlanVersionOfPipelines : kPlanVersion;
}

}  // namespace

std::string plan_json(const Problem& problem, const Result& result, const CheckReport& report,
                      const PlatformSpec& devices, const RunRecord& run) {
  const Workload& workload = problem.workload;
  const bool latency = problem.objective == Objective::Latency;
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] {
    add_format("plan", plan_version(result), json);
    json.field("workload", workload.name);
    write_model(problem, run.model, json.key("model"));
    add_time_unit(workload.time_unit, json);
    write_units(problem, json.key("units"));
    json.field("objective", to_string(problem.objective));
    add_throughput_question(problem, json);
    if (latency) add_latency_question(problem, result, report, json);
    add_result(result, json);
    add_run(run, json);
    add_verdict(problem, result, json);
    if (result.split) add_shared_links(problem, report, json);
    write_whole_question(problem, devices, run, json.key("question"));
    if (result.split) {
      const PlacesInList places = places_in_list(workload.platform, report);
      const std::vector<CutTensor> cuts = cut_tensors(workload.graph, *result.split);
      write_planned_devices(problem, result, report, cuts, places, json.key("devices"));
      write_cuts(problem, cuts, places, json.key("cuts"));
      write_assignment(problem, *result.split, places, json.key("assignment"));
      write_node_names(problem, json.key("node_names"));
      if (latency) write_schedule(problem, report, places, json.key("schedule"));
    } else {
      const auto nothing = [] {};
      json.key("devices").array(nothing);
      json.key("assignment").object(nothing);
      if (latency) json.key("schedule").array(nothing);
    }
  });
  return json.take();
}

}  // namespace partita
