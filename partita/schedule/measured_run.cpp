// SPDX-License-Identifier: Apache-2.0
// Time per sample. A real run has no pattern that repeats to the nanosecond. While the pipeline fills and drains, samples
// leave in other times than in between: we look at those that leave after the first quarter and before the last one
// begins, or, where a device runs far ahead of the others, at the middle half. Within a block of samples the time between
// them counts as a mean, since one that is held up holds up all behind it; of five blocks one after the other the median
// counts, so that a pause of the machine does not.
//
// Tests: tests/schedule/measured_run_test.cpp; a trace of a simulation measures as the simulation itself.
#include "partita/schedule/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partita/check/times.h"
#include "partita/schedule/measure.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita {

using namespace detail;

namespace {

constexpr double kRoundedTo = 2.5e-9;    // seconds: a trace has nanoseconds, and a pattern compares two of its times
constexpr double kLeastRounding = 1e-6;  // of a lane's time, whose many slices are rounded one by one
constexpr std::size_t kFewestEnds = 4;   // to take a mean of
constexpr std::size_t kBlocks = 5;
constexpr std::size_t kFewestOfABlock = 5;  // samples
constexpr std::size_t kDevicesListed = 6;   // in a message

class RunMeasurer {
 public:
  RunMeasurer(const Problem& problem, const CheckReport& report, const Simulation& predicted, const RunTrace& trace)
      : problem_(problem),
        report_(report),
        predicted_(predicted),
        trace_(trace),
        per_second_(1 / seconds_in(problem.workload->time_unit).value_or(kUnnamedUnit)) {}

