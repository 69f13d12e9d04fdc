// SPDX-License-Identifier: Apache-2.0
// Of the Trace Event Format what a run needs: complete events ("X") whose category is a phase, and the names of
// processes and threads ("M"). Counters, arrows, operators and what other programs add are passed over. Names may stand
// behind what they name, so that lanes are known by numbers until the end.
//
// Clocks of real runs are read twice between two slices, and written as floating-point microseconds: slices may overlap
// by what that loses, and are then cut.
#include "partita/read/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/memory_meter.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

using nlohmann::json;

constexpr double kMicrosecond = 1e-6;
constexpr double kOverlap = 1.001;    // us by which slices of a lane may overlap, and a little for rounding
constexpr double kLatestTime = 1e16;  // us: three hundred years, so that times since 1970 are taken too
constexpr std::size_t kNameBytes = 300;

using LaneKey = std::pair<std::int64_t, std::int64_t>;  // process, thread

class TraceBuilder final : public DocumentListener {
 public:
  TraceBuilder(const std::string& source, const ReadOptions& options) : source_(source), meter_(options.memory) {
    trace_.source = source;
  }

  const char* expected() const override {
    return "a trace: an object with traceEvents, as `partita simulate --trace` writes it";
  }

  Keep keep(const std::string& key) override {
    if (key == "traceEvents") return Keep::Elements;
    return key == "otherData" ? Keep::Scalars : Keep::Nothing;
  }

  void element(const std::string&, std::size_t index, const json& element, const json&) override {
    const Place list = root_.member("traceEvents");
    const Place place = list.element(index);
    const ObjectView event(element, place, "an event of a trace");
    const std::string kind = event.text("ph", "the kind of event").value_or("");
    if (kind == "M") {
      add_name(event);
    } else if (kind == "X") {
      add_slice(event);
    }
  }

  RunTrace finish(const json& document) {
    const ObjectView view(document, root_, expected());
    view.array("traceEvents", "the list of what happened");
    if (const json* other = view.find("otherData")) {
      const Place place = root_.member("otherData");
      const ObjectView facts(*other, place, "what is known of the trace");
      trace_.workload = facts.text("workload", "the name of a workload").value_or("");
      trace_.schedule = facts.text("schedule", "the name of a schedule").value_or("");
    }
    if (trace_.slices.empty()) {
      root_.member("traceEvents")
          .fail(ErrorKind::BadField,
                "has no slice of a run; expected events with \"ph\": \"X\" and a \"cat\" of in, compute, out or sync");
    }
    name_lanes();
    sort_slices();
    count_samples();
    return std::move(trace_);
  }

 private:
  void add_name(const ObjectView& event) {
    const std::string what = event.text("name", "the name of an event").value_or("");
    if (what != "process_name" && what != "thread_name") return;
    const json* given = event.find("args");
    if (!given) event.place().fail(ErrorKind::BadField, "names nothing; expected args with a name");
    const Place place = event.place().member("args");
    std::string name = ObjectView(*given, place, "an object with a name").text("name", "a name").value_or("");
    meter_.add(kNameBytes + name.size(), place);
    const std::int64_t process = event.integer("pid", "the number of a process");
    if (what == "process_name") {
      processes_[process] = std::move(name);
    } else {
      threads_[{process, thread_of(event)}] = std::move(name);
    }
  }

  static std::int64_t thread_of(const ObjectView& event) {
    return event.optional_integer("tid", "the number of a thread").value_or(0);
  }

  void add_slice(const ObjectView& event) {
    const std::optional<Phase> phase = parse_phase(event.text("cat", "a category").value_or(""));
    if (!phase) return;
    meter_.add(2 * sizeof(RunTrace::Slice), event.place());
    const std::optional<double> start = event.number("ts", "when it began, in us");
    if (!start) event.place().member("ts").fail(ErrorKind::BadField, "is missing; expected when it began, in us");
    const double duration = event.amount("dur", "how long it took, in us");
    if (std::abs(*start) > kLatestTime || duration > kLatestTime) {
      event.place().fail(ErrorKind::BadNumber,
                         fmt::format("begins or lasts beyond {:g} us; expected the times of one run", kLatestTime));
    }
    RunTrace::Slice slice;
    slice.phase = *phase;
    slice.start = *start;  // in us until all are there: seconds of a clock of many years would lose the microseconds
    slice.finish = *start + duration;
    read_arguments(event, slice);
    slice.lane = lane_of(event);
    trace_.slices.push_back(slice);
  }

