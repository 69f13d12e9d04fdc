// SPDX-License-Identifier: Apache-2.0
// What each device has to do for one sample: compute, transfers, memory; and the throughput objectives made of it.
//
// An accelerator that holds S computes for the sum of its nodes' times, reads in(S) and writes out(S), as crossings.h
// counts them; hosts work in host memory and pay for no transfer, whoever is at the other end. A pass is the forward or
// the backward nodes; a transfer belongs to the pass of the node whose output moves. Transfer modes apply to each pass,
// and a device's load is that of both passes together.
#pragma once

#include "partita/check/placement.h"

namespace partita {

// Fills report.devices, report.load and report.bottleneck. O(nodes + edges + devices).
void measure_loads(const Problem& problem, const Placement& placement, CheckReport& report);

// MaxLoad or GPipe, from the loads in the report.
double throughput_value(const Problem& problem, const CheckReport& report);

}  // namespace partita
