// SPDX-License-Identifier: Apache-2.0
// What each device has to do for one sample: compute, transfers; and the throughput objectives made of it.
//
// An accelerator that holds S computes for the sum of its nodes' times, reads in(S) and writes out(S), as crossings.h
// counts them; hosts work in host memory and pay for no transfer, whoever is at the other end. A pass is the forward or
// the backward nodes; a transfer belongs to the pass of the node whose output moves. Transfer modes apply to each pass,
// and a device's load is that of both passes together. Where a device recomputes, that is compute of the backward pass
// if there is one.
//
// Devices that share a stage each take every so many samples: their load per sample is the load divided by their
// number, and the exchange of weights comes on top or beside it (copies.h). For the objective gpipe the passes are
// divided one by one, and the exchange belongs to the backward pass, or to the only one.
#pragma once

#include "partita/check/clusters.h"
#include "partita/check/placement.h"

namespace partita::detail {

// Fills report.devices with the passes of what each device has itself, its nodes and whether it recomputes.
// O(nodes + edges + devices), times the depth of the clusters.
void measure_passes(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                    CheckReport& report);

// Fills report.load and report.bottleneck from the passes, sync and sharing in report.devices.
void add_up_loads(const Problem& problem, CheckReport& report);

// MaxLoad or GPipe, from the loads in the report: those of devices and of shared links.
double throughput_value(const Problem& problem, const CheckReport& report);

}  // namespace partita::detail
