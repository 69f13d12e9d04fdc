// SPDX-License-Identifier: Apache-2.0
// Free and contiguous splits over any devices: from a problem to groups, nets and a fleet, and back.
//
// The plain question (free_instance.h) has one class of accelerators, one of hosts, and loads that are sums. A fleet
// has any number of classes, each with its own times, memory and link factor, and any transfer mode. For the device d
// of class c that holds the groups S, and a pass p (forward, backward),
//     compute_p = sum of time(c, v, p) over v in S,
//     in_p      = link(c) * sum of the costs of the transfers of pass p that S reads but does not produce,
//     out_p     = link(c) * sum of the costs of the transfers of pass p that S produces and others read too,
//     load      = sum over p of compute + in + out, max(compute, in + out) or max(compute, in, out), by the mode.
// A host's link factor counts as 0. Where loads are sums the passes are one, but for gpipe. A transfer is paid by d if
// d holds some but not all of its net, and then it is `out` for the producer's device and `in` for every other; so a
// fleet keeps the symmetric nets of NetGraph and beside them, for each net, what moves along it and from where.
#pragma once

#include <array>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/group_weights.h"
#include "partita/reduce/net_graph.h"
#include "partita/util/csr.h"

namespace partita {

// What a group takes on the devices of a class.
struct FleetTime {
  bool runs = true;  // if not, the times are 0 and mean nothing
  std::array<double, kPasses> pass{};

  double total() const { return pass[0] + pass[1]; }
};

struct FleetTransfer {
  GroupId producer;
  std::size_t pass = 0;
  double cost = 0;
};

// The devices, and what groups and nets are to them.
struct Fleet {
  TransferMode mode = TransferMode::Sum;
  DeviceTable devices;
  std::vector<IdVector<GroupId, FleetTime>> time;  // by class of the table
  Csr<NetId, FleetTransfer> moved;                 // along each net of the graph

  std::size_t class_count() const { return devices.classes().size(); }
  const DeviceTable::Class& device_class(std::size_t c) const { return devices.classes()[c]; }
  // What the devices of the class pay for transfers, as a factor of their cost: nothing on hosts.
  double link(std::size_t c) const { return device_class(c).host ? 0 : device_class(c).link_factor; }
  // May a device of the class hold the group at all: does it run all of it, is there memory?
  bool may_hold(std::size_t c, GroupId v, const NetGraph& graph) const {
    return time[c][v].runs && graph.group(v).memory <= device_class(c).memory;
  }
};

struct FleetInstance {
  // The groups' memory, and nets with the cost of all that moves along them. Times are the least that any accelerator
  // and any host takes.
  NetGraph graph;
  Fleet fleet;
  IdVector<NodeId, GroupId> group_of;
};

// For throughput, flat memory, no copies, no clusters. Groups keep the order of the trace. Near-linear.
FleetInstance make_fleet_instance(const Problem& problem);

// Devices of a free split are those of the table.
Split lift_free(const FleetInstance& instance, const FreeSplit& split);
// The other way. Its value is left at 0.
FreeSplit to_free(const Problem& problem, const FleetInstance& instance, const Split& split);

}  // namespace partita
