// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/label_blocks.h"

#include <algorithm>
#include <iterator>
#include <queue>
#include <span>
#include <utility>

#include "partita/reduce/never.h"
#include "partita/solve/latency/pair_times.h"

namespace partita::detail {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1), kOnHost = kNowhere - 1;  // besides numbers of blocks

}  // namespace

std::vector<std::vector<NodeId>> blocks_of_labels(const BlockModel& model, const NodeReach& reach,
                                                  const EdgeLabels& labels, double bound, double toll, std::size_t most,
                                                  std::uint64_t& ticks) {
  struct Open {
    double time;
    NodeId node;
    bool operator<(const Open& other) const { return std::pair(time, node) < std::pair(other.time, other.node); }
  };
  const LatencyInstance& instance = model.instance();
  std::vector<double> levels(1, 0);
  for (const double label : labels) {
    if (label < kNever) levels.push_back(label);
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());

  KnownPairTimes known;
  BlockFinish finish(model, reach, false, toll);
  finish.look_at_pairs(reach, known);
  std::vector<NodeId> set;
  finish.record(&set);
  const auto start_of = [&](NodeId v) {
    double start = 0;
    for (const auto& [p, e] : model.edges_in(v)) start = std::max(start, labels[e]);
    return start;
  };
  std::priority_queue<Open> open;  // the latest first
  for (NodeId v : instance.order) {
    if (model.edges_out(v).empty()) open.push({start_of(v), v});
  }
  std::vector<std::vector<NodeId>> blocks;
  IdVector<NodeId, std::size_t> block_of(model.node_count(), kNowhere);
  IdVector<NodeId, double> start_by(model.node_count(), bound);  // of those that have a place
  const auto put = [&](const std::vector<NodeId>& nodes, std::size_t block, double start) {
    for (NodeId v : nodes) {
      block_of[v] = block;
      start_by[v] = start;
    }
    for (NodeId v : nodes) {
      for (const auto& [p, e] : model.edges_in(v)) {
        if (block_of[p] == kNowhere && labels[e] < kNever) open.push({labels[e], p});
      }
    }
  };
  while (!open.empty()) {
    const NodeId u = open.top().node;
    open.pop();
    if (block_of[u] != kNowhere) continue;
    double done_by = bound;
    NodeId without;
    for (const auto& [w, e] : model.edges_out(u)) {
      if (block_of[w] == kNowhere || (without.valid() && start_by[w] >= done_by)) continue;
      done_by = std::min(done_by, start_by[w]);
      without = w;
    }
    const double host_time = instance.nodes[u].host_time;
    const double on_host = model.on_host(u) ? start_of(u) + host_time : kNever;
    std::vector<NodeId> block;
    const auto add_unplaced = [&](std::span<const NodeId> nodes) {
      std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(block),
                   [&](NodeId v) { return block_of[v] == kNowhere; });
    };
    set.clear();
    if (on_host > done_by) finish.least({u, without, on_host}, labels, levels, ticks);
    if (set.empty()) {
      put({u}, kOnHost, done_by - host_time);
      add_unplaced(instance.members[instance.nodes[u].group]);
      for (NodeId v : block) put({v}, kOnHost, start_of(v));
      continue;
    }
    add_unplaced(set);
    for (NodeId v : block) block_of[v] = blocks.size();
    double start = 0;
    for (NodeId v : block) {
      for (const auto& [p, e] : model.edges_in(v)) {
        if (block_of[p] != blocks.size()) start = std::max(start, labels[e]);
      }
    }
    put(block, blocks.size(), start);
    blocks.push_back(std::move(block));
    if (blocks.size() > most) return {};
  }
  return blocks;
}

}  // namespace partita::detail
