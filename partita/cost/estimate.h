// SPDX-License-Identifier: Apache-2.0
// The roofline: an operator takes as long as its arithmetic or its traffic with memory, whichever is longer [Williams-CACM'09]. An
// efficiency for the family of the operator says how much of either peak is reached. It is launched first, and takes a while to
// fill the device: without this ramp, what is small would pull down the efficiencies of what is large.
#pragma once

#include <optional>

#include "partita/cost/efficiencies.h"
#include "partita/model/device_rates.h"
#include "partita/model/graph.h"
#include "partita/model/network.h"

namespace partita::detail {

// What an operator does, as far as it is known.
struct Work {
  OperatorFamily family = OperatorFamily::Other;
  bool backward = false;
  DataType arithmetic = DataType::Unknown;
  std::optional<double> flops;  // none: not known
  std::optional<double> bytes;  // read and written; none: not known
  bool misaligned = false;      // a product whose rows are not whole multiples of what a multiplier loads at once
};

// In seconds. Views and sources take no time.
double estimate(const Work& work, const DeviceRates& rates, const Efficiencies& efficiencies);

// Where the estimate comes from: Calibrated where the family was fitted to measurements, Roofline where it was not, Default where
// the work is not known and only what is known of it counts.
CostSource source_of(const Work& work, const Efficiencies& efficiencies);

}  // namespace partita::detail
