// SPDX-License-Identifier: Apache-2.0
// Which groups may change devices so that every device stays contiguous.
//
// Only edges between two forward nodes count, and with backward_shape those between two backward nodes: then one graph
// serves both parts, as no path leads from one to the other. Let the nodes S of a device be contiguous and G be the
// nodes of some groups.
//  - S without G is contiguous iff no node of G has both an ancestor and a descendant in S without G: any path that now
//    leaves and comes back goes through G, and the other way round.
//  - T = S + G is contiguous iff no successor of G outside T has a descendant in T, and no predecessor of G outside T
//    has an ancestor in T: a shortest path out and back runs outside T, so it begins or ends at G, as S is contiguous.
// Either is a few intersections of bit sets, O(neighbours of G * nodes / 64). Tests: tests/solve/contiguous_test.cpp.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "partita/model/problem.h"
#include "partita/util/bit_matrix.h"
#include "partita/util/csr.h"
#include "partita/util/ids.h"

namespace partita::detail {

class Contiguity {
 public:
  // Reachability takes nodes^2 / 4 bytes, so graphs larger than this are not for this class: 64 MiB.
  static constexpr std::size_t kMostNodes = 16'384;

  // Precondition: at most kMostNodes nodes. O(nodes * edges / 64).
  Contiguity(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, std::size_t devices);

  // Starts from this assignment, which must be contiguous.
  void reset(const IdVector<GroupId, DeviceId>& device_of);
  // Whether both devices are still contiguous once the groups, all of them on `from`, are on `to`.
  bool allows(std::span<const GroupId> groups, DeviceId from, DeviceId to);
  void move(GroupId v, DeviceId from, DeviceId to);

  // Groups next to v by an edge that counts, after it or before it.
  std::span<const GroupId> after(GroupId v) const { return after_[v]; }
  std::span<const GroupId> before(GroupId v) const { return before_[v]; }

 private:
  bool may_leave(DeviceId from, std::span<const GroupId> groups) const;
  bool may_enter(DeviceId to, std::span<const GroupId> groups);

  Csr<GroupId, NodeId> nodes_of_;
  Csr<NodeId, NodeId> successors_, predecessors_;
  Csr<GroupId, GroupId> after_, before_;
  BitMatrix descendants_, ancestors_;  // by node, without the node itself
  BitMatrix held_;                     // by device
  std::vector<Word> moving_;           // the nodes of the groups at hand
};

}  // namespace partita::detail
