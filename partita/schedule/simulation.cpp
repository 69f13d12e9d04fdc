// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/simulation.h"

#include <algorithm>

#include "partita/model/validate.h"
#include "partita/schedule/formula.h"
#include "partita/schedule/measure.h"
#include "partita/schedule/memory_in_flight.h"
#include "partita/schedule/sequential.h"
#include "partita/schedule/simulate_pieces.h"
#include "partita/schedule/steps.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

Simulation simulate_latency(const Problem& problem, const Split& split, const CheckReport& report,
                            const SimulationOptions& options) {
  refuse_too_many_tasks(report.schedule.size(), options.samples);
  LatencySchedule schedule = repeat_latency_schedule(problem, split, report, options.samples);
  Simulation result;
  result.kind = options.kind;
  result.samples = options.samples;
  result.pieces = std::move(schedule.pieces);
  result.lanes = schedule.steps.lanes;
  result.devices.resize(report.devices.size());
  result.memory.resize(report.devices.size());
  result.formula = report.value;
  const std::size_t record = samples_to_record(schedule.steps, options);
  measure(schedule.steps, schedule.timing, record, result);
  measure_memory_in_flight(problem, report, schedule.steps, schedule.timing, record, result);
  return result;
}

}  // namespace

Simulation simulate(const Problem& problem, const Split& split, const SimulationOptions& options) {
  if (options.samples < 1)
    throw InputError(ErrorKind::Usage, "samples", "there is nothing to simulate: ask for at least 1 sample");
  if (options.kind == ScheduleKind::GPipe && options.microbatches < 1)
    throw InputError(ErrorKind::Usage, "microbatches", "a batch of 0 samples: ask for at least 1 microbatch");
  validate(problem);
  const CheckReport report = check(problem, split);
  if (!report.legal()) {
    throw InputError(ErrorKind::IllegalSplit, "",
                     "only a legal split can be simulated, and this one is not: " + report.violations.front().message);
  }
  if (problem.objective != Objective::Latency)
    return simulate_pieces(problem, split, report, cut_into_pieces(problem, split, report), options);
  if (options.kind == ScheduleKind::Sequential) return simulate_latency(problem, split, report, options);

  // Subgraphs are for one sample; a stream of them runs through what each device holds, whatever its shape.
  Problem stream = problem;
  stream.objective = Objective::MaxLoad;
  stream.shape = Shape::Free;
  const CheckReport loads = check(stream, split);
  return simulate_pieces(stream, split, loads, cut_into_pieces(stream, split, loads), options);
}

}  // namespace partita
