// SPDX-License-Identifier: Apache-2.0
// Where the times of a workload come from, and how much of them from where: how far to believe a plan.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "partita/model/workload.h"

namespace partita::detail {

// What a node counts for where times of several classes are added up: its time on the class that is quickest for it, of
// those that have devices. Not infinite, unless it runs on none of these.
double least_time(const Node& node, const Platform& platform);

struct SourceShare {
  CostSource source = CostSource::Given;
  std::size_t nodes = 0;
  double time = 0;   // the sum of their least times
  double share = 0;  // of the least times of all nodes; 0 where these add up to nothing
};

// Of the sources that some node has, the largest time first.
std::vector<SourceShare> source_shares(const Workload& workload);

// "calibrated 87 % of the time, default 13 %"; empty where nobody estimated or measured anything: all times are given.
std::string describe_sources(const Workload& workload);

// What to know where much of the time is of operators that are not known.
std::optional<std::string> unknown_operators(const Workload& workload);

// "87 %", "less than 1 %": whole, but never 0 of what is more, nor 100 of what is less.
std::string share_text(double share);

}  // namespace partita::detail
