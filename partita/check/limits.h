// SPDX-License-Identifier: Apache-2.0
// What a device may hold at all: memory, colour classes, supported nodes, subgraphs.
#pragma once

#include "partita/check/placement.h"

namespace partita::detail {

// Exactly, as sums of memory are exact: see model/exact_memory.h.
bool over_memory(double used, double limit);

// One violation for each device over its limit, copies left out. Precondition: memory is measured.
void check_memory(const Problem& problem, CheckReport& report);

// One violation for each colour class on more than one device.
void check_colours(const Problem& problem, const Placement& placement, CheckReport& report);

// One violation for each device with nodes that it cannot run.
void check_support(const Problem& problem, const Placement& placement, CheckReport& report);

// Latency: one violation for each accelerator and pass with more subgraphs than problem.subgraphs.
void check_subgraphs(const Problem& problem, const Placement& placement, CheckReport& report);

}  // namespace partita::detail
