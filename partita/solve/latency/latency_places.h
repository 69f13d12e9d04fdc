// SPDX-License-Identifier: Apache-2.0
// Where groups and nodes are while a search moves them: lists of who is where and who is at a border, kept up beside
// the value (latency_value.h), with undo. A group is said to be where its first node is; its others may be in other
// slots of the same accelerator. Tests: tests/solve/latency_search_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/solve/latency/latency_value.h"

namespace partita::detail {

class LatencyPlaces {
 public:
  using Place = LatencyValue::Place;

  // The instance must outlive it.
  explicit LatencyPlaces(const LatencyInstance& instance);

  // Every node must stand where it can run, the nodes of a group on one device.
  void start(const IdVector<NodeId, Place>& place);
  IdVector<NodeId, Place> all() const;

  const LatencyValue& value() const { return value_; }
  const LatencyValue::Measure& measure() { return value_.measure(); }
  Place place(GroupId g) const { return place_[g.index()]; }
  bool on_host(GroupId g) const { return place(g) == value_.host(); }
  bool can_be(GroupId g, Place to) const;
  std::span<const GroupId> neighbours(GroupId g) const { return neighbours_[g]; }
  // All groups on the accelerator that the slot is of, in no order.
  const std::vector<GroupId>& groups_on(Place slot) const {
    return on_[static_cast<std::size_t>(value_.accelerator(slot))];
  }
  // Groups with neighbours elsewhere, in no order.
  const std::vector<GroupId>& border() const { return border_; }

  void set(GroupId g, Place to);             // all its nodes
  void move_node(NodeId v, Place to);        // to another slot of the same accelerator
  bool changed() const { return changed_; }  // since start, keep or take_back
  void keep();
  void take_back();

 private:
  void note(GroupId g, Place to);
  void note_border(GroupId g);

  const LatencyInstance& instance_;
  LatencyValue value_;
  Csr<GroupId, GroupId> neighbours_;
  std::vector<Place> place_;              // by group
  std::vector<std::vector<GroupId>> on_;  // by accelerator
  std::vector<std::size_t> at_;           // by group: where in that list it is
  std::vector<std::uint32_t> apart_;      // by group: how many neighbours are elsewhere
  std::vector<GroupId> border_;
  std::vector<std::size_t> border_at_;  // by group: where in that list it is
  std::vector<std::pair<GroupId, Place>> undo_;
  bool changed_ = false;
};

}  // namespace partita::detail
