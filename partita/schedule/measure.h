// SPDX-License-Identifier: Apache-2.0
// What a run took: times, the use of devices, and intervals to draw.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "partita/schedule/program.h"

namespace partita::detail {

// From the first start to the last finish of a sample.
struct SampleSpan {
  double begin = std::numeric_limits<double>::infinity();
  double end = 0;
};

// What is taken for a steady state (steady_state.h).
struct SteadyRules {
  std::size_t burst = 0;
  double least = 0;  // time per batch: samples cannot leave faster for long
  double slack = 0;  // by which ends may miss the pattern, besides the rounding of sums
};

// Fills makespan to steady, of at least one sample. Batches of result.microbatches where that is not 0.
void measure_times(const std::vector<SampleSpan>& spans, const SteadyRules& rules, Simulation& result);

// Of batches of samples, from the first on.
std::vector<double> ends_of_batches(const std::vector<SampleSpan>& spans, std::size_t batch);
// When the last batch begins.
double start_of_last_batch(const std::vector<SampleSpan>& spans, std::size_t batch);

// Of stretches of time that may overlap: how long at least one of them lasts. Sorts them.
double united_length(std::vector<std::pair<double, double>>& spans);

// Of how many samples intervals and memory are kept.
std::size_t samples_to_record(const Steps& steps, const SimulationOptions& options);

// Fills makespan to steady, the intervals of the first `record` samples, and of each device all but in-flight samples
// and memory. Batches of result.microbatches where that is not 0. O(tasks log tasks).
void measure(const Steps& steps, const Timing& timing, std::size_t record, Simulation& result);

}  // namespace partita::detail
