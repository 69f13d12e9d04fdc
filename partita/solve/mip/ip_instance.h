// SPDX-License-Identifier: Apache-2.0
// The groups and nets that the integer programs are written on: as in net_graph.h, but with times and nets kept apart
// by pass where the objective or the transfer mode needs that, and with the producer of each net.
#pragma once

#include <array>
#include <vector>

#include "partita/model/problem.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/links.h"
#include "partita/solve/mip/formulation.h"

namespace partita::detail {

// Pass 0 is forward. Where the load of a device is one sum, both passes are counted as pass 0.
inline constexpr std::size_t kMostPasses = 2;

struct IpGroup {
  using Times = std::array<double, kMostPasses>;

  std::vector<Times> time;    // by class of the device table
  std::vector<char> runs_on;  // likewise: the class can run all of it
  double memory = 0;
};

struct IpNet {
  std::size_t pass = 0;  // of the producing node
  Traffic traffic;       // in the instance's unit of time
  GroupId producer;
  std::vector<GroupId> consumers;  // sorted, without the producer, at least one
};

struct IpInstance {
  Objective objective = Objective::MaxLoad;
  TransferMode transfers = TransferMode::Sum;
  std::size_t passes = 1;
  IdVector<GroupId, IpGroup> groups;
  std::vector<IpNet> nets;
  DeviceTable devices;
  double time_unit = 1;     // what the programs count times in
  double limit = kNoLimit;  // of a load, in that unit: more is of no interest
  double negligible = 0;    // smaller coefficients may be left out

  // A device of the class, by its number in the table, can run the group, hold it alone, and within the limit.
  bool fits(GroupId v, std::size_t device_class) const;
};

// `group_of` may be any grouping that keeps colour classes together. Nets that always cost together are added up.
IpInstance make_ip_instance(const Problem& problem, const IdVector<NodeId, GroupId>& group_of,
                            const FormulationOptions& options);

}  // namespace partita::detail