  Simulation measure() {
    run_.kind = predicted_.kind;
    run_.microbatches = predicted_.microbatches;
    run_.pieces = predicted_.pieces;
    run_.devices.resize(predicted_.devices.size());
    run_.memory.resize(predicted_.devices.size());
    find_devices();
    for (const RunTrace::Lane& lane : trace_.lanes) add_lane(lane);
    number_samples();
    for (const RunTrace::Slice& slice : trace_.slices) add_interval(slice);
    measure_stream();
    measure_devices();
    return std::move(run_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(ErrorKind::BadField, trace_.source, problem);
  }

  void add_lane(const RunTrace::Lane& lane) {
    if (lane.shared_links) {
      run_.lanes.push_back({DeviceId(), lane.name.empty() ? kSharedLinks : lane.name});
      return;
    }
    const DeviceId device = device_of(lane);
    run_.lanes.push_back({device, lane.name.empty() ? problem_.workload->platform.device_name(device) : lane.name});
  }

  DeviceId device_of(const RunTrace::Lane& lane) const {
    DeviceId device;
    if (!lane.device.empty()) {
      const auto known = by_name_.find(lane.device);
      if (known != by_name_.end()) device = known->second;
    } else if (lane.process >= 1 && lane.process <= static_cast<std::int64_t>(run_.devices.size())) {
      device = DeviceId(static_cast<std::size_t>(lane.process - 1));
    }
    if (device.valid() && at_work_[device]) return device;
    const std::string found = lane.device.empty()
                                  ? fmt::format("process {} has no name, and its number", lane.process)
                                  : fmt::format("process '{}'", visible(lane.device, kLongestShownName));
    std::vector<std::string> expected;
    for (DeviceId d : at_work_.all()) {
      if (at_work_[d]) expected.push_back(visible(problem_.workload->platform.device_name(d), kLongestShownName));
    }
    const bool more = expected.size() > kDevicesListed;
    if (more) expected.resize(kDevicesListed);
    fail(fmt::format("{} is no device that runs something in the plan; expected {}{}", found, fmt::join(expected, ", "),
                     more ? ", ..." : ""));
  }

  void find_devices() {
    const Platform& platform = problem_.workload->platform;
    at_work_.resize(run_.devices.size(), 0);
    for (DeviceId d : at_work_.all()) {
      by_name_.emplace(visible(platform.device_name(d)), d);
      if (report_.devices[d].original.valid()) at_work_[d] = 1;
    }
    for (const Piece& piece : run_.pieces.pieces) at_work_[piece.device] = 1;
  }

  void number_samples() {
    for (const RunTrace::Slice& slice : trace_.slices) number_.try_emplace(slice.sample, 0);
    std::uint32_t next = 0;
    for (auto& [sample, number] : number_) number = next++;
    run_.samples = number_.size();
    spans_.resize(run_.samples);
  }

  void add_interval(const RunTrace::Slice& slice) {
    const LaneId lane(slice.lane);
    run_.intervals.push_back({lane, piece_of(slice, run_.lanes[lane].device), slice.phase, number_.at(slice.sample),
                              per_second_ * slice.start, per_second_ * slice.finish});
  }

  PieceId piece_of(const RunTrace::Slice& slice, DeviceId device) {
    const auto& pieces = run_.pieces.pieces;
    const DeviceId original =
        device.valid() && report_.devices[device].original.valid() ? report_.devices[device].original : device;
    if (slice.piece && *slice.piece < pieces.size() &&
        (!original.valid() || pieces[PieceId(*slice.piece)].device == original))
      return PieceId(*slice.piece);
    // Nobody says, or says it of files that a model was cut into in another way than a simulation cuts it: the first
    // one of the device in this pass, else of the device.
    const auto [entry, is_new] = first_pieces_.try_emplace({original, slice.backward}, PieceId(0));
    if (is_new) {
      const auto search = [&](bool any_pass) {
        for (PieceId p : pieces.all()) {
          const bool own = !original.valid() || pieces[p].device == original;
          if (own && (any_pass || pieces[p].backward == slice.backward)) return entry->second = p, true;
        }
        return false;
      };
      if (!search(false)) search(true);
    }
    return entry->second;
  }

  void measure_stream() {
    for (const Interval& interval : run_.intervals) {
      SampleSpan& span = spans_[interval.sample];
      span.begin = std::min(span.begin, interval.start);
      span.end = std::max(span.end, interval.finish);
    }
    const std::size_t batch = std::max<std::size_t>(run_.microbatches, 1);
    const auto at_work = static_cast<std::size_t>(std::ranges::count(at_work_, 1));
    const std::size_t burst = run_.kind == ScheduleKind::OneF1B ? at_work : 0;
    measure_times(spans_, {burst, least_time() * static_cast<double>(batch), per_second_ * kRoundedTo}, run_);
    if (!predicted_.steady) {
      run_.steady = false;
      run_.time_per_sample = run_.makespan / static_cast<double>(run_.samples);
    } else if (!run_.steady) {
      take_blocks(batch);
    }
  }

  // What the busiest lane needs for a sample.
  double least_time() const {
    IdVector<LaneId, double> busy(run_.lanes.size(), 0);
    for (const Interval& interval : run_.intervals) busy[interval.lane] += interval.finish - interval.start;
    const double most = *std::max_element(busy.begin(), busy.end());
    return (1 - kLeastRounding) * most / static_cast<double>(run_.samples);
  }

  static double middle_of(std::vector<double> times) {
    std::ranges::sort(times);
    return (times[times.size() / 2] + times[(times.size() - 1) / 2]) / 2;
  }

  void take_blocks(std::size_t batch) {
    std::vector<double> ends = ends_of_batches(spans_, batch);
    std::ranges::sort(ends);
    const double last_begins = start_of_last_batch(spans_, batch);
    const std::size_t first = ends.size() / 4;
    std::size_t last = static_cast<std::size_t>(std::ranges::upper_bound(ends, last_begins) - ends.begin());
    if (last < first + std::max(kFewestEnds, ends.size() / 4)) last = ends.size() - ends.size() / 4;
    if (last < first + kFewestEnds) return;
    const std::size_t count = last - 1 - first;
    const std::size_t blocks = std::clamp<std::size_t>(count / kFewestOfABlock, 1, kBlocks);
    std::vector<double> times;
    for (std::size_t k = 0; k < blocks; ++k) {
      const std::size_t from = first + count * k / blocks;
      const std::size_t to = first + count * (k + 1) / blocks;
      times.push_back((ends[to] - ends[from]) / static_cast<double>((to - from) * batch));
    }
    run_.steady = true;
    run_.time_per_sample = middle_of(std::move(times));
  }

  void measure_devices() {
    struct Busy {
      std::vector<std::pair<double, double>> times;
      std::map<std::uint32_t, SampleSpan> samples;
    };
    IdVector<DeviceId, Busy> busy(run_.devices.size());
    for (const Interval& interval : run_.intervals) {
      const DeviceId device = run_.lanes[interval.lane].device;
      if (!device.valid()) continue;
      DeviceUse& use = run_.devices[device];
      double* const spent[] = {&use.in, &use.compute, &use.out, &use.sync};
      *spent[static_cast<std::size_t>(interval.phase)] += interval.finish - interval.start;
      busy[device].times.emplace_back(interval.start, interval.finish);
      SampleSpan& span = busy[device].samples[interval.sample];
      span.begin = std::min(span.begin, interval.start);
      span.end = std::max(span.end, interval.finish);
    }
    for (DeviceId device : run_.devices.all()) {
      DeviceUse& use = run_.devices[device];
      use.busy = united_length(busy[device].times);
      use.samples = busy[device].samples.size();
      std::vector<std::pair<double, int>> changes;  // those that end before those that begin
      for (const auto& [sample, span] : busy[device].samples) {
        changes.emplace_back(span.begin, 1);
        changes.emplace_back(span.end, -1);
      }
      std::ranges::sort(changes);
      int held = 0;
      for (const auto& [time, change] : changes)
        use.most_in_flight = std::max(use.most_in_flight, static_cast<std::size_t>(std::max(held += change, 0)));
    }
  }

  const Problem& problem_;
  const CheckReport& report_;
  const Simulation& predicted_;
  const RunTrace& trace_;
  double per_second_;
  Simulation run_;
  std::unordered_map<std::string, DeviceId> by_name_;
  IdVector<DeviceId, char> at_work_;
  std::map<std::uint32_t, std::uint32_t> number_;  // of each sample of the trace
  std::map<std::pair<DeviceId, bool>, PieceId> first_pieces_;
  std::vector<SampleSpan> spans_;
};

}  // namespace

Simulation measured_run(const Problem& problem, const CheckReport& report, const Simulation& predicted,
                        const RunTrace& trace) {
  return RunMeasurer(problem, report, predicted, trace).measure();
}

}  // namespace partita
