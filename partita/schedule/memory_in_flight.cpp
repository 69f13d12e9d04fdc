// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/memory_in_flight.h"

#include <algorithm>
#include <limits>

namespace partita::detail {
namespace {

// Relative: times that differ by less are equal, but for the order of additions.
constexpr double kRounding = 1e-12;

struct Stay {
  double begin = 0, end = 0;
};

// Something begins or ends to be in memory.
struct Change {
  double time = 0;
  int samples = 0;     // in flight, more or fewer
  int recomputed = 0;  // with all activations, more or fewer
};

double bytes_held(const Problem& problem, const DeviceReport& device, std::ptrdiff_t in_flight, bool recomputed) {
  if (problem.memory_model == MemoryModel::Flat) return device.memory;
  const MemoryItems& items = device.memory_items;
  return items.weights + items.gradients + items.optimizer_state + static_cast<double>(in_flight) * items.activation +
         (recomputed ? items.recomputed : 0);
}

// What ends as a sample begins makes room for it: also where rounding has put the end behind the beginning. `begins`
// ascending.
double end_of_stay(const Stay& stay, const std::vector<double>& begins) {
  const double earliest = std::max(stay.begin, stay.end * (1 - kRounding));
  const auto begin = std::upper_bound(begins.begin(), begins.end(), earliest);
  return begin != begins.end() ? std::min(*begin, stay.end) : stay.end;
}

// The samples that the device at this place among its sharers takes.
std::vector<Change> changes_at(const Steps& steps, const Timing& timing, const std::vector<StepId>& own,
                               std::size_t place, std::size_t sharing, bool recomputes, bool training) {
  std::vector<Stay> samples, recomputed;
  for (std::size_t n = place; n < timing.samples(); n += sharing) {
    Stay sample{std::numeric_limits<double>::infinity(), 0};
    for (StepId s : own) {
      const Step& step = steps[s];
      const double start = timing.start(s, n);
      sample.begin = std::min(sample.begin, start);
      sample.end = std::max(sample.end, timing.finish(s, n));
      const double compute = step.spent[static_cast<std::size_t>(Phase::Compute)];
      if (!recomputes || step.backward != training || !(compute > 0)) continue;
      const double from = start + step.spent[static_cast<std::size_t>(Phase::In)];
      recomputed.push_back({from, std::min(from + compute, timing.finish(s, n))});
    }
    if (sample.begin < sample.end) samples.push_back(sample);
  }
  std::vector<double> begins;
  begins.reserve(samples.size());
  for (const Stay& sample : samples) begins.push_back(sample.begin);
  std::sort(begins.begin(), begins.end());

  std::vector<Change> changes;
  changes.reserve(2 * (samples.size() + recomputed.size()));
  for (const Stay& sample : samples) {
    changes.push_back({sample.begin, 1, 0});
    changes.push_back({end_of_stay(sample, begins), -1, 0});
  }
  for (const Stay& stay : recomputed) {
    changes.push_back({stay.begin, 0, 1});
    changes.push_back({end_of_stay(stay, begins), 0, -1});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  return changes;
}

double end_of(const Steps& steps, const Timing& timing, std::size_t samples) {
  double end = 0;
  for (std::size_t n = 0; n < std::min(samples, timing.samples()); ++n) {
    for (StepId s : steps.steps.all()) end = std::max(end, timing.finish(s, n));
  }
  return end;
}

}  // namespace

void measure_memory_in_flight(const Problem& problem, const CheckReport& report, const Steps& steps,
                              const Timing& timing, std::size_t record, Simulation& result) {
  const bool training = problem.workload->graph.has_backward();
  const double recorded_until = end_of(steps, timing, record);
  for (DeviceId original : steps.sharers.all()) {
    const std::vector<DeviceId>& sharers = steps.sharers[original];
    std::vector<StepId> own;
    for (StepId s : steps.steps.all()) {
      if (steps[s].device == original && s != steps.sync[original]) own.push_back(s);
    }
    for (std::size_t place = 0; place < sharers.size(); ++place) {
      const DeviceReport& device = report.devices[sharers[place]];
      const std::vector<Change> changes =
          changes_at(steps, timing, own, place, sharers.size(), device.recomputes, training);
      DeviceUse& use = result.devices[sharers[place]];
      std::vector<MemoryPoint>& points = result.memory[sharers[place]];
      use.peak_memory = bytes_held(problem, device, 0, false);
      points.push_back({0, 0, use.peak_memory});
      std::ptrdiff_t in_flight = 0;
      int recomputed = 0;
      for (std::size_t i = 0; i < changes.size(); ++i) {
        in_flight += changes[i].samples;
        recomputed += changes[i].recomputed;
        if (i + 1 < changes.size() && changes[i + 1].time == changes[i].time) continue;
        const MemoryPoint point{changes[i].time, static_cast<std::size_t>(in_flight),
                                bytes_held(problem, device, in_flight, recomputed > 0)};
        use.most_in_flight = std::max(use.most_in_flight, point.in_flight);
        use.peak_memory = std::max(use.peak_memory, point.bytes);
        const bool changed = point.in_flight != points.back().in_flight || point.bytes != points.back().bytes;
        if (point.time > recorded_until || !changed) continue;
        if (points.back().time == point.time) points.pop_back();
        points.push_back(point);
      }
    }
  }
}

}  // namespace partita::detail
