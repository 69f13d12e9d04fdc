// SPDX-License-Identifier: Apache-2.0
// Wishes, second step: groups that are pinned to one device and groups that must be apart, as problems without wishes.
//
// Notation. A *place* is the devices of one class that are in the same cluster and in none inside it; these can be
// renamed among each other, and no split changes its value or its legality by that. Two groups are in *conflict* if they
// must be apart, or are pinned to different devices of one place. (Groups pinned to devices of different places are on
// different devices whatever else holds.) A *seat* is a set of devices of one place that is made a class of its own.
//
// What a seat does. Let group g have the seat s: its times on all other classes are taken away, and those of every
// group in conflict with g are taken away on s. Then g and its rivals are on different devices. So it is enough that of
// each two groups in conflict one has a seat: the groups with seats are a vertex cover, chosen greedily.
//
// Why the cases lose nothing. Take a split that keeps all wishes, without copies of stages. The groups of the cover sit
// on some devices; give each of these devices a seat of its own. Which groups share a seat, and the place of each seat, is
// one of the cases, which run through all ways to do so: each group takes a seat that others have and that holds none of
// its rivals, or a new one of any place. A pinned group's seat is its device. Other seats are on the first devices that are
// free, which is right after a renaming within each place that leaves the pinned ones alone. A split of a case, on the other
// hand, is one of the problem that keeps all wishes but for the pins of groups outside the cover. In each place there is at
// most one of these (two would be in conflict), so to change the names of its device and of the one that it is pinned to
// keeps all wishes: neither is another's pin. Such a group must be kept in its place by times alone, so it is left
// outside the cover only where its class is all in one place. Hence the optimum is the least of the cases' optima, and the
// least of their bounds is a bound.
//
// Copies. Devices of one class that share a stage must stay of one class. A node that is pinned to a device runs there
// alone (wishes.h), so a seat of one device is right for it, in clusters too: a cluster with that seat is equal to no other,
// and none may be, for a copy of it would run the node elsewhere. For that, all pinned groups are in the cover where
// copies are allowed. The stage of any other group of the cover is on some number r of devices, all of one place where there
// are no clusters: seats of r devices, r = 1, 2, ..., are cases too, and where the two groups are of different stages they
// are on different devices, copies included. In clusters copies may be of whole clusters, which seats cannot say: refused.
//
// Few wishes leave one case: pins do, and nodes apart where all devices are of one place. Tests: tests/reduce/wishes_test.cpp,
// tests/property/wishes_test.cpp.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "partita/reduce/usable_devices.h"
#include "partita/reduce/wish_groups.h"

namespace partita::detail {

// A problem without wishes, and the way back.
struct WishCase {
  Problem problem;
  UsableDevices devices;                             // whose numbers `problem` uses: lift_devices() leads back,
  std::vector<std::pair<NodeId, DeviceId>> to_swap;  // and then swap_devices() brings each node to its device
  bool possible = true;                              // false: some group has no device left that may hold it
};

class WishCases {
 public:
  static constexpr std::size_t kMost = 64;

  // Throws InputError(Unsupported) for more than kMost cases, and for seats in clusters where copies are allowed.
  // Precondition: no contradiction. `groups` must outlive it.
  explicit WishCases(const WishGroups& groups);

  std::size_t size() const { return cases_.size(); }
  WishCase make(std::size_t which) const;

 private:
  friend class WishSeating;

  struct Seat {
    std::size_t place = 0;  // in places_
    std::vector<DeviceId> devices;
    std::vector<std::size_t> groups;
  };
  struct PlaceOfDevices {
    ClassId its_class;
    std::size_t cluster = 0;  // counted along the tree, a cluster before those inside
    std::vector<DeviceId> devices;
  };

  bool in_conflict(std::size_t a, std::size_t b) const;
  UsableDevices platform_with(const std::vector<Seat>& seats) const;

  const WishGroups& wishes_;
  std::vector<PlaceOfDevices> places_;
  std::vector<std::size_t> place_of_group_;  // of its pin
  std::vector<std::vector<Seat>> cases_;
  std::vector<std::size_t> to_swap_;  // groups
};

// Each of the two devices gets what the other had.
Split swap_devices(Split split, DeviceId a, DeviceId b);

}  // namespace partita::detail
