// SPDX-License-Identifier: Apache-2.0
// Free and contiguous splits: from a problem to groups, nets and devices, and back. Without a shape to keep there is no
// order: colour classes are the groups, and nothing else is contracted.
//
// There are any number of classes of devices, each with its own times, memory and link, and any transfer mode.
// For the device d of class c that holds the groups S, and a pass p (forward, backward),
//     compute_p = sum of time(c, v, p) over v in S,
//     in_p      = sum of the prices over link(c) of the transfers of pass p that S reads but does not produce,
//     out_p     = sum of the prices over link(c) of the transfers of pass p that S produces and others read too,
//     load      = sum over p of compute + in + out, max(compute, in + out) or max(compute, in, out), by the mode.
// Over a host's link everything is free. Where loads are sums the passes are one, but for gpipe. A transfer is paid by d if
// d holds some but not all of its net, and then it is `out` for the producer's device and `in` for every other; so
// there are the symmetric nets of NetGraph, and beside them, for each net, what moves along it and from where.
//
// Where all accelerators have one link, nets have the price over it in them, and link(c) adds nothing: factor 1 and no
// latency. Else they have what the edges say, and how many transfers they stand for (links.h).
//
// The plain question has one class of accelerators, one of hosts and loads that are sums: then the graph and the
// StagePlatform are all there is to know.
#pragma once

#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/group_weights.h"
#include "partita/reduce/net_graph.h"
#include "partita/util/csr.h"

namespace partita::detail {

struct NetTransfer {
  GroupId producer;
  std::size_t pass = 0;
  Traffic traffic;
};

struct FreeInstance {
  // The groups' memory, and nets with the cost of all that moves along them. Times are the least that any accelerator
  // and any host takes.
  NetGraph graph;
  IdVector<NodeId, GroupId> group_of;
  TransferMode mode = TransferMode::Sum;
  DeviceTable devices;
  std::vector<IdVector<GroupId, ClassTime>> time;  // by class of the table
  Csr<NetId, NetTransfer> moved;                   // along each net of the graph
  std::vector<Link> links;                         // by class of the table

  std::size_t class_count() const { return devices.classes().size(); }
  const DeviceTable::Class& device_class(std::size_t c) const { return devices.classes()[c]; }
  // What the devices of the class pay for transfers, of what the nets cost: nothing on hosts.
  const Link& link(std::size_t c) const { return links[c]; }
  double price_of(NetId e, std::size_t c) const;
  // Whether the number of transfers matters too, and not only their cost.
  bool counts_transfers() const;
  // May a device of the class hold the group at all: does it run all of it, is there memory?
  bool may_hold(std::size_t c, GroupId v) const {
    return time[c][v].can_run && graph.group(v).memory <= device_class(c).memory;
  }
  bool is_plain() const;
  // The devices of a plain question; numbers of devices are the same.
  StagePlatform stage_platform() const;
};

// For throughput, flat memory, no copies, no clusters. Groups keep the order of the trace. Near-linear.
FreeInstance make_free_instance(const Problem& problem);

// Any assignment of groups to devices.
struct FreeSplit {
  double value = 0;                       // the largest load
  IdVector<GroupId, DeviceId> device_of;  // devices are those of the table: accelerators from 0, then hosts
};

Split lift_free(const FreeInstance& instance, const FreeSplit& split);
// The other way: a split of the problem (a staged one, say) as a free split. Its value is left at 0.
FreeSplit to_free(const Problem& problem, const FreeInstance& instance, const Split& split);

}  // namespace partita::detail
