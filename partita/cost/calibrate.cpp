// SPDX-License-Identifier: Apache-2.0
// An efficiency of arithmetic, one of memory and a ramp, and where operators have chains or items the times of those, for each family
// and direction: the numbers that make the sum of the predicted times equal to the measured one and, of these, those with the smallest
// absolute errors. A least-squares fit was tried first: a few large operators then decide, and totals of other models came out a third
// too low. Absolute errors without the sums were tried too: totals came out 5 to 9 % too low, and memory that nothing told (batch norms
// of few channels) reached 1.5 times the bandwidth.
//
// What samples cannot tell is not fitted. Products of matrices of measured workloads are bound by arithmetic, all of them: their
// efficiency of memory would be whatever hides the ramp of the small ones (0.24 came out), and products that are bound by memory,
// as those of a language model that makes one token at a time, would take three times too long. They keep kStreaming, what devices
// reach when they read weights once. A family without enough samples has an assumed efficiency, and the backward direction that of
// the forward one.
#include "partita/cost/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "partita/cost/estimate.h"
#include "partita/cost/measured_work.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

constexpr std::size_t kFewest = 10;  // operators that a fit needs: two for each number that is fitted
constexpr double kStreaming = 0.8;   // of the bandwidth, by products that read their weights once

bool tells_memory(OperatorFamily family) { return family != OperatorFamily::MatrixProduct; }

Efficiencies assumed_efficiencies() {
  Efficiencies table;
  for (bool backward : {false, true}) {
    for (std::size_t f = 0; f < kOperatorFamilies; ++f) table.of(static_cast<OperatorFamily>(f), backward) = {1, 0.6};
    table.of(OperatorFamily::MatrixProduct, backward) = {0.7, kStreaming};
    table.of(OperatorFamily::Attention, backward) = {0.7, kStreaming};
    table.of(OperatorFamily::Convolution, backward) = {0.4, 0.4};
    table.of(OperatorFamily::PointwiseConvolution, backward) = {0.6, 0.6};
    table.of(OperatorFamily::OddConvolution, backward) = {0.4, 0.4};
    table.of(OperatorFamily::GroupedConvolution, backward) = {0.1, 0.3};
    table.of(OperatorFamily::Recurrent, backward) = {0.5, 0.5};
    table.of(OperatorFamily::Scatter, backward) = {1, 0.1};
    table.of(OperatorFamily::Control, backward) = {0.5, 0.5};
    table.of(OperatorFamily::Other, backward) = {0.5, 0.5};
  }
  return table;
}

struct Sample {
  Work work;
  double seconds;
};

double seconds_per_unit(const Workload& workload) {
  if (workload.time_unit == "s") return 1;
  if (workload.time_unit == "us") return 1e-6;
  return 1e-3;
}

ClassId accelerators_of(const Workload& workload) {
  const std::vector<ClassId> classes = workload.platform.classes_of(DeviceKind::Accelerator);
  if (classes.empty()) throw InputError(ErrorKind::BadPlatform, workload.name, "has no accelerators to calibrate");
  return classes.front();
}

std::vector<Sample> samples_of(const Workload& workload, DataType type) {
  const IdVector<NodeId, Work> work = work_of_measured(workload, type);
  const ClassId c = accelerators_of(workload);
  const double unit = seconds_per_unit(workload);
  std::vector<Sample> samples;
  for (NodeId v : workload.graph.nodes.all()) {
    const double time = workload.graph.nodes[v].time[c.index()];
    if (std::isfinite(time) && time > 0 && work[v].family != OperatorFamily::View &&
        work[v].family != OperatorFamily::Other)
      samples.push_back({work[v], time * unit});
  }
  return samples;
}

// What the smallest operators take: those that neither compute nor move enough to show.
double fitted_launch(const std::vector<Sample>& samples, double fallback) {
  constexpr double kSmall = 16384;  // bytes
  std::vector<double> small;
  for (const Sample& sample : samples)
    if (*sample.work.bytes <= kSmall && *sample.work.flops == 0) small.push_back(sample.seconds);
  if (small.size() < kFewest) return fallback;
  std::ranges::nth_element(small, small.begin() + static_cast<std::ptrdiff_t>(small.size() / 2));
  return small[small.size() / 2];
}

