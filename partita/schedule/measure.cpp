// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/measure.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "partita/schedule/remark.h"
#include "partita/schedule/round_schedule.h"
#include "partita/schedule/steady_state.h"

namespace partita::detail {
namespace {

std::vector<SampleSpan> sample_spans(const Steps& steps, const Timing& timing) {
  std::vector<SampleSpan> spans(timing.samples());
  for (std::size_t n = 0; n < spans.size(); ++n) {
    for (StepId s : steps.steps.all()) {
      spans[n].begin = std::min(spans[n].begin, timing.start(s, n));
      spans[n].end = std::max(spans[n].end, timing.finish(s, n));
    }
    if (steps.steps.empty()) spans[n].begin = 0;
  }
  return spans;
}

// 1f1b lets samples in by those that leave, as many at once as there are devices.
std::size_t longest_burst(const Steps& steps, const Simulation& simulation) {
  if (simulation.kind != ScheduleKind::OneF1B) return 0;
  std::size_t devices = 0;
  for (const std::vector<DeviceId>& sharers : steps.sharers) devices += sharers.size();
  return devices;
}

void measure_devices(const Steps& steps, const Timing& timing, Simulation& result) {
  for (DeviceId original : steps.sharers.all()) {
    const std::vector<DeviceId>& sharers = steps.sharers[original];
    std::vector<StepId> own;
    for (StepId s : steps.steps.all()) {
      if (steps[s].device == original) own.push_back(s);
    }
    for (std::size_t place = 0; place < sharers.size(); ++place) {
      DeviceUse& use = result.devices[sharers[place]];
      std::vector<std::pair<double, double>> busy;
      for (std::size_t n = place; n < timing.samples(); n += sharers.size()) {
        ++use.samples;
        for (StepId s : own) {
          const auto& spent = steps[s].spent;
          use.in += spent[0];
          use.compute += spent[1];
          use.out += spent[2];
          use.sync += spent[3];
          busy.emplace_back(timing.start(s, n), timing.finish(s, n));
        }
      }
      use.busy = united_length(busy);
    }
  }
}

void record_intervals(const Steps& steps, const Timing& timing, std::size_t record, Simulation& result) {
  for (std::size_t n = 0; n < std::min(record, timing.samples()); ++n) {
    for (StepId s : steps.steps.all()) {
      const Step& step = steps[s];
      double start = timing.start(s, n);
      std::size_t last = 0;  // the last phase that takes time ends where the step ends, whatever rounding says
      for (std::size_t phase = 0; phase < step.spent.size(); ++phase) {
        if (step.spent[phase] > 0) last = phase;
      }
      for (std::size_t phase = 0; phase <= last; ++phase) {
        if (!(step.spent[phase] > 0)) continue;
        const double finish = phase == last ? timing.finish(s, n) : start + step.spent[phase];
        result.intervals.push_back(
            {step.lane(n), step.piece, static_cast<Phase>(phase), static_cast<std::uint32_t>(n), start, finish});
        start = finish;
      }
    }
  }
  std::sort(result.intervals.begin(), result.intervals.end(), [](const Interval& a, const Interval& b) {
    return std::tie(a.start, a.lane, a.finish, a.sample, a.piece) <
           std::tie(b.start, b.lane, b.finish, b.sample, b.piece);
  });
}

}  // namespace

std::vector<double> ends_of_batches(const std::vector<SampleSpan>& spans, std::size_t batch) {
  std::vector<double> ends;
  for (std::size_t begin = 0; begin < spans.size(); begin += batch) {
    double end = 0;
    for (std::size_t n = begin; n < std::min(begin + batch, spans.size()); ++n) end = std::max(end, spans[n].end);
    ends.push_back(end);
  }
  return ends;
}

double start_of_last_batch(const std::vector<SampleSpan>& spans, std::size_t batch) {
  double start = std::numeric_limits<double>::infinity();
  for (std::size_t n = (spans.size() - 1) / batch * batch; n < spans.size(); ++n)
    start = std::min(start, spans[n].begin);
  return start;
}

void measure_times(const std::vector<SampleSpan>& spans, const SteadyRules& rules, Simulation& result) {
  const std::size_t samples = spans.size();
  const std::size_t batch = std::max<std::size_t>(result.microbatches, 1);
  for (const SampleSpan& span : spans) result.makespan = std::max(result.makespan, span.end);
  result.latency = spans[samples / 2].end - spans[samples / 2].begin;

  const std::vector<double> ends = ends_of_batches(spans, batch);
  const double last_begins = start_of_last_batch(spans, batch);
  result.warm_up_end = ends.front();
  result.drain_begin = std::max(result.warm_up_end, last_begins);

  // What ends before the last batch begins cannot know that it is the last. Where a device runs far ahead of the
  // others, that is little, and we look at the first three quarters. There all samples may be under way when the first
  // one ends, and leave faster than any could follow: a time that is less than the busiest lane needs is none.
  const auto steady_until = [&](std::vector<double>::const_iterator end) {
    const std::optional<double> time = steady_time({ends.begin(), end}, rules.burst, kLongestPeriod, rules.slack);
    return time && *time >= rules.least ? time : std::nullopt;
  };
  std::optional<double> steady =
      steady_until(std::find_if(ends.begin(), ends.end(), [&](double end) { return end > last_begins; }));
  if (!steady) steady = steady_until(ends.end() - static_cast<std::ptrdiff_t>(ends.size() / 4));
  result.steady = steady.has_value();
  result.time_per_sample =
      steady ? *steady / static_cast<double>(batch) : result.makespan / static_cast<double>(samples);
}

double united_length(std::vector<std::pair<double, double>>& spans) {
  std::sort(spans.begin(), spans.end());
  double length = 0;
  double until = -std::numeric_limits<double>::infinity();
  for (const auto& [begin, end] : spans) {
    if (end <= until) continue;
    length += end - std::max(begin, until);
    until = end;
  }
  return length;
}

std::size_t samples_to_record(const Steps& steps, const SimulationOptions& options) {
  const std::size_t fit = options.record_steps / std::max<std::size_t>(steps.steps.size(), 1);
  return std::min(options.record, std::max<std::size_t>(fit, 1));
}

void measure(const Steps& steps, const Timing& timing, std::size_t record, Simulation& result) {
  const double batch = static_cast<double>(std::max<std::size_t>(result.microbatches, 1));
  const double least = (1 - kSameTime) * busiest_lane(steps, all_steps(steps)) * batch;
  measure_times(sample_spans(steps, timing), {longest_burst(steps, result), least}, result);
  measure_devices(steps, timing, result);
  record_intervals(steps, timing, record, result);
}

}  // namespace partita::detail
