// SPDX-License-Identifier: Apache-2.0
// Events are formatted straight into the text: a trace of a thousand samples has some hundred thousand numbers, and a
// tree of JSON values would take ten times as long. Only names, which may hold anything, go through the JSON library.
//
// Rounding. Starts and finishes are rounded to nanoseconds, each by itself, and a duration is the difference of the two
// rounded numbers. Rounding is monotone, so that what does not overlap does not overlap when rounded either.
#include "partita/report/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "partita/check/times.h"
#include "partita/report/used_devices.h"
#include "partita/util/version.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr double kUnknownUnit = 1e-3;       // seconds: a unit that nobody names is taken for a millisecond
constexpr double kLatest = 9e18;            // of 64-bit nanoseconds
constexpr std::uint32_t kWithArrows = 100;  // samples: later ones only repeat the pattern

// The format has microseconds.
std::string microseconds(std::int64_t time) { return fmt::format("{}.{:03}", time / 1000, time % 1000); }

// A thread of its own for each lane, none of them 0, which stands for an idle processor in some viewers.
// Shared links are behind the devices.
std::size_t process_of(DeviceId device, const Simulation& simulation) {
  return (device.valid() ? device.index() : simulation.devices.size()) + 1;
}
std::size_t thread_of(LaneId lane) { return lane.index() + 1; }

