// SPDX-License-Identifier: Apache-2.0
// Can these blocks be put in order? Either an order that takes every arc forward, or a circle that proves there is
// none.
#pragma once

#include <optional>
#include <vector>

#include "partita/check/crossings.h"

namespace partita::detail {

struct BlockArc {
  BlockId from;
  BlockId to;
  std::optional<std::size_t> edge;  // the graph's edge that causes it, where one does
  bool mirrored = false;            // the arc runs against that edge
};

struct BlockOrder {
  std::vector<BlockId> order;    // all blocks, or empty if there is a circle
  std::vector<BlockArc> circle;  // each arc starts where the one before ends, the first where the last ends
};

// Of the blocks that could come next, the one with the smallest id does. The circle is a shortest one through one of
// its blocks, told from its smallest id on. O((blocks + arcs) log blocks). Precondition: no arc from a block to itself.
BlockOrder order_blocks(std::size_t block_count, const std::vector<BlockArc>& arcs);

}  // namespace partita::detail
