// SPDX-License-Identifier: Apache-2.0
// From a network and a physical platform to a workload: what operators cost, made of what devices can do (docs/costs.md).
#pragma once

#include <string>
#include <vector>

#include "partita/cost/efficiencies.h"
#include "partita/model/network.h"
#include "partita/model/workload.h"
#include "partita/read/platform.h"
#include "partita/read/profile.h"

namespace partita {

enum class Optimizer {
  Sgd,   // with momentum
  Adam,  // with two moments
};

// What becomes of a weight that several operators use.
enum class SharedWeights {
  Copied,    // each of them has a copy on its device, and its memory counts there
  Together,  // they share a device
};

struct CostOptions {
  bool training = false;  // a backward pass is added, and what training keeps in memory
  Optimizer optimizer = Optimizer::Adam;
  SharedWeights shared_weights = SharedWeights::Copied;
  Efficiencies efficiencies = calibrated_efficiencies();
  // Measured times count instead of estimates, on the class that they were measured on; any other class takes as many times
  // longer as its estimate does. A time of several operators goes to the first of them, the others take none, and they share a
  // device. A backward pass, which profiles do not hold, takes as many times longer than estimated as its operator did.
  std::vector<MeasuredTime> measured = {};
  std::string measured_on = {};  // the name of the class on which; empty: the first class of accelerators
};

// Times are in ms. Throws InputError where the platform is not physical, or measured times name a class that is not there.
// What had to be assumed is in the workload's notes.
Workload cost_workload(const Network& network, const PlatformSpec& platform, const CostOptions& options = {});

}  // namespace partita
