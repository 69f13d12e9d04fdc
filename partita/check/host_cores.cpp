// SPDX-License-Identifier: Apache-2.0
#include "partita/check/host_cores.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <utility>

#include "partita/util/csr.h"

namespace partita::detail {
namespace {

using Followers = Csr<BlockId, BlockId>;

Followers followers_of(std::size_t block_count, const std::vector<BlockArc>& arcs) {
  std::vector<std::pair<BlockId, BlockId>> pairs;
  pairs.reserve(arcs.size());
  for (const BlockArc& arc : arcs) pairs.emplace_back(arc.from, arc.to);
  return {block_count, pairs};
}

// From the start of each block to the end, with cores enough.
IdVector<BlockId, double> ways_to_the_end(const IdVector<BlockId, double>& duration, const Followers& followers,
                                          const std::vector<BlockId>& order) {
  IdVector<BlockId, double> way(duration.size(), 0);
  for (auto b = order.rbegin(); b != order.rend(); ++b) {
    for (BlockId next : followers[*b]) way[*b] = std::max(way[*b], way[next]);
    way[*b] += duration[*b];
  }
  return way;
}

class Cores {
 public:
  Cores(const IdVector<BlockId, ScheduleStep>& steps, const IdVector<BlockId, double>& duration,
        const Followers& followers, const IdVector<BlockId, double>& way, std::size_t cores)
      : steps_(steps),
        duration_(duration),
        followers_(followers),
        open_(steps.size(), 0),
        ready_([this, &way](BlockId a, BlockId b) {
          if (way[a] != way[b]) return way[a] < way[b];
          return steps_[b].node < steps_[a].node;
        }),
        free_(cores) {
    for (BlockId b : steps.all()) {
      for (BlockId next : followers[b]) ++open_[next];
    }
  }

  std::vector<ScheduleStep> run() {
    std::vector<BlockId> first;
    for (BlockId b : open_.all()) {
      if (open_[b] == 0) first.push_back(b);
    }
    for (BlockId b : first) settle(b, 0);
    for (double now = 0;; now = running_.top().first) {
      while (!running_.empty() && running_.top().first <= now) {
        const BlockId b = running_.top().second;
        running_.pop();
        if (steps_[b].node.valid()) ++free_;
        settle_followers(b, now);
      }
      for (; free_ > 0 && !ready_.empty(); --free_) {
        start(ready_.top(), now);
        ready_.pop();
      }
      if (running_.empty()) break;
    }
    assert(schedule_.size() == steps_.size());
    return std::move(schedule_);
  }

 private:
  void start(BlockId b, double now) {
    schedule_.push_back(steps_[b]);
    schedule_.back().start = now;
    schedule_.back().finish = now + duration_[b];
    running_.emplace(now + duration_[b], b);
  }

  // All that `b` waits for is finished.
  void settle(BlockId b, double now) {
    std::vector<BlockId> pending{b};
    while (!pending.empty()) {
      const BlockId block = pending.back();
      pending.pop_back();
      if (duration_[block] > 0) {
        if (steps_[block].node.valid()) {
          ready_.push(block);
        } else {
          start(block, now);
        }
        continue;
      }
      schedule_.push_back(steps_[block]);
      schedule_.back().start = schedule_.back().finish = now;
      for (BlockId next : followers_[block]) {
        if (--open_[next] == 0) pending.push_back(next);
      }
    }
  }

  void settle_followers(BlockId b, double now) {
    for (BlockId next : followers_[b]) {
      if (--open_[next] == 0) settle(next, now);
    }
  }

  using Finish = std::pair<double, BlockId>;

  const IdVector<BlockId, ScheduleStep>& steps_;
  const IdVector<BlockId, double>& duration_;
  const Followers& followers_;
  IdVector<BlockId, std::size_t> open_;  // arcs from blocks that have not finished
  std::priority_queue<Finish, std::vector<Finish>, std::greater<>> running_;
  std::priority_queue<BlockId, std::vector<BlockId>, std::function<bool(BlockId, BlockId)>> ready_;  // for a core
  std::size_t free_;
  std::vector<ScheduleStep> schedule_;
};

}  // namespace

std::vector<ScheduleStep> share_host_cores(const IdVector<BlockId, ScheduleStep>& steps,
                                           const IdVector<BlockId, double>& duration, const std::vector<BlockArc>& arcs,
                                           const std::vector<BlockId>& order, std::size_t cores) {
  const Followers followers = followers_of(steps.size(), arcs);
  const IdVector<BlockId, double> way = ways_to_the_end(duration, followers, order);
  return Cores(steps, duration, followers, way, cores).run();
}

}  // namespace partita::detail
