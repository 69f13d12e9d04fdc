// SPDX-License-Identifier: Apache-2.0
// What groups of nodes weigh, whatever the solver: the times on each class of devices, by pass, and what moves between
// the groups. Each instance picks from these what its solver needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "partita/model/graph.h"
#include "partita/reduce/links.h"
#include "partita/util/ids.h"

namespace partita::detail {

inline constexpr std::size_t kPasses = 2;  // forward, backward

// Where a load is one sum over both passes, all counts as the first: more nets are equal then.
enum class Passes { AsOne, Apart };

// What a group takes on one class of devices.
struct ClassTime {
  std::array<double, kPasses> pass{};  // means nothing where it cannot run
  double recompute = 0;                // more, where the stage recomputes its activations
  bool can_run = true;

  double total() const { return pass[0] + pass[1]; }
};

// Groups are numbered below `groups`; `group_of` may be any grouping. A class that is not valid can run nothing.
IdVector<GroupId, ClassTime> times_on(ClassId device_class, const Graph& graph,
                                      const IdVector<NodeId, GroupId>& group_of, std::size_t groups, Passes passes);
IdVector<GroupId, double> memory_of(const Graph& graph, const IdVector<NodeId, GroupId>& group_of, std::size_t groups);

struct GroupTransfer {
  Traffic traffic;
  GroupId producer;
  std::uint8_t pass = 0;         // of the producing node
  std::vector<GroupId> members;  // the producer first, then its consumers; a group may be there several times
};

// In the order of the producing nodes.
std::vector<GroupTransfer> group_transfers(const Graph& graph, const IdVector<NodeId, GroupId>& group_of,
                                           Passes passes);

}  // namespace partita::detail