  static void read_arguments(const ObjectView& event, RunTrace::Slice& slice) {
    const json* given = event.find("args");
    const Place place = event.place().member("args");
    if (!given) event.place().fail(ErrorKind::BadField, "lacks args; expected args with the number of the sample");
    const ObjectView arguments(*given, place, "an object with the number of the sample");
    const std::int64_t sample = arguments.integer("sample", "the number of a sample, from 0");
    if (sample < 0 || sample >= static_cast<std::int64_t>(kMostRunSamples)) {
      place.member("sample").fail(
          ErrorKind::BadNumber,
          fmt::format("is {}; expected the number of a sample, from 0 to {}", sample, kMostRunSamples - 1));
    }
    slice.sample = static_cast<std::uint32_t>(sample);
    slice.backward = arguments.flag("backward", false);
    if (const auto piece = arguments.optional_integer("piece", "the number of a piece, from 0")) {
      if (*piece < 0 || *piece > INT32_MAX)
        place.member("piece").fail(ErrorKind::BadNumber,
                                   fmt::format("is {}; expected the number of a piece, from 0", *piece));
      slice.piece = static_cast<std::uint32_t>(*piece);
    }
  }

  std::uint32_t lane_of(const ObjectView& event) {
    const LaneKey key{event.integer("pid", "the number of a process"), thread_of(event)};
    const auto [entry, is_new] = lanes_.try_emplace(key, static_cast<std::uint32_t>(lanes_.size()));
    if (is_new && lanes_.size() > kMostRunLanes) {
      event.place().fail(ErrorKind::BadField,
                         fmt::format("is on one more thread than the {} that are read; expected one or a few for each "
                                     "device",
                                     kMostRunLanes));
    }
    return entry->second;
  }

  void name_lanes() {
    trace_.lanes.resize(lanes_.size());
    for (const auto& [key, place] : lanes_) {
      RunTrace::Lane& lane = trace_.lanes[place];
      const auto process = processes_.find(key.first);
      const auto thread = threads_.find(key);
      lane.process = key.first;
      if (process != processes_.end()) lane.device = process->second;
      if (thread != threads_.end()) lane.name = thread->second;
      lane.shared_links = lane.device == kSharedLinks;
    }
  }

  void sort_slices() {
    std::vector<RunTrace::Slice>& slices = trace_.slices;
    std::ranges::stable_sort(slices, [](const RunTrace::Slice& a, const RunTrace::Slice& b) {
      return std::pair(a.start, a.finish) < std::pair(b.start, b.finish);
    });
    const double first = slices.front().start;
    std::vector<double> until(trace_.lanes.size(), 0);
    for (RunTrace::Slice& slice : slices) {
      slice.start -= first;
      slice.finish -= first;
      if (slice.start < until[slice.lane] - kOverlap) fail_overlap(slice, until[slice.lane]);
      slice.start = std::max(slice.start, until[slice.lane]);
      slice.finish = std::max(slice.finish, slice.start);
      until[slice.lane] = slice.finish;
    }
    for (RunTrace::Slice& slice : slices) {
      slice.start *= kMicrosecond;
      slice.finish *= kMicrosecond;
    }
    // A start that was cut may have come behind its neighbour's.
    std::ranges::stable_sort(slices, {}, &RunTrace::Slice::start);
  }

  [[noreturn]] void fail_overlap(const RunTrace::Slice& slice, double until) const {
    const RunTrace::Lane& lane = trace_.lanes[slice.lane];
    const std::string& name = lane.name.empty() ? lane.device : lane.name;
    root_.member("traceEvents")
        .fail(ErrorKind::BadField,
              fmt::format(
                  "{} of sample {} begins on {} {:.6g} us before what runs there has ended; expected one thing at a "
                  "time on a thread: give what runs beside it a thread of its own",
                  to_string(slice.phase), slice.sample,
                  name.empty() ? fmt::format("process {}", lane.process) : fmt::format("'{}'", one_line(name, 60)),
                  until - slice.start));
  }

  void count_samples() {
    std::vector<bool> seen(kMostRunSamples, false);
    for (const RunTrace::Slice& slice : trace_.slices) seen[slice.sample] = true;
    trace_.samples = static_cast<std::size_t>(std::ranges::count(seen, true));
  }

  const std::string source_;
  const Place root_{source_};
  MemoryMeter meter_;
  RunTrace trace_;
  std::map<LaneKey, std::uint32_t> lanes_;
  std::map<std::int64_t, std::string> processes_;
  std::map<LaneKey, std::string> threads_;
};

RunTrace read_trace_text(TextStream text, const ReadOptions& options) {
  TraceBuilder builder(text.source(), options);
  return builder.finish(read_json(text, builder));
}

}  // namespace

RunTrace parse_trace(std::string_view bytes, const std::string& source, const ReadOptions& options) {
  return read_trace_text(TextStream(memory_source(bytes), source), options);
}

RunTrace read_trace(const std::string& path, const ReadOptions& options) {
  return read_trace_text(TextStream(file_source(path), source_name(path)), options);
}

}  // namespace partita
