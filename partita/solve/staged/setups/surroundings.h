// SPDX-License-Identifier: Apache-2.0
// What a cluster's memory depends on beyond the cluster, where samples in flight count: the devices behind it in the
// pipeline (the search comes from the END), and its copies.
//
// A stage of r devices in a cluster that stands there `copies` times, itself included, has r * copies devices. The
// devices that are in it or behind it are those behind the cluster, and those in use inside, as often as there are
// copies.
#pragma once

#include <limits>

#include "partita/reduce/stage_cost.h"

namespace partita::detail {

struct Surroundings {
  static constexpr int kAnyNumber = std::numeric_limits<int>::max();

  int behind = 0;           // devices behind the cluster, all copies counted; at least, where its end is not known yet
  int most_behind = 0;      // at most
  int copies = 1;           // of the cluster, at all levels around it
  int enough = kAnyNumber;  // nobody minds whether this many devices of the cluster are in use or fewer

  // Samples in flight at a stage of r devices, where so many are in use in the cluster, that stage included.
  int in_flight(const SetupRules& rules, int in_use, int replicas) const {
    return samples_in_flight(rules, behind + copies * in_use, copies * replicas);
  }
  int most_in_flight(const SetupRules& rules, int in_cluster, int replicas) const {
    return samples_in_flight(rules, most_behind + copies * in_cluster, copies * replicas);
  }

  // Of copies of a cluster inside, where so many devices are in use in this one already.
  Surroundings inside(int replicas, int in_use, int enough_inside) const {
    const int devices = behind + copies * in_use;
    return {devices, devices, copies * replicas, enough_inside};
  }
  // The same where it is not known how many.
  Surroundings open_inside(int replicas, int least_in_use, int most_in_use) const {
    return {behind + copies * least_in_use, most_behind + copies * most_in_use, copies * replicas, kAnyNumber};
  }
};

}  // namespace partita::detail
