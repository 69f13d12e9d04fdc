// SPDX-License-Identifier: Apache-2.0
// What a certificate speaks of, in integers: groups (colour classes, at first),
// transfers between them, and the order that sets of them have to be convex in.
//
// Loads are in units of limit / 2^40, rounded down and one taken off, so that a set within the limit is within the
// integer limit 2^40 + 1 whatever the rounding of the scaling; memory likewise in units of a device's memory / 2^40.
//
// The order. Contiguous: each forward node is a point, and each edge between two of them an arc; the same for backward
// nodes where the question asks for their shape (shape.h). In a contiguous split every device holds a convex set of
// them. Staged: each colour class is a point, as all of it is on one device; arcs are the edges that some order of the
// devices takes forward. With the labels before, in and after by that order, each device's set is convex. Cycles are
// allowed: what is on one is on one device.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partita/check/point_order.h"
#include "partita/model/certificate.h"
#include "partita/model/problem.h"
#include "partita/util/ids.h"

namespace partita::detail {

inline constexpr std::int64_t kLoadUnits = std::int64_t{1} << 40;
inline constexpr std::int64_t kLoadLimit = kLoadUnits + 1;

struct ClaimInstance {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // On the devices of a class.
  struct GroupOn {
    std::int64_t load = 0;
    std::int64_t memory = 0;  // 0 where there is nothing to charge for
    bool may_be_held = true;
  };
  struct Group {
    std::int64_t node = 0;    // original id of its first node
    std::vector<GroupOn> on;  // as `devices`
  };
  using TransferName = std::pair<std::int64_t, std::optional<std::int64_t>>;
  struct Transfer {
    std::vector<std::int64_t> load;    // as `devices`; 0 on hosts
    std::vector<std::size_t> members;  // groups, sorted, at least two
    std::vector<TransferName> names;   // producer, and consumer where the producer's edges differ in cost
  };

  std::vector<ClassId> devices;  // classes that have any
  std::vector<Group> groups;     // by their first nodes in the workload
  std::vector<Transfer> transfers;
  IdVector<NodeId, std::size_t> group_of;          // kNone: removed
  std::unordered_map<std::int64_t, NodeId> by_id;  // original ids
  IdVector<NodeId, std::size_t> point_of;          // kNone: in no order
  std::size_t points = 0;
  std::vector<PointOrder::Arc> arcs;
  PointOrder order;      // of them, once they stay as they are
  bool refuted = false;  // a step has shown that no split is within the limit

  // Nothing where the workload has no such node, or it was removed.
  std::optional<std::size_t> group_of_id(std::int64_t id) const;
};

// Of the whole workload, for the certificate's limit, shape and weights, without the order's closure.
ClaimInstance claim_instance(const Problem& problem, const Certificate& certificate);

}  // namespace partita::detail
