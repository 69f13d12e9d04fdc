// SPDX-License-Identifier: Apache-2.0
// Better splits for gpipe over any devices and with any transfer mode, by simulated annealing [Kirkpatrick-Science'83].
//
// What is minimised is the largest forward load plus the largest backward load, plus a little of the mean load, which
// tells apart splits of equal value, plus a price for memory above the limits. Moves: one unit to another device,
// mostly one at a border; and two devices exchange all they have, which matters where they are not alike. Units are
// colour classes, or the groups of a staged split, several colour classes each. A staged split stays so: the devices
// stand in an order that no move changes but for the exchange, and a unit stays between what it needs and what needs
// it. Empty devices are put into that order at random. A proposal costs O(transfers of what moves + devices). Tests:
// tests/solve/free_gpipe_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/free_instance.h"
#include "partita/reduce/stage_order.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct GpipeAnnealOptions {
  std::uint64_t moves = 100'000;
  double good_enough = 0;  // a value at which to stop
  std::uint64_t seed = 1;
};

// From scratch. O(pins + devices). The instance must keep the passes apart: made from a problem for gpipe.
double gpipe_value(const FreeInstance& instance, const IdVector<GroupId, DeviceId>& device_of);

// The best legal split met, with its value; at worst the start. `staged`: the groups of staged splits and their order,
// null for free splits. `order`: the devices in use, in pipeline order, where staged.
FreeSplit anneal_gpipe(const FreeInstance& instance, const StageOrder* staged, const FreeSplit& start,
                       const std::vector<DeviceId>& order, const GpipeAnnealOptions& options, Budget& budget);

}  // namespace partita::detail
