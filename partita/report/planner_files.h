// SPDX-License-Identifier: Apache-2.0
// Workloads as the input files of other planners: PipeDream's graph.txt and Piper's JSON, without tensor parallelism.
// Reading one back gives the same workload where it says no more than they can.
#pragma once

#include <string>
#include <vector>

#include "partita/model/workload.h"

namespace partita::detail {

struct PlannerFile {
  std::string text;
  std::vector<std::string> notes;  // what is lost, a line each
};

// Both have sizes of transfers, not times: a node's `output_bytes`, or what its edges' cost comes to at this bandwidth
// in bytes per second. Throw InputError for a workload that they cannot say: see fuse_passes.
PlannerFile pipedream_file(const Workload& workload, double bandwidth);

// `microbatches`: of a batch, over which the exchange of weights is spread (mbsInBatch). The bandwidth is that of the
// platform's exchange of weights where it has one, and then `bandwidth` is not looked at.
PlannerFile piper_file(const Workload& workload, double bandwidth, int microbatches);

}  // namespace partita::detail
