// SPDX-License-Identifier: Apache-2.0
// Rounding. Starts and finishes are rounded to nanoseconds, each by itself, and a duration is the difference of the two
// rounded numbers. Rounding is monotone, so that what does not overlap does not overlap when rounded either.
#include "partita/report/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "partita/check/times.h"
#include "partita/model/run_trace.h"
#include "partita/report/used_devices.h"
#include "partita/schedule/operators.h"
#include "partita/util/json_writer.h"
#include "partita/util/version.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr double kLatest = 9e18;                 // of 64-bit nanoseconds
constexpr std::uint32_t kWithArrows = 100;       // samples: later ones only repeat the pattern
constexpr std::size_t kWithOperators = 5;        // samples; fewer, but the first in any case, where they have more than
constexpr std::size_t kMostOperators = 100'000;  // operators together

// The format has microseconds.
std::string microseconds(std::int64_t time) { return fmt::format("{}.{:03}", time / 1000, time % 1000); }

// A thread of its own for each lane, none of them 0, which stands for an idle processor in some viewers.
// Shared links are behind the devices.
std::size_t process_of(DeviceId device, const Simulation& simulation) {
  return (device.valid() ? device.index() : simulation.devices.size()) + 1;
}
std::size_t thread_of(LaneId lane) { return lane.index() + 1; }

class Trace {
 public:
  Trace(const Problem& problem, const CheckReport& report, const Simulation& simulation)
      : problem_(problem),
        report_(report),
        simulation_(simulation),
        nanoseconds_per_unit_(1e9 * seconds_in(problem.workload->time_unit).value_or(kUnnamedUnit)) {}

  std::string text() {
    collect();
    json_.object([&] {
      json_.field("displayTimeUnit", "ms");
      json_.key("otherData").object([&] {
        json_.field("workload", visible(problem_.workload->name));
        json_.field("schedule", to_string(simulation_.kind));
        json_.field("program", std::string("partita ") + version());
      });
      json_.key("traceEvents").array([&] {
        write_names();
        for (const Event& event : events_) write(event);
      });
    });
    return json_.take();
  }

 private:
  // In the order in which events at the same time are written: an arrow must find its slices begun, but for the
  // operators in them, as it is the piece that it leads to.
  enum class Kind : std::uint8_t { Counter, Slice, ArrowStart, ArrowEnd, Operator };

  struct Event {
    std::int64_t time = 0;
    Kind kind = Kind::Slice;
    std::size_t what = 0;    // Counter: a point of `device`'s memory; else an interval
    std::size_t number = 0;  // of the arrow, or of the operator in its piece
    DeviceId device;
    std::int64_t finish = 0;  // Operator
  };

  std::int64_t nanoseconds(double time) const {
    return std::llround(std::clamp(time * nanoseconds_per_unit_, 0.0, kLatest));
  }

  void write_names() {
    std::size_t place = 0;
    for (const UsedDevice& used : used_devices(report_, simulation_)) {
      write_name("process", process_of(used.device, simulation_), 0,
                 problem_.workload->platform.device_name(used.device), place++);
    }
    if (std::ranges::any_of(simulation_.lanes, [](const Lane& lane) { return !lane.device.valid(); }))
      write_name("process", process_of(DeviceId(), simulation_), 0, kSharedLinks, place++);
    for (LaneId lane : simulation_.lanes.all()) {
      const Lane& one = simulation_.lanes[lane];
      write_name("thread", process_of(one.device, simulation_), thread_of(lane), one.name, lane.index());
    }
  }

  void write_name(const std::string& of, std::size_t process, std::size_t thread, const std::string& name,
                  std::size_t place) {
    const auto write_event = [&](const char* what, auto write_argument) {
      json_.object([&] {
        json_.field("ph", "M");
        json_.field("name", of + "_" + what);
        json_.field("pid", process);
        if (thread > 0) json_.field("tid", thread);
        json_.key("args").object(write_argument);
      });
    };
    write_event("name", [&] { json_.field("name", visible(name)); });
    write_event("sort_index", [&] { json_.field("sort_index", place); });
  }

