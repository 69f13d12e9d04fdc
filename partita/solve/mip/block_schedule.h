// SPDX-License-Identifier: Apache-2.0
// The blocks of a split for latency, in the order in which they start: what a solution of the integer program says of
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/reduce/transfers.h"

namespace partita::detail {

struct BlockSchedule {
  struct Block {
    DeviceId accelerator;  // invalid: a host node by itself
    bool backward = false;
    double start = 0, finish = 0;
  };
  // By start; at one time, those first that others wait for.
  std::vector<Block> blocks;
  IdVector<NodeId, std::size_t> block_of;
};

// `device_of` by group, in the numbers of the device table; `subgraph_of` as in Split. Blocks in a circle, and behind
// one, start at the end in any order. Near-linear.
BlockSchedule schedule_blocks(const LatencyInstance& instance, const std::vector<Transfer>& transfers,
                              const IdVector<GroupId, DeviceId>& device_of,
                              const IdVector<NodeId, std::uint32_t>& subgraph_of);

}  // namespace partita::detail
