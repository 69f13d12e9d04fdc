// SPDX-License-Identifier: Apache-2.0
// What `partita plan` tells people at the end: the workload, how good the split is and why, and the table of devices.
#pragma once

#include <string>

#include "partita/model/problem.h"
#include "partita/partita.h"
#include "partita/util/text_width.h"

namespace partita::detail::app {

// Why a solve ended before its proof did.
enum class Stopped { No, Interrupted, OutOfMemory, OutOfTime };

struct PlanReportOptions {
  Stopped stopped = Stopped::No;
  double gap = 0;                 // what was asked for
  bool searched = true;           // else the split comes from a solution file
  bool technical = false;         // also the proof in the words of the algorithms
  std::size_t width = kAnyWidth;  // no table is wider
};

std::string plan_report(const Problem& problem, const Plan& plan, const PlanReportOptions& options);

}  // namespace partita::detail::app
