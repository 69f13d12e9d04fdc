// SPDX-License-Identifier: Apache-2.0
// What the readers of other planners' files share: those know one kind of device, and one time for each node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/model/workload.h"
#include "partita/read/platform_overrides.h"

namespace partita::detail {

// The devices that a caller asks for; where nobody says how many accelerators there are, or how much memory they have,
// `own`, which the file says. Throws InputError where neither says how many. There is no host unless somebody asks for
// one.
PlatformSpec planner_devices(const PlatformOverrides& overrides, const std::optional<Platform>& own,
                             const std::string& source);

// A time on an accelerator, by class; hosts cannot run it. Precondition: `spec` outlives the result.
std::vector<double> accelerator_times(const PlatformSpec& spec, double time);

// The last of what every reader does: checks the graph, drops repeated edges, makes sums of memory exact. Throws
// InputError.
void finish_planner_file(Workload& workload, const std::string& source);

}  // namespace partita::detail
