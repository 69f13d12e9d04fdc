// SPDX-License-Identifier: Apache-2.0
// One sample after the other, without pipelining.
//
// For the objective latency this is the schedule that `check` found and valued (check/latency.h, check/host_cores.h),
// from one sample to the next. Its pieces are the subgraphs of the accelerators and the single nodes of the hosts; host
// nodes that run at the same time are on different cores, as few as there can be for each host. Otherwise the pieces
// run in order, each step as soon as its lane is free and its inputs are there.
#pragma once

#include "partita/schedule/program.h"

namespace partita::detail {

Program sequential_program(const Steps& steps, std::size_t samples);

struct LatencySchedule {
  Pieces pieces;
  Steps steps;
  Timing timing;
};

// Preconditions: the objective is latency; `report` is check(problem, split), and legal.
LatencySchedule repeat_latency_schedule(const Problem& problem, const Split& split, const CheckReport& report,
                                        std::size_t samples);

}  // namespace partita::detail
