// SPDX-License-Identifier: Apache-2.0
// An answer: which device holds each node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partita/model/platform.h"
#include "partita/util/ids.h"

namespace partita {

struct Split {
  IdVector<NodeId, DeviceId> device_of;
  // Staged splits: the devices that hold something, in pipeline order. Empty where the shape has no order.
  std::vector<DeviceId> order;
  // Latency with several subgraphs on an accelerator: in which of the subgraphs of its device and pass each node is, by
  // the order in which they run, from 0 on; of no meaning on a host. Empty: one subgraph in each pass.
  IdVector<NodeId, std::uint32_t> subgraph_of = {};
  // Replication: which device's nodes each device runs a copy of; itself where it has its own. Empty: no copies. A copy
  // has no nodes of its own, and what it copies is no copy.
  IdVector<DeviceId, DeviceId> copy_of = {};
  // Which devices drop activations and compute them again; a copy does as its original. Empty: none.
  IdVector<DeviceId, char> recomputes = {};
};

// A split as a file lists it: original ids, not yet matched with a graph, so possibly wrong in every way.
struct SplitListing {
  struct Device {
    DeviceKind kind = DeviceKind::Accelerator;
    std::string name;
    std::vector<std::int64_t> node_ids;
    std::optional<double> claimed_load = std::nullopt;  // what the file says, if it says
    // Latency: the same nodes by subgraph, in the order in which the device runs them. Empty: one subgraph in that
    // pass.
    std::vector<std::vector<std::int64_t>> subgraphs = {};
    std::vector<std::vector<std::int64_t>> backward_subgraphs = {};
    std::optional<std::size_t> copy_of = std::nullopt;  // an index into `devices`; a copy lists no nodes
    bool recomputes = false;
  };
  std::vector<Device> devices;  // accelerators and hosts in any order; the i-th of a kind is that kind's device i
  std::optional<double> claimed_value;  // what the file says the split costs, if it says
  std::vector<std::size_t> order;       // indices into `devices` in pipeline order, if the file says
};

}  // namespace partita
