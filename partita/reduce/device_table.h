// SPDX-License-Identifier: Apache-2.0
// The devices of a platform with any number of classes, numbered for solvers: accelerators class by class in the order
// of the platform, then hosts likewise. No more devices of a class than there are groups: further ones would stay
// empty.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/util/ids.h"

namespace partita::detail {

class DeviceTable {
 public:
  struct Class {
    ClassId id;  // in the platform
    bool host = false;
    std::size_t first = 0, count = 0;  // its devices
    double memory = 0;                 // of each
    Link link;                         // hosts pay nothing
    DeviceId first_in_platform;
  };

  DeviceTable() = default;
  DeviceTable(const Platform& platform, std::size_t groups);

  // The classes that have devices, accelerators first.
  const std::vector<Class>& classes() const { return classes_; }
  std::size_t accelerator_classes() const { return accelerator_classes_; }
  std::size_t accelerators() const { return accelerators_; }
  std::size_t size() const { return class_of_.size(); }
  std::size_t class_number(DeviceId d) const { return class_of_[d.index()]; }
  const Class& class_of(DeviceId d) const { return classes_[class_number(d)]; }
  bool is_host(DeviceId d) const { return d.index() >= accelerators_; }
  // The device's place among those of its class.
  std::size_t place_in_class(DeviceId d) const { return d.index() - class_of(d).first; }
  // The link of all accelerators, where they have the same; without accelerators, one that adds nothing.
  std::optional<Link> common_link() const;

  // From devices of the table to those of the platform, and back: the devices in use take the first numbers of their
  // class, in their order, for the platform may have more of them.
  Split lift(const IdVector<NodeId, GroupId>& group_of, const IdVector<GroupId, DeviceId>& device_of) const;
  IdVector<GroupId, DeviceId> devices_of(const Platform& platform, const IdVector<NodeId, GroupId>& group_of,
                                         const Split& split) const;

 private:
  std::vector<Class> classes_;
  std::size_t accelerator_classes_ = 0, accelerators_ = 0;
  std::vector<std::size_t> class_of_;  // by device
};

// What a group asks of devices, by class of the table.
struct ClassGroup {
  double memory = 0;
  std::vector<double> time;   // all its nodes; 0 where the class cannot run one of them
  std::vector<char> runs_on;  // all its nodes

  bool fits(const DeviceTable& devices, std::size_t device_class) const {
    return runs_on[device_class] && memory <= devices.classes()[device_class].memory;
  }
};
IdVector<GroupId, ClassGroup> class_groups(const Graph& graph, const IdVector<NodeId, GroupId>& group_of,
                                           const DeviceTable& devices);

// How many groups there are: one more than the largest number.
std::size_t count_groups(const IdVector<NodeId, GroupId>& group_of);

// At most one class of each kind has devices: but for the price of transfers, the paper's platform.
bool is_plain(const Platform& platform);

// Throws InputError(Unsupported) for clusters, copies of stages and memory models other than flat, in the name of who
// cannot serve them ("the integer programs").
void refuse_all_but_classes(const Problem& problem, const char* who);

}  // namespace partita::detail
