// SPDX-License-Identifier: Apache-2.0
// What the times of operators are made of, for people who want to judge them: work, bytes, time, and where it comes
// from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/model/device_rates.h"
#include "partita/model/workload.h"
#include "partita/util/text_width.h"

namespace partita::detail {

struct ExplainOptions {
  std::optional<std::vector<NodeId>> nodes =
      {};                                     // all of these; nothing: those that take longest, kMostExplained of them
  IdVector<ClassId, DeviceRates> rates = {};  // what the platform's classes can do; empty: not known
  std::size_t width = kAnyWidth;
};

inline constexpr std::size_t kMostExplained = 20;

// One node as a list of facts; several as a table, the one that takes longest first, then all nodes by family and by
// source. Columns of which nothing is known are left out. Times are those of single nodes, whatever the split.
std::string explain_text(const Workload& workload, const ExplainOptions& options = {});

// What a node waits for on a class: the launch where that is half of its time or more, else arithmetic or memory,
// whichever would take longer at the device's peak.
enum class TimeBound { Compute, Memory, Launch };
const char* to_string(TimeBound bound);

// Nothing where its work, the class's rates or the unit of time are not known, and where it takes no time.
std::optional<TimeBound> bound_of(const Workload& workload, NodeId node, ClassId device_class,
                                  const IdVector<ClassId, DeviceRates>& rates);

// "4.09 GFLOP", "0 FLOP".
std::string flops_text(double flops);
// "12.3 us", in the unit that suits it; "12.3" where the workload's unit is not known.
std::string short_time_text(double time, const std::string& unit);

}  // namespace partita::detail
