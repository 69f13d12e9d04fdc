// SPDX-License-Identifier: Apache-2.0
// The roofline: an operator takes as long as its arithmetic or its traffic with memory, whichever is longer [Williams-CACM'09]. An
// efficiency for the family of the operator says how much of either peak is reached. It is launched first, and takes a while to
// fill the device: without this ramp, what is small would pull down the efficiencies of what is large.
//
// Two more lines bound the roof where a device cannot be filled. What sums over a long chain does so on one of its processors: a
// batch norm has one of them for each channel, however many there are, and a convolution one for each tile of its result. And many
// small things take a time each: the planes of a batch norm, the elements that pooling makes.
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
  double chain = 0;             // elements that are summed one after the other; 0: nobody knows, or nothing is
  double items = 0;             // small things of which each takes a time; 0 likewise
  double pieces = 1;            // that are done one after the other, each with a ramp: tensors to be joined
};

// In seconds. Views and sources take no time.
double estimate(const Work& work, const DeviceRates& rates, const Efficiencies& efficiencies);

// The same by the efficiency of its family.
double estimate(const Work& work, const DeviceRates& rates, const Efficiency& efficiency);

// Where the estimate comes from: Calibrated where the family was fitted to measurements, Roofline where it was not, Default where
// the work is not known and only what is known of it counts.
CostSource source_of(const Work& work, const Efficiencies& efficiencies);

}  // namespace partita::detail
