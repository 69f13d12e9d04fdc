// SPDX-License-Identifier: Apache-2.0
// Branches that leave one group, or meet in one, each on an accelerator of its own; and small branches on hosts.
//
// Where accelerators are left over, or hold only what hosts could do as well, it may be worth while to run a few
// branches side by side: each pays for its transfers, and all together save their times but one. It takes all of them at
// once, so annealing, which moves one thing at a time, passes through splits that are worse by far. So each group of a
// split is tried as the end where branches meet. A branch goes on as long as nothing else comes in; the sources that
// only it reads go with it. If the group is in the block of its branches, it goes to the block before them, with what
// lies between. The accelerators with the fewest groups are emptied to hosts for the branches.
//
// Likewise a small branch that nobody waits for makes its block longer by as little as it takes, which annealing that is
// not cold does not see. So what a block holds behind a group, or before it, is tried on hosts, if it is little. One try
// costs what it moves (latency_value.h). Tests: tests/solve/latency_search_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/solve/latency/latency_places.h"
#include "partita/util/budget.h"

namespace partita::detail {

class LatencyFan {
 public:
  using Places = IdVector<NodeId, LatencyValue::Place>;

  // The instance must outlive it.
  explicit LatencyFan(const LatencyInstance& instance);

  // Now about fans and small branches in this split, and legal ones with a latency below this. For accelerators with one
  // subgraph in each pass.
  void begin(double latency, const Places& start);
  // Works until the slice ends or all have been looked at; true then. Throws OutOfTime.
  bool advance(Budget& slice);
  // The best one so far.
  const std::optional<Places>& best() const { return best_; }

 private:
  using Place = LatencyValue::Place;
  using Branch = std::vector<GroupId>;

  bool spread(GroupId end, bool down);
  bool leave(GroupId first, bool down);
  std::vector<Branch> branches_of(GroupId end, bool down, Place from) const;
  bool retreat(GroupId end, bool down, Place from);
  bool is_source(GroupId g, bool down) const { return next(g, !down).empty(); }
  std::span<const GroupId> next(GroupId g, bool down) const {
    return down ? instance_.group_successors[g] : instance_.group_predecessors[g];
  }

  const LatencyInstance& instance_;
  LatencyPlaces places_;
  double latency_ = 0;
  std::optional<Places> best_;
  std::size_t next_ = 0;      // group, direction, and what is tried
  std::vector<Place> spare_;  // slots that hosts could stand in for, those with the fewest groups first
};

}  // namespace partita::detail
