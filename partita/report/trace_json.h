// SPDX-License-Identifier: Apache-2.0
// A simulation in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open: a process for
// each device, a thread for each lane, and a counter of the samples in flight and of memory for each device.
#pragma once

#include <cstddef>
#include <string>

#include "partita/schedule/simulation.h"

namespace partita::detail {

inline constexpr std::size_t kMostTraced = 10'000;  // samples: a trace of more is too large for what shows it

// The recorded samples. The workload's unit of time is taken for a millisecond; times are rounded to nanoseconds, and
// so that nothing overlaps on a lane. Events are sorted by time. Arrows lead from piece to piece across devices, and the
// operators of a piece are slices inside its own, for the first samples only (docs/formats.md).
std::string trace_json(const Problem& problem, const CheckReport& report, const Simulation& simulation);

}  // namespace partita::detail