class Fit {
 public:
  Fit(std::vector<Sample> samples, const DeviceRates& rates) : samples_(std::move(samples)), rates_(rates) {
    for (const Sample& sample : samples_) measured_ += sample.seconds;
  }

  Efficiency best(const Efficiency& assumed, bool tells_memory) {
    const bool computes = std::ranges::any_of(samples_, [](const Sample& s) { return *s.work.flops > 0; });
    Efficiency best = assumed;
    double least = kUnlimited;
    const double longest = longest_ramp();
    const std::vector<double> steps = slopes(&Work::chain), items = slopes(&Work::items);
    const double finer = steps.size() > 1 ? 1.15 : 1.05;  // there are many more to try
    for (double ramp : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0}) {
      if (ramp > 0 && ramp * 1e-6 > longest) break;
      for (double step : steps) {
        for (double item : items) {
          for (double compute = computes ? 1 : assumed.compute; compute > 0.02; compute /= finer) {
            Efficiency tried{compute, assumed.memory, ramp * 1e-6, true, step, item};
            if (tells_memory && moves_enough()) tried.memory = memory_for(tried);
            const Errors errors = errors_of(tried);
            const double error = errors.absolute + std::abs(errors.signed_sum);
            if (error < least) {
              least = error;
              best = tried;
            }
            if (!computes) break;
          }
        }
      }
    }
    return best;
  }

  double measured() const { return measured_; }
  double error_of(const Efficiency& efficiency) const { return errors_of(efficiency).absolute / measured_; }

 private:
  struct Errors {
    double signed_sum = 0, absolute = 0;
  };

  Errors errors_of(const Efficiency& efficiency) const {
    Errors errors;
    for (const Sample& sample : samples_) {
      const double error = estimate(sample.work, rates_, efficiency) - sample.seconds;
      errors.signed_sum += error;
      errors.absolute += std::abs(error);
    }
    return errors;
  }

  // Operators that move next to nothing tell how long a ramp is, and not how fast the memory.
  bool moves_enough() const {
    constexpr double kLeastPart = 0.03;  // of the measured time, at full bandwidth
    double bytes = 0;
    for (const Sample& sample : samples_) bytes += *sample.work.bytes;
    return bytes / rates_.memory_bandwidth > kLeastPart * measured_;
  }

  // Nothing is faster than its ramp: that of a family is no longer than what its fastest operators take, a tenth of them.
  double longest_ramp() const {
    std::vector<double> times;
    for (const Sample& sample : samples_) times.push_back(sample.seconds);
    const auto tenth = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
    std::ranges::nth_element(times, tenth);
    return *tenth - rates_.launch;
  }

  // Seconds for each step of a chain, or for each item, that may be meant: those of the operators that take the least for each, as the
  // others are bound by something else. 0 is always among them.
  std::vector<double> slopes(double Work::*count) const {
    constexpr std::size_t kTried = 24;
    std::vector<double> all;
    for (const Sample& sample : samples_)
      if (const double number = sample.work.*count; number > 0)
        all.push_back(std::max(0.0, sample.seconds - rates_.launch) / number);
    std::vector<double> chosen{0};
    if (all.size() < kFewest) return chosen;
    std::ranges::sort(all);
    for (std::size_t i = 0; i < kTried; ++i) chosen.push_back(all[i * all.size() * 3 / (4 * kTried)]);
    return chosen;
  }

  // By bisection: the sum of the predictions falls as the efficiency rises.
  double memory_for(Efficiency tried) const {
    double low = 0.003, high = 1.2;  // above 1: what is small enough stays in the caches
    for (int step = 0; step < 30; ++step) {
      tried.memory = std::sqrt(low * high);
      (errors_of(tried).signed_sum > 0 ? low : high) = tried.memory;
    }
    return high;
  }

  std::vector<Sample> samples_;
  const DeviceRates& rates_;
  double measured_ = 0;
};

