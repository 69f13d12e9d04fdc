// SPDX-License-Identifier: Apache-2.0
// Efficiencies fitted to measured workloads, and how well they predict others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "partita/cost/efficiencies.h"
#include "partita/model/device_rates.h"
#include "partita/model/workload.h"

namespace partita {

struct Calibration {
  // How well the operators of a family are predicted, of the workloads that it was fitted to.
  struct Family {
    OperatorFamily family;
    bool backward = false;
    std::size_t operators = 0;
    double seconds = 0;  // measured, of all of them
    double error = 0;    // the sum of the operators' absolute errors, as a part of that
  };

  Efficiencies efficiencies;
  double launch = 0;  // seconds
  std::vector<Family> families;
};

// The times of the class of accelerators of `measured`, whose operators are ATen's, on a device of these rates that computed
// in `type`. A family of which there are too few operators keeps its efficiency. Throws InputError where there is nothing to fit.
Calibration calibrate(std::span<const Workload> measured, const DeviceRates& rates, DataType type);

// The sum of the measured times of a workload, and what a calibration makes of it, in seconds.
struct Prediction {
  std::string name;
  double measured = 0;
  double predicted = 0;
};
Prediction predict(const Workload& measured, const Calibration& calibration, const DeviceRates& rates, DataType type);

// The same workload with predicted times on its accelerators.
Workload with_predicted_times(const Workload& measured, const Calibration& calibration, const DeviceRates& rates,
                              DataType type);

}  // namespace partita
