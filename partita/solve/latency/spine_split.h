// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "partita/reduce/latency_instance.h"

namespace partita::detail {

// A split in which these blocks (spine_bound.h), as far as possible, are what accelerators run: a start for a search.
// It need not be legal, but for support where there is a choice. A group follows the first block that holds one of its
// nodes; a group in no block follows its neighbours if it has an accelerator both above and below it, or only on one
// side, and is on a host otherwise.
LatencySplit split_from_blocks(const LatencyInstance& instance, const std::vector<std::vector<NodeId>>& blocks);

}  // namespace partita::detail
