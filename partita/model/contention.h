// SPDX-License-Identifier: Apache-2.0
// Devices that work at the same time are slower than one that works alone: they share memory, caches, power. A class
// says how many times as long its nodes then take (DeviceClass::contention).
#pragma once

#include "partita/model/problem.h"

namespace partita::detail {

// By class: what times count multiplied by. 1 on a platform of one device, which has nobody to contend with.
IdVector<ClassId, double> slow_downs(const Platform& platform);

// The problem with that in its times, and no contention left: what solvers are given. Every split costs the same as
// before. Shares the workload where there is nothing to do.
Problem with_busy_times(const Problem& problem);

}  // namespace partita::detail