  void collect() {
    const std::vector<Interval>& intervals = simulation_.intervals;
    for (std::size_t i = 0; i < intervals.size(); ++i)
      events_.push_back({nanoseconds(intervals[i].start), Kind::Slice, i, 0, {}, 0});
    for (DeviceId d : simulation_.memory.all()) {
      for (std::size_t i = 0; i < simulation_.memory[d].size(); ++i)
        events_.push_back({nanoseconds(simulation_.memory[d][i].time), Kind::Counter, i, 0, d, 0});
    }
    collect_arrows();
    collect_operators();
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
        events_.push_back({nanoseconds(simulation_.intervals[start].start), Kind::ArrowStart, start, arrow, {}, 0});
        events_.push_back({nanoseconds(to.start), Kind::ArrowEnd, i, arrow, {}, 0});
        ++arrow;
      }
    }
  }

  // Inside the slices in which pieces compute, which they fill: each ends where the next one begins, so that rounding
  // neither makes them overlap nor lets one reach out of its slice. What takes no time, or less than the rounding, is
  // left out.
  void collect_operators() {
    operators_ = operators_of(problem_, report_, simulation_.pieces);
    std::size_t of_a_sample = 0;
    for (const auto& its : operators_) of_a_sample += its.size();
    const std::size_t fit = kMostOperators / std::max<std::size_t>(of_a_sample, 1);
    const std::size_t samples = std::clamp<std::size_t>(fit, 1, kWithOperators);
    for (std::size_t i = 0; i < simulation_.intervals.size(); ++i) {
      const Interval& interval = simulation_.intervals[i];
      if (interval.phase == Phase::Compute && interval.sample < samples) collect_operators_of(i);
    }
  }

  void collect_operators_of(std::size_t i) {
    const Interval& interval = simulation_.intervals[i];
    const std::vector<Operator>& operators = operators_[interval.piece];
    double total = 0;
    for (const Operator& one : operators) total += one.time;
    double done = 0;
    std::int64_t begin = nanoseconds(interval.start);
    for (std::size_t k = 0; k < operators.size(); ++k) {
      if (!(operators[k].time > 0)) continue;
      done += operators[k].time;
      const double end = interval.start + (interval.finish - interval.start) * std::min(done / total, 1.0);
      const std::int64_t finish = std::min(nanoseconds(end), nanoseconds(interval.finish));
      if (finish > begin) events_.push_back({begin, Kind::Operator, i, k, {}, finish});
      begin = finish;
    }
  }

  void write(const Event& event) {
    if (event.kind == Kind::Counter) {
      const MemoryPoint& point = simulation_.memory[event.device][event.what];
      write_counter("samples in flight", event, "samples", point.in_flight);
      write_counter("memory", event, "bytes", std::round(point.bytes));
      return;
    }
    const Interval& interval = simulation_.intervals[event.what];
    json_.object([&] {
      switch (event.kind) {
        case Kind::Slice: add_slice(interval, event.time); break;
        case Kind::Operator: add_operator(event, interval); break;
        default: add_arrow(event, interval.sample);
      }
      json_.field("pid", process_of(simulation_.lanes[interval.lane].device, simulation_));
      json_.field("tid", thread_of(interval.lane));
      if (event.kind == Kind::Slice) add_arguments(interval);
      if (event.kind == Kind::Operator) add_operator_arguments(operators_[interval.piece][event.number]);
    });
  }

  void add_time(const char* name, std::int64_t time) { json_.key(name).digits(microseconds(time)); }

  template <class Number>
  void write_counter(const char* name, const Event& event, const char* unit, Number number) {
    json_.object([&] {
      json_.field("ph", "C");
      json_.field("name", name);
      json_.field("pid", process_of(event.device, simulation_));
      add_time("ts", event.time);
      json_.key("args").object([&] { json_.field(unit, number); });
    });
  }

  void add_arrow(const Event& event, std::uint32_t sample) {
    json_.field("ph", event.kind == Kind::ArrowStart ? "s" : "f");
    if (event.kind == Kind::ArrowEnd) json_.field("bp", "e");
    json_.field("id", event.number);
    json_.field("name", fmt::format("sample {}", sample));
    json_.field("cat", "flow");
    add_time("ts", event.time);
  }

  void add_slice(const Interval& interval, std::int64_t start) {
    const bool backward = simulation_.pieces.pieces[interval.piece].backward;
    const std::string phase = to_string(interval.phase);
    const std::string what = interval.phase == Phase::Compute ? (backward ? "B" : "F") : phase + " ";
    json_.field("ph", "X");
    json_.field("name", what + std::to_string(interval.sample));
    json_.field("cat", phase);
    add_time("ts", start);
    add_time("dur", nanoseconds(interval.finish) - start);
  }

  void add_operator(const Event& event, const Interval& interval) {
    const Node& node = problem_.workload->graph.nodes[operators_[interval.piece][event.number].node];
    json_.field("ph", "X");
    json_.field("name", node.name.empty() ? fmt::format("node {}", node.original_id) : visible(node.name));
    json_.field("cat", "operator");
    add_time("ts", event.time);
    add_time("dur", event.finish - event.time);
  }

  void add_operator_arguments(const Operator& one) {
    const Node& node = problem_.workload->graph.nodes[one.node];
    json_.key("args").object([&] {
      json_.field("node", node.original_id);
      if (!node.op.empty()) json_.field("op", visible(node.op));
      if (one.again) json_.field("again", true);
    });
  }

  void add_arguments(const Interval& interval) {
    const Piece& piece = simulation_.pieces.pieces[interval.piece];
    json_.key("args").object([&] {
      json_.field("sample", interval.sample);
      json_.field("piece", interval.piece);
      json_.field("backward", piece.backward);
      json_.field("nodes", piece.nodes.size());
    });
  }

  const Problem& problem_;
  const CheckReport& report_;
  const Simulation& simulation_;
  double nanoseconds_per_unit_;
  IdVector<PieceId, std::vector<Operator>> operators_;
  std::vector<Event> events_;
  JsonWriter json_{JsonLayout::Rows};
};

}  // namespace

std::string trace_json(const Problem& problem, const CheckReport& report, const Simulation& simulation) {
  return Trace(problem, report, simulation).text();
}

}  // namespace partita::detail
