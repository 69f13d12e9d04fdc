// SPDX-License-Identifier: Apache-2.0
// What `partita plan` tells people at the end: the workload, how good the split is and why, and the table of devices.
#pragma once

#include <string>

#include "partita/model/problem.h"
#include "partita/partita.h"

namespace partita::app {

// Why a solve ended before its proof did.
enum class Stopped { No, Interrupted, OutOfTime };

// No table is wider than `width`.
std::string plan_report(const Problem& problem, const Plan& plan, Stopped stopped, std::size_t width);

}  // namespace partita::app
