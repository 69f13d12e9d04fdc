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
#include <string>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/net_graph.h"
#include "partita/util/csr.h"

namespace partita {

inline constexpr std::size_t kPasses = 2;

struct FleetClass {
  ClassId id;  // of the platform
  bool host = false;
  int count = 0;  // no more than there are groups: further ones would stay empty
  double memory = 0;
  double link = 1;        // 0 for hosts
  std::size_t first = 0;  // its first device
};

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

// The devices, and what groups and nets are to them. Devices are numbered class by class.
struct Fleet {
  TransferMode mode = TransferMode::Sum;
  std::vector<FleetClass> classes;
  IdVector<DeviceId, std::size_t> class_of;        // an index into `classes`
  std::vector<IdVector<GroupId, FleetTime>> time;  // by class
  Csr<NetId, FleetTransfer> moved;                 // along each net of the graph

  std::size_t device_count() const { return class_of.size(); }
  // May a device of the class hold the group at all: does it run all of it, is there memory?
  bool may_hold(std::size_t device_class, GroupId v, const NetGraph& graph) const {
    return time[device_class][v].runs && graph.group(v).memory <= classes[device_class].memory;
  }
};

struct FleetInstance {
  // The groups' memory, and nets with the cost of all that moves along them. Times are the least that any accelerator
  // and any host takes.
  NetGraph graph;
  Fleet fleet;
  IdVector<NodeId, GroupId> group_of;
};

// True if the plain solvers answer the question: at most one class of each kind, links at factor 1, loads that are
// sums.
bool is_plain(const Problem& problem);

// For throughput, flat memory, no copies, no clusters. Groups keep the order of the trace. Near-linear.
FleetInstance make_fleet_instance(const Problem& problem);

// Why no split can exist, where a single group or the memory in total shows it; else empty.
std::string find_contradiction(const Problem& problem, const FleetInstance& instance);

Split lift_free(const Problem& problem, const FleetInstance& instance, const FreeSplit& split);
// The other way: devices of one class are alike, so those in use get the class's first numbers. The value is left at 0.
FreeSplit to_free(const Problem& problem, const FleetInstance& instance, const Split& split);

}  // namespace partita
