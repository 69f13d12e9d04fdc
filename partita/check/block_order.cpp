// SPDX-License-Identifier: Apache-2.0
#include "partita/check/block_order.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "partita/util/csr.h"

namespace partita::detail {
namespace {

Csr<BlockId, BlockArc> arcs_by(BlockId BlockArc::*end, std::size_t block_count, const std::vector<BlockArc>& arcs) {
  std::vector<std::pair<BlockId, BlockArc>> pairs;
  pairs.reserve(arcs.size());
  for (const BlockArc& arc : arcs) pairs.emplace_back(arc.*end, arc);
  return {block_count, pairs};
}

// A block on a circle: among blocks that each have a predecessor among them, walking back must come round.
BlockId block_on_circle(std::size_t block_count, const std::vector<BlockArc>& arcs,
                        const IdVector<BlockId, std::size_t>& open_inputs) {
  const Csr<BlockId, BlockArc> arcs_in = arcs_by(&BlockArc::to, block_count, arcs);
  const auto left = [&](BlockId b) { return open_inputs[b] > 0; };
  BlockId at;
  for (BlockId b : open_inputs.all()) {
    if (left(b)) at = b;
  }
  IdVector<BlockId, bool> seen(block_count, false);
  while (!seen[at]) {
    seen[at] = true;
    for (const BlockArc& arc : arcs_in[at]) {
      if (left(arc.from)) {
        at = arc.from;
        break;
      }
    }
  }
  return at;
}

// Breadth first from `start` until an arc comes back to it.
std::vector<BlockArc> shortest_circle(BlockId start, std::size_t block_count, const Csr<BlockId, BlockArc>& arcs_out) {
  IdVector<BlockId, const BlockArc*> reached_by(block_count, nullptr);
  std::queue<BlockId> queue({start});
  while (!queue.empty()) {
    const BlockId block = queue.front();
    queue.pop();
    for (const BlockArc& arc : arcs_out[block]) {
      if (reached_by[arc.to]) continue;
      reached_by[arc.to] = &arc;
      if (arc.to != start) {
        queue.push(arc.to);
        continue;
      }
      std::vector<BlockArc> circle{arc};
      for (BlockId at = arc.from; at != start; at = reached_by[at]->from) circle.push_back(*reached_by[at]);
      std::reverse(circle.begin(), circle.end());
      return circle;
    }
  }
  return {};
}

}  // namespace

BlockOrder order_blocks(std::size_t block_count, const std::vector<BlockArc>& arcs) {
  const Csr<BlockId, BlockArc> arcs_out = arcs_by(&BlockArc::from, block_count, arcs);
  IdVector<BlockId, std::size_t> open_inputs(block_count, 0);  // arcs from blocks that are not in the order yet
  for (const BlockArc& arc : arcs) ++open_inputs[arc.to];
  std::priority_queue<BlockId, std::vector<BlockId>, std::greater<>> ready;
  for (BlockId b : open_inputs.all()) {
    if (open_inputs[b] == 0) ready.push(b);
  }
  BlockOrder result;
  while (!ready.empty()) {
    const BlockId block = ready.top();
    ready.pop();
    result.order.push_back(block);
    for (const BlockArc& arc : arcs_out[block]) {
      if (--open_inputs[arc.to] == 0) ready.push(arc.to);
    }
  }
  if (result.order.size() < block_count) {
    result.order.clear();
    result.circle = shortest_circle(block_on_circle(block_count, arcs, open_inputs), block_count, arcs_out);
    const auto first = std::min_element(result.circle.begin(), result.circle.end(),
                                        [](const BlockArc& a, const BlockArc& b) { return a.from < b.from; });
    std::rotate(result.circle.begin(), first, result.circle.end());
  }
  return result;
}

}  // namespace partita::detail
