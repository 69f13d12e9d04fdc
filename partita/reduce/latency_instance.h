// SPDX-License-Identifier: Apache-2.0
// From a problem to what the time of one sample depends on, and back.
//
// Colour classes share a device, so groups are what a split moves; but subgraphs are made of nodes: an accelerator runs
// the forward nodes of its groups as one block and the backward nodes as another, and a host runs every node by itself.
// So this form has both levels: groups with memory and support, nodes with times, order and transfers.
//
// **Several classes of accelerators.** What a search measures is exact: times, support, memory and link of the
// class that a device is of. What bounds read (groups, nodes, platform, net_cost) is a relaxation in which all
// accelerators are alike: every node has the least time of the classes that may hold its group, every net the least
// price over any of their links, every accelerator the largest memory. A legal split of the problem is a legal split of the relaxation:
// the blocks and what waits for what are the same, and memory and support ask for less. Each block takes no longer
// there, so neither does the longest path. Hence a bound for all splits of the relaxation holds for all splits, and
// whatever is true of all its splits below some value is true of all splits below it. One block by itself is all of one
// class, so bounds on single blocks may also take the least over the `views`, the relaxations to one class each, which
// is more.
//
// **Several classes of hosts.** Host nodes never wait for each other, so a group that goes to a host goes to the class
// on which it takes least in all. Bounds take the least time of each node. The two differ only for groups of several
// nodes of which no class is the fastest for each (host_choice_open).
#pragma once

#include <vector>

#include "partita/model/problem.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/net_graph.h"
#include "partita/util/csr.h"

namespace partita::detail {

struct LatencyNode {
  double accelerator_time = 0;  // 0 where its group cannot run there
  double host_time = 0;
  GroupId group;
  bool backward = false;
  // What it costs to move the output, if all successors get it in one transfer. Else `own_transfers` is set, and each
  // edge has a cost of its own.
  double cost = 0;
  bool own_transfers = false;
};

struct LatencyInstance {
  struct Arc {
    NodeId to;
    double cost = 0;  // of moving the producer's output
  };

  IdVector<GroupId, Group> groups;  // their times are of no use here
  IdVector<NodeId, GroupId> group_of;
  StagePlatform platform;
  DeviceTable devices;  // accelerators are numbered as here, and hosts after them
  double total_memory = 0;
  IdVector<NodeId, LatencyNode> nodes;
  Csr<GroupId, NodeId> members;
  Csr<NodeId, Arc> arcs;                         // out of each node, as many as the input has
  Csr<NodeId, NodeId> successors, predecessors;  // each neighbour once
  std::vector<NodeId> order;                     // topological
  bool has_backward = false;
  int subgraphs = 1;               // how many blocks an accelerator may run in each pass
  bool strict_host_cores = false;  // host nodes wait for one of the cores
  int cores = 0;                   // as many as there are hosts

  // What moves as one: the producer and its consumers. The load of a block S is its nodes' times plus the costs of the
  // nets that have members inside and outside, for a net cut by S is paid once, as out or as in.
  IdVector<NetId, double> net_cost;       // the least price of any accelerator; positive but where links are free
  IdVector<NetId, double> net_base_cost;  // as the edges have it; positive. A net is one transfer
  IdVector<NetId, NodeId> net_producer;
  Csr<NetId, NodeId> net_members;  // the producer too
  Csr<NodeId, NetId> nets_of;

  // How groups follow each other if all accelerators were stages of a pipeline: forward edges as they are, edges of the
  // backward pass turned round. Groups in a circle are in one item; edges go to items with smaller numbers. Any
  // segments of an order of the items, put on accelerators, make a legal split.
  Csr<GroupId, GroupId> group_successors, group_predecessors;
  IdVector<GroupId, std::size_t> item_of;
  std::size_t item_count = 0;

  // By class of the device table: the time of each node, 0 where its group cannot run there; and which groups it may
  // hold.
  std::vector<IdVector<NodeId, double>> class_time;
  std::vector<IdVector<GroupId, char>> class_holds;
  IdVector<GroupId, std::size_t> host_class;  // where the group goes if it goes to a host
  bool host_choice_open = false;              // some group might better go to another class
  // As if all accelerators were of one class, by class; empty if they are.
  std::vector<LatencyInstance> views;
  bool is_view = false;
  std::size_t view_of = 0;  // the class

  std::size_t size() const { return nodes.size(); }
  std::size_t group_count() const { return groups.size(); }
  const Group& group(GroupId g) const { return groups[g]; }
  int accelerators() const { return platform.accelerators; }
  double memory_limit() const { return platform.accelerator_memory; }
  // Exact, and nothing else is.
  bool equal_accelerators() const { return devices.accelerator_classes() <= 1; }
  bool may_hold(DeviceId d, GroupId g) const { return class_holds[devices.class_number(d)][g]; }
  double time(NodeId v, DeviceId d) const { return class_time[devices.class_number(d)][v]; }
};

// Near-linear. Throws InputError(Unsupported) for clusters, copies of stages and memory models.
LatencyInstance make_latency_instance(const Problem& problem);

// A split for latency: which accelerator holds each group, or none: then it is on a host of its host_class, and it does
// not matter which one.
struct LatencySplit {
  double value = 0;
  IdVector<GroupId, DeviceId> accelerator_of;  // invalid: on a host
  // Several subgraphs on an accelerator: which of those of its pass each node is in, as in Split. Else empty.
  IdVector<NodeId, std::uint32_t> subgraph_of = {};
};

// Deals the groups on hosts out to the hosts by memory, largest first. False if they do not fit in this way.
bool fits_hosts(const LatencyInstance& instance, const IdVector<GroupId, DeviceId>& accelerator_of);
// Needs fits_hosts().
Split lift_latency(const LatencyInstance& instance, const LatencySplit& split);
// The other way: a split of the problem (a staged one, say) as a split for latency, which may be illegal. Groups on
// hosts may change their host. Its value is left at 0.
LatencySplit to_latency(const Problem& problem, const LatencyInstance& instance, const Split& split);

}  // namespace partita::detail
