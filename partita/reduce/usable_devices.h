// SPDX-License-Identifier: Apache-2.0
// A platform without the devices that no split needs, and the way back to the numbers of the whole one.
//
// A split of n nodes uses at most n devices; with up to r devices to a stage, or clusters to a run of stages, at each
// of L levels (the devices of a cluster, and every level of clusters), at most M = n * r^L. Devices of one class in one
// cluster are alike, and so are clusters within one that are equal, whatever is inside. So every split can be renamed
// to one of equal value on a platform that keeps, of each kind of equals, the first M: at least as many as are in use.
// Nothing else of a problem depends on the number of idle devices. (Strict host cores: with a core for every node,
// nobody waits for one.) O(devices kept + clusters). Tests: tests/reduce/usable_devices_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

struct UsableDevices {
  Platform platform;
  IdVector<DeviceId, DeviceId> original;  // by device of the smaller platform
};

// Nothing where all devices may be of use.
std::optional<UsableDevices> leave_out_idle(const Problem& problem);

// The split on the whole platform, which has so many devices.
Split lift_devices(const UsableDevices& usable, std::size_t device_count, const Split& split);

}  // namespace partita::detail
