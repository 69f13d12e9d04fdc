// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/estimate.h"

#include <algorithm>

namespace partita::detail {

namespace {

// Of the operations per second: GPT-2's head of 50257 columns on an H200, the same in inference and training.
constexpr double kMisaligned = 0.1;

bool takes_no_time(OperatorFamily family) { return family == OperatorFamily::View || family == OperatorFamily::Source; }

}  // namespace

double estimate(const Work& work, const DeviceRates& rates, const Efficiencies& efficiencies) {
  return estimate(work, rates, efficiencies.of(work.family, work.backward));
}

double estimate(const Work& work, const DeviceRates& rates, const Efficiency& efficiency) {
  if (takes_no_time(work.family)) return 0;
  const double compute = work.misaligned ? std::min(kMisaligned, efficiency.compute) : efficiency.compute;
  const double arithmetic = work.flops.value_or(0) / (rates.flops_of(work.arithmetic) * compute);
  const double traffic = work.bytes.value_or(0) / (rates.memory_bandwidth * efficiency.memory);
  return rates.launch + work.pieces * efficiency.ramp +
         std::max({arithmetic, traffic, work.chain * efficiency.step, work.items * efficiency.item});
}

CostSource source_of(const Work& work, const Efficiencies& efficiencies) {
  if (takes_no_time(work.family)) return CostSource::Roofline;
  if (!work.flops || !work.bytes || work.family == OperatorFamily::Other) return CostSource::Default;
  return efficiencies.of(work.family, work.backward).calibrated ? CostSource::Calibrated : CostSource::Roofline;
}

}  // namespace partita::detail
