// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/simulate_pieces.h"

#include <algorithm>
#include <cassert>

#include "partita/schedule/formula.h"
#include "partita/schedule/gpipe_schedule.h"
#include "partita/schedule/link_queues.h"
#include "partita/schedule/measure.h"
#include "partita/schedule/memory_in_flight.h"
#include "partita/schedule/one_f_one_b.h"
#include "partita/schedule/remark.h"
#include "partita/schedule/round_schedule.h"
#include "partita/schedule/sequential.h"

namespace partita::detail {

Simulation simulate_pieces(const Problem& problem, const Split& split, const CheckReport& report, const Pieces& pieces,
                           const SimulationOptions& options) {
  Simulation result;
  result.kind = options.kind;
  result.samples = options.samples;
  result.microbatches = options.kind == ScheduleKind::GPipe ? options.microbatches : 0;
  result.pieces = pieces;
  result.devices.resize(report.devices.size());
  result.memory.resize(report.devices.size());
  result.formula = formula_of(problem, split, options.kind);

  const bool takes_turns = options.kind == ScheduleKind::OneF1B && one_piece_in_each_pass(pieces);
  const std::vector<DeviceId> order =
      takes_turns ? order_of_stages(problem, split, report, pieces) : std::vector<DeviceId>();
  const Steps steps =
      make_steps(problem, report, pieces, takes_turns ? EmptySteps::KeptAsCompute : EmptySteps::LeftOut);
  refuse_too_many_tasks(steps.steps.size(), options.samples);
  result.lanes = steps.lanes;

  const auto by_turns = [&] {
    if (!has_link_steps(steps)) return one_f_one_b_program(problem, order, pieces, steps, options.samples);
    const Steps apart = with_links_apart(steps);
    return queued_at_links(steps, apart, one_f_one_b_program(problem, order, pieces, apart, options.samples));
  };
  const auto make_program = [&] {
    switch (options.kind) {
      case ScheduleKind::Pipeline: return pipeline_program(steps, options.samples);
      case ScheduleKind::OneF1B: return takes_turns ? by_turns() : pipeline_program(steps, options.samples);
      case ScheduleKind::GPipe: return gpipe_program(steps, options.samples, options.microbatches);
      case ScheduleKind::Sequential: return sequential_program(steps, options.samples);
    }
    assert(false && "no such schedule");
    return Program();
  };
  const Timing timing = run_program(steps, make_program());
  const std::size_t record = samples_to_record(steps, options);
  measure(steps, timing, record, result);
  measure_memory_in_flight(problem, report, steps, timing, record, result);
  const auto round_by_round = [&] {
    SimulationOptions rounds = options;
    rounds.kind = ScheduleKind::Pipeline;
    rounds.samples = std::min<std::size_t>(rounds.samples, 1000);  // it is steady early
    rounds.record = 0;
    return simulate_pieces(problem, split, report, pieces, rounds);
  };
  result.remark = takes_turns ? one_f_one_b_remark(problem, order, result, round_by_round) : remark_on(problem, result);
  return result;
}

}  // namespace partita::detail
