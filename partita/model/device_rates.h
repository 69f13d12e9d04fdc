// SPDX-License-Identifier: Apache-2.0
// What a device can do at best, in seconds and bytes: what costs are made of where nobody has measured them.
#pragma once

#include <map>

#include "partita/model/tensor.h"

namespace partita {

struct DeviceRates {
  std::map<DataType, double> flops;  // operations per second, at the peak; not empty
  double memory_bandwidth = 0;       // bytes per second, of the device's own memory
  double launch = 0;                 // seconds that every operator takes before it starts

  // Of arithmetic in `type`: of the type itself, or of the nearest type that the device has and that holds its numbers.
  double flops_of(DataType type) const;

  friend bool operator==(const DeviceRates&, const DeviceRates&) = default;
};

}  // namespace partita
