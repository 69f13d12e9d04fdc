// SPDX-License-Identifier: Apache-2.0
// How much of a device's peak the operators of a family reach.
#pragma once

#include <array>
#include <cstddef>

#include "partita/model/network.h"

namespace partita {

struct Efficiency {
  double compute = 1;       // of the operations per second
  double memory = 1;        // of the bandwidth of the memory
  double ramp = 0;          // seconds to fill the device and to empty it again, however little there is to do
  bool calibrated = false;  // fitted to measured times; else it is assumed
  double step = 0;          // seconds for each step of a chain of sums, which has to be done one after the other
  double item = 0;          // seconds for each of many small things, however little there is in each

  friend bool operator==(const Efficiency&, const Efficiency&) = default;
};

struct Efficiencies {
  std::array<Efficiency, kOperatorFamilies> forward;
  std::array<Efficiency, kOperatorFamilies> backward;

  const Efficiency& of(OperatorFamily family, bool is_backward) const {
    return (is_backward ? backward : forward)[static_cast<std::size_t>(family)];
  }
  Efficiency& of(OperatorFamily family, bool is_backward) {
    return (is_backward ? backward : forward)[static_cast<std::size_t>(family)];
  }

  friend bool operator==(const Efficiencies&, const Efficiencies&) = default;
};

// Fitted to the operators of the workloads that were measured on an H200 (bench/calibration.py fits them again).
Efficiencies calibrated_efficiencies();

}  // namespace partita
