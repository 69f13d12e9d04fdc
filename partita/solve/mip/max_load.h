// SPDX-License-Identifier: Apache-2.0
// The paper's integer program for throughput, on colour classes: free and contiguous splits.
//
// x[v,d] = 1: group v is on device d. Each group is on one device; loads and memory as in load_rows.h.
//
// **Contiguous.** A device's nodes are contiguous iff no path leaves them and comes back. For each node v and device d
// a column z[v,d] in [0, 1] with
//     z[v,d] >= x[v,d],     z[v,d] <= z[u,d],     z[v,d] <= 1 + x[v,d] - x[u,d]     for each edge (u, v).
// z can be 1 exactly on the nodes from which d's set can be reached: the last row says that a node just outside the
// set, fed from it, is none of them. The z need not be whole numbers. They belong to nodes, not to groups, for a path
// may enter a colour class at one node and leave it at another; x[v,d] is then that of v's group. As the shape is asked
// of the forward part, only forward nodes and the edges among them have these rows; with backward_shape the backward
// nodes have them too, by themselves.
//
// **Symmetry.** Devices of a class are interchangeable. Rank the groups by time, longest first, and number the devices
// of a class by the first rank they hold, empty ones last. So device i holds no group of rank below i, and
//     x[v,i] <= sum of x[w,i-1] over the groups w of smaller rank.
// These rows hold for every rank, whether or not other ranks have them. They are written for the first ranks only: for
// all of them they have n^2 entries per device and slow the linear programs down more than they save.
//
// Reference: [Tarnawski-NeurIPS'20], sections on throughput and on contiguity. We differ in that colour classes are one
// group, nets with equal members are one net, equal devices are ordered, and hosts too must be contiguous. Tests:
// tests/mip/formulation_test.cpp, tests/mip/solve_ip_test.cpp.
#pragma once

#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/ip_instance.h"
#include "partita/solve/mip/load_rows.h"

namespace partita {

class MaxLoadFormulation : public Formulation {
 public:
  // The shape is contiguous or free. O(devices * (nodes + edges)).
  MaxLoadFormulation(const Problem& problem, const FormulationOptions& options);

  Split decode(std::span<const double> x) const override;
  std::vector<double> encode(const Split& split) const override;

 private:
  // The nodes of one pass, the edges among them, and z[v,d] for each device.
  struct ContiguousPart {
    bool backward = false;
    std::vector<std::pair<NodeId, NodeId>> edges;
    IdVector<DeviceId, IdVector<NodeId, ColumnId>> z;
  };
  const DeviceTable& devices() const { return instance_.devices; }
  std::string device_name(DeviceId d) const;

  void rank_groups();
  void add_assignment();
  void add_symmetry(std::size_t ranks_per_device);
  void add_contiguous_part(bool backward);
  IdVector<GroupId, DeviceId> numbered_by_rank(const IdVector<GroupId, DeviceId>& device_of) const;

  const Problem& problem_;
  IdVector<NodeId, GroupId> group_of_;
  IpInstance instance_;
  std::vector<GroupId> by_rank_;
  IdVector<DeviceId, IdVector<GroupId, ColumnId>> x_;  // invalid where the group cannot be there
  std::unique_ptr<LoadRows> loads_;
  std::vector<ContiguousPart> parts_;
};

}  // namespace partita