std::string quoted(const std::string& text) {
  return nlohmann::json(visible(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class Trace {
 public:
  Trace(const Problem& problem, const CheckReport& report, const Simulation& simulation)
      : problem_(problem),
        report_(report),
        simulation_(simulation),
        nanoseconds_per_unit_(1e9 * seconds_in(problem.workload->time_unit).value_or(kUnknownUnit)) {}

  std::string text() {
    fmt::format_to(out(),
                   "{{\"displayTimeUnit\": \"ms\", \"otherData\": {{\"workload\": {}, \"schedule\": \"{}\", "
                   "\"program\": \"partita {}\"}}, \"traceEvents\": [",
                   quoted(problem_.workload->name), to_string(simulation_.kind), version());
    add_names();
    collect();
    for (const Event& event : events_) write(event);
    fmt::format_to(out(), "\n]}}\n");
    return fmt::to_string(buffer_);
  }

 private:
  // In the order in which events at the same time are written: an arrow must find its slices begun.
  enum class Kind : std::uint8_t { Counter, Slice, ArrowStart, ArrowEnd };

  struct Event {
    std::int64_t time = 0;
    Kind kind = Kind::Slice;
    std::size_t what = 0;   // Counter: a point of `device`'s memory; else an interval
    std::size_t arrow = 0;  // its number
    DeviceId device;
  };

  std::int64_t nanoseconds(double time) const {
    return std::llround(std::clamp(time * nanoseconds_per_unit_, 0.0, kLatest));
  }

  std::back_insert_iterator<fmt::memory_buffer> out() { return std::back_inserter(buffer_); }

  void begin_event() {
    fmt::format_to(out(), "{}\n", first_ ? "" : ",");
    first_ = false;
  }

  void add_names() {
    std::size_t place = 0;
    for (const UsedDevice& used : used_devices(report_, simulation_)) {
      add_name("process", process_of(used.device, simulation_), 0, problem_.workload->platform.device_name(used.device),
               place++);
    }
    if (std::ranges::any_of(simulation_.lanes, [](const Lane& lane) { return !lane.device.valid(); }))
      add_name("process", process_of(DeviceId(), simulation_), 0, "shared links", place++);
    for (LaneId lane : simulation_.lanes.all()) {
      const Lane& one = simulation_.lanes[lane];
      add_name("thread", process_of(one.device, simulation_), thread_of(lane), one.name, lane.index());
    }
  }

  void add_name(const char* of, std::size_t process, std::size_t thread, const std::string& name, std::size_t place) {
    const std::string who =
        thread ? fmt::format("\"pid\": {}, \"tid\": {}", process, thread) : fmt::format("\"pid\": {}", process);
    begin_event();
    fmt::format_to(out(), R"({{"ph": "M", "name": "{}_name", {}, "args": {{"name": {}}}}})", of, who, quoted(name));
    begin_event();
    fmt::format_to(out(), R"({{"ph": "M", "name": "{}_sort_index", {}, "args": {{"sort_index": {}}}}})", of, who,
                   place);
  }

  void collect() {
    const std::vector<Interval>& intervals = simulation_.intervals;
    for (std::size_t i = 0; i < intervals.size(); ++i)
      events_.push_back({nanoseconds(intervals[i].start), Kind::Slice, i, 0, {}});
    for (DeviceId d : simulation_.memory.all()) {
      for (std::size_t i = 0; i < simulation_.memory[d].size(); ++i)
        events_.push_back({nanoseconds(simulation_.memory[d][i].time), Kind::Counter, i, 0, d});
    }
    collect_arrows();
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return a.time != b.time ? a.time < b.time : a.kind < b.kind;
    });
  }

  // From the last interval of a piece to the first one of each piece on another device that needs it. An arrow is tied
  // to the slice that holds its time, and a slice does not hold its own end: hence the starts.
  void collect_arrows() {
    struct Ends {
      std::size_t first = 0;
      std::size_t last = 0;
    };
    const auto& pieces = simulation_.pieces.pieces;
    const auto key = [&](PieceId piece, std::uint32_t sample) { return sample * pieces.size() + piece.index(); };
    std::unordered_map<std::size_t, Ends> ends;
    for (std::size_t i = 0; i < simulation_.intervals.size(); ++i) {
      const Interval& interval = simulation_.intervals[i];
      if (interval.sample >= kWithArrows || interval.phase == Phase::Sync) continue;
      ends.try_emplace(key(interval.piece, interval.sample), Ends{i, i}).first->second.last = i;
    }
    std::size_t arrow = 0;
    for (std::size_t i = 0; i < simulation_.intervals.size(); ++i) {
      const Interval& to = simulation_.intervals[i];
      const auto own = ends.find(key(to.piece, to.sample));
      if (own == ends.end() || own->second.first != i) continue;
      for (PieceId before : pieces[to.piece].after) {
        const auto from = ends.find(key(before, to.sample));
        if (from == ends.end() || pieces[before].device == pieces[to.piece].device) continue;
        const std::size_t start = from->second.last;
        events_.push_back({nanoseconds(simulation_.intervals[start].start), Kind::ArrowStart, start, arrow, {}});
        events_.push_back({nanoseconds(to.start), Kind::ArrowEnd, i, arrow, {}});
        ++arrow;
      }
    }
  }

  void write(const Event& event) {
    begin_event();
    const std::string time = microseconds(event.time);
    if (event.kind == Kind::Counter) {
      const MemoryPoint& point = simulation_.memory[event.device][event.what];
      const std::size_t process = process_of(event.device, simulation_);
      fmt::format_to(out(),
                     R"({{"ph": "C", "name": "samples in flight", "pid": {}, "ts": {}, "args": {{"samples": {}}}}},)",
                     process, time, point.in_flight);
      fmt::format_to(
          out(), "\n{{\"ph\": \"C\", \"name\": \"memory\", \"pid\": {}, \"ts\": {}, \"args\": {{\"bytes\": {:.0f}}}}}",
          process, time, point.bytes);
      return;
    }
    const Interval& interval = simulation_.intervals[event.what];
    const std::size_t process = process_of(simulation_.lanes[interval.lane].device, simulation_);
    const std::size_t thread = thread_of(interval.lane);
    if (event.kind == Kind::Slice) {
      write_slice(interval, event.time, process, thread);
    } else if (event.kind == Kind::ArrowStart) {
      fmt::format_to(out(),
                     R"({{"ph": "s", "id": {}, "name": "sample {}", "cat": "flow", "ts": {}, "pid": {}, "tid": {}}})",
                     event.arrow, interval.sample, time, process, thread);
    } else {
      fmt::format_to(
          out(),
          R"({{"ph": "f", "bp": "e", "id": {}, "name": "sample {}", "cat": "flow", "ts": {}, "pid": {}, "tid": {}}})",
          event.arrow, interval.sample, time, process, thread);
    }
  }

  void write_slice(const Interval& interval, std::int64_t start, std::size_t process, std::size_t thread) {
    const Piece& piece = simulation_.pieces.pieces[interval.piece];
    const char* phase = to_string(interval.phase);
    const bool compute = interval.phase == Phase::Compute;
    fmt::format_to(out(), R"({{"ph": "X", "name": "{}{}", "cat": "{}", "ts": {}, "dur": {}, "pid": {}, "tid": {}, )",
                   compute ? (piece.backward ? "B" : "F") : fmt::format("{} ", phase), interval.sample, phase,
                   microseconds(start), microseconds(nanoseconds(interval.finish) - start), process, thread);
    fmt::format_to(out(), R"("args": {{"sample": {}, "piece": {}, "backward": {}, "nodes": {}}}}})", interval.sample,
                   interval.piece.index(), piece.backward, piece.nodes.size());
  }

  const Problem& problem_;
  const CheckReport& report_;
  const Simulation& simulation_;
  double nanoseconds_per_unit_;
  std::vector<Event> events_;
  fmt::memory_buffer buffer_;
  bool first_ = true;
};

}  // namespace

std::string trace_json(const Problem& problem, const CheckReport& report, const Simulation& simulation) {
  return Trace(problem, report, simulation).text();
}

}  // namespace partita::detail