// Twice: the second time without those that differ from the first by more than this factor. Some shapes fall into a hole (one gradient of a
// pointwise convolution takes ten times as long as its neighbours), which tell nothing about the others and would slow down them all.
Efficiency fitted(const std::vector<Sample>& samples, const DeviceRates& rates, const Efficiency& assumed,
                  bool tells_memory) {
  constexpr double kOutlier = 3;
  const Efficiency first = Fit(samples, rates).best(assumed, tells_memory);
  std::vector<Sample> usual;
  std::ranges::copy_if(samples, std::back_inserter(usual), [&](const Sample& sample) {
    const double ratio = sample.seconds / estimate(sample.work, rates, first);
    return ratio < kOutlier && ratio > 1 / kOutlier;
  });
  if (usual.size() == samples.size() || usual.size() < kFewest) return first;
  return Fit(std::move(usual), rates).best(assumed, tells_memory);
}

DeviceRates with_launch(DeviceRates rates, double launch) {
  rates.launch = launch;
  return rates;
}

}  // namespace

Calibration calibrate(std::span<const Workload> measured, const DeviceRates& rates, DataType type) {
  std::vector<Sample> samples;
  for (const Workload& workload : measured) {
    const std::vector<Sample> more = samples_of(workload, type);
    samples.insert(samples.end(), more.begin(), more.end());
  }
  if (samples.size() < kFewest) {
    throw InputError(ErrorKind::BadField, "calibrate",
                     fmt::format("found {} measured operators with a name of ATen and a size; expected at least {}",
                                 samples.size(), kFewest));
  }
  Calibration result{
      .efficiencies = assumed_efficiencies(), .launch = fitted_launch(samples, rates.launch), .families = {}};
  const DeviceRates launched = with_launch(rates, result.launch);
  for (std::size_t f = 0; f < kOperatorFamilies; ++f) {
    for (bool backward : {false, true}) {
      const auto family = static_cast<OperatorFamily>(f);
      Efficiency& efficiency = result.efficiencies.of(family, backward);
      std::vector<Sample> own;
      std::ranges::copy_if(samples, std::back_inserter(own), [&](const Sample& s) {
        return s.work.family == family && s.work.backward == backward && !s.work.misaligned;
      });
      const std::size_t count = own.size();
      if (count < kFewest) {
        if (backward) efficiency = result.efficiencies.of(family, false);
        continue;
      }
      efficiency = fitted(own, launched, efficiency, tells_memory(family));
      const Fit all(own, launched);
      result.families.push_back({family, backward, count, all.measured(), all.error_of(efficiency)});
    }
  }
  return result;
}

Prediction predict(const Workload& measured, const Calibration& calibration, const DeviceRates& rates, DataType type) {
  const DeviceRates launched = with_launch(rates, calibration.launch);
  Prediction result{.name = measured.name};
  for (const Sample& sample : samples_of(measured, type)) {
    result.measured += sample.seconds;
    result.predicted += estimate(sample.work, launched, calibration.efficiencies);
  }
  return result;
}

Workload with_predicted_times(const Workload& measured, const Calibration& calibration, const DeviceRates& rates,
                              DataType type) {
  Workload result = measured;
  const DeviceRates launched = with_launch(rates, calibration.launch);
  const IdVector<NodeId, Work> work = work_of_measured(measured, type);
  const double unit = seconds_per_unit(measured);
  for (ClassId c : measured.platform.classes_of(DeviceKind::Accelerator)) {
    for (NodeId v : result.graph.nodes.all()) {
      double& time = result.graph.nodes[v].time[c.index()];
      if (std::isfinite(time) && work[v].family != OperatorFamily::Other)
        time = estimate(work[v], launched, calibration.efficiencies) / unit;
    }
  }
  return result;
}

}  // namespace partita
