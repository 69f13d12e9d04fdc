// SPDX-License-Identifier: Apache-2.0
// What `check` says of a split under the objective that a schedule is made for.
#pragma once

#include <optional>
#include <vector>

#include "partita/schedule/simulation.h"

namespace partita::detail {

// max-load for pipelines and 1f1b, gpipe for gpipe, latency for sequential schedules if that is the problem's
// objective.
std::optional<double> formula_of(const Problem& problem, const Split& split, ScheduleKind kind);

// The order of the stages, whatever shape the problem asks for. Where the split is not staged, or a forward piece reads
// something of a later stage for its backward pass: one in which forward pieces wait for earlier ones only, if each
// device has one of them.
std::vector<DeviceId> order_of_stages(const Problem& problem, const Split& split, const CheckReport& report,
                                      const Pieces& pieces);

}  // namespace partita::detail
