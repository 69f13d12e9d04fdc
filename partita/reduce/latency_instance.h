// SPDX-License-Identifier: Apache-2.0
// From a problem to what the time of one sample depends on, and back.
//
// Colour classes share a device, so groups are what a split moves; but subgraphs are made of nodes: an accelerator runs
// the forward nodes of its groups as one block and the backward nodes as another, and a host runs every node by itself.
// So this form has both levels: groups with memory and support, nodes with times, order and transfers.
#pragma once

#include <vector>

#include "partita/model/problem.h"
#include "partita/reduce/free_instance.h"
#include "partita/util/csr.h"

namespace partita {

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

  FreeInstance classes;  // groups: their weights, the devices, and which group each node is in
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
  IdVector<NetId, double> net_cost;  // positive
  IdVector<NetId, NodeId> net_producer;
  Csr<NetId, NodeId> net_members;  // the producer too
  Csr<NodeId, NetId> nets_of;

  // How groups follow each other if all accelerators were stages of a pipeline: forward edges as they are, edges of the
  // backward pass turned round. Groups in a circle are in one item; edges go to items with smaller numbers. Any
  // segments of an order of the items, put on accelerators, make a legal split.
  Csr<GroupId, GroupId> group_successors, group_predecessors;
  IdVector<GroupId, std::size_t> item_of;
  std::size_t item_count = 0;

  std::size_t size() const { return nodes.size(); }
  std::size_t group_count() const { return classes.graph.size(); }
  const Group& group(GroupId g) const { return classes.graph.group(g); }
  int accelerators() const { return classes.platform.accelerators; }
  double memory_limit() const { return classes.platform.accelerator_memory; }
};

// Near-linear. Throws InputError(Unsupported) as platform_kinds does.
LatencyInstance make_latency_instance(const Problem& problem);

// A split for latency: which accelerator holds each group, or none: then it is on a host, and it does not matter which
// one.
struct LatencySplit {
  double value = 0;
  IdVector<GroupId, DeviceId> accelerator_of;  // invalid: on a host
  // Several subgraphs on an accelerator: which of those of its pass each node is in, as in Split. Else empty.
  IdVector<NodeId, std::uint32_t> subgraph_of = {};
};

// Deals the groups on hosts out to the hosts by memory, largest first. False if they do not fit in this way.
bool fits_hosts(const LatencyInstance& instance, const IdVector<GroupId, DeviceId>& accelerator_of);
// Needs fits_hosts().
Split lift_latency(const Problem& problem, const LatencyInstance& instance, const LatencySplit& split);
// The other way: a split of the problem (a staged one, say) as a split for latency, which may be illegal. Its value is
// left at 0.
LatencySplit to_latency(const Problem& problem, const LatencyInstance& instance, const Split& split);

}  // namespace partita
