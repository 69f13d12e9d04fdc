// SPDX-License-Identifier: Apache-2.0
// What ONNX Runtime writes with enable_profiling: a list of events, one on each line, in us:
//
//   {"cat" : "Node","pid" :1,"tid" :1,"dur" :31,"ts" :5,"ph" : "X","name" :"conv1_kernel_time","args" : {"op_name" : "Conv", ...}},
//
// Names stand in it as the model has them, with quotes and backslashes that JSON would escape: a line that is no JSON for this
// reason is mended, as a name ends where "args" follows. Operators of the bodies of If and Loop have events of their own beside
// the event of the whole; they are no operators of the network, so that the whole counts and its parts do not. An operator
// takes the median of its runs without the first, which warms up. On a GPU the event of a node is its launch, and its kernels
// are events of the category Kernel that name it as their parent: then the kernels of a run are added up.
#include "partita/read/profile_onnxruntime.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/median.h"
#include "partita/read/text_stream.h"
#include "partita/util/error.h"

namespace partita::detail {

namespace {

using nlohmann::json;

constexpr std::string_view kNodeEnding = "_kernel_time";
constexpr std::size_t kMostEvents = 1'000'000;  // ONNX Runtime records no more, and does not say so in the file

struct Timed {
  double start = 0;  // us
  double duration = 0;
};

struct Event {
  std::string name;
  Timed time;
  double thread = 0;
  bool holds_a_body = false;
};

struct NodeEvents {
  std::vector<Timed> launches;
  std::vector<Timed> kernels;
};

// A JSON text in which the quotes and backslashes of the name are escaped; none where no name is found.
std::optional<std::string> with_escaped_name(std::string_view line) {
  constexpr std::string_view kName = "\"name\" :\"", kNext = "\",\"args\"";
  const std::size_t key = line.find(kName);
  const std::size_t end = line.rfind(kNext);
  if (key == std::string_view::npos || end == std::string_view::npos || end < key + kName.size()) return std::nullopt;
  const std::size_t begin = key + kName.size();
  std::string text(line.substr(0, begin));
  for (char c : line.substr(begin, end - begin)) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) text += c;
  }
  return text += line.substr(end);
}

// As ONNX Runtime does it: the list is opened on a line of its own, and each event is a line.
bool is_written_in_lines(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t line = text.find('\n', open);
  const std::size_t event = text.find('{', open);
  if (line == std::string_view::npos || event == std::string_view::npos || event < line) return false;
  return text.substr(event, text.find('\n', event) - event).find("\"dur\"") != std::string_view::npos;
}

// Events inside that of an If or a Loop on the same thread are those of its body: without them.
std::vector<Event> without_bodies(std::vector<Event> events) {
  std::ranges::sort(events, [](const Event& a, const Event& b) {
    return std::tuple(a.thread, a.time.start, -a.time.duration) < std::tuple(b.thread, b.time.start, -b.time.duration);
  });
  std::vector<Event> outermost;
  std::optional<Event> around;
  for (Event& event : events) {
    const double end = event.time.start + event.time.duration;
    if (around && around->thread == event.thread && end <= around->time.start + around->time.duration) continue;
    if (event.holds_a_body) around = event;
    outermost.push_back(std::move(event));
  }
  return outermost;
}

class OnnxRuntimeProfile {
 public:
  OnnxRuntimeProfile(const std::string& source, const ProfileNames& names) : source_(source), names_(names) {}

  void read(std::string_view text) {
    if (is_written_in_lines(text)) {
      read_lines(text);
    } else {
      TextStream stream(memory_source(text), source_);
      const json whole = read_json(stream);
      for (std::size_t i = 0; i < whole.size(); ++i) add_event(whole[i], fmt::format("{}: [{}]", source_, i));
    }
    if (events_ >= kMostEvents) {
      throw InputError(
          ErrorKind::BadField, source_,
          fmt::format("holds {} events, which is where ONNX Runtime stops recording: its last run is cut off; "
                      "profile fewer runs",
                      events_));
    }
  }

  Profile finish() {
    ProfileTimes times(names_, source_);
    for (Event& event : without_bodies(std::move(nodes_))) events_of(event.name).launches.push_back(event.time);
    const bool on_gpu = std::ranges::any_of(by_node_, [](const auto& entry) { return !entry.second.kernels.empty(); });
    std::size_t orphans = 0;
    for (const std::string& name : order_) {
      NodeEvents& events = by_node_.at(name);
      if (events.launches.empty()) {
        orphans += events.kernels.size();
        continue;
      }
      if (const std::optional<OperatorId> found = names_.find(name)) {
        times.add({*found}, 1e-6 * time_of(events));
      } else {
        times.add_unknown(name);
      }
    }
    std::vector<std::string> notes;
    if (on_gpu) notes.emplace_back("times of the profile are those of GPU kernels, where an operator has any");
    if (unowned_kernels_ + orphans > 0) {
      notes.push_back(fmt::format("{} GPU kernels of the profile name no operator that launched them and do not count",
                                  unowned_kernels_ + orphans));
    }
    times.absorb_unnamed();
    return times.finish(std::move(notes));
  }

 private:
  // Line by line, as its writer writes it: one bad name then spoils one line.
  void read_lines(std::string_view text) {
    std::size_t number = 0;
    bool closed = false;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
      ++number;
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == ',')) line.remove_suffix(1);
      if (line.empty() || line == "[") continue;
      closed = line == "]";
      if (closed) continue;
      const std::string where = fmt::format("{}: line {}", source_, number);
      if (line.size() > kMaxTokenBytes) throw InputError(ErrorKind::NotJson, where, "is longer than any event");
      json event = json::parse(line, nullptr, false);
      if (!event.is_object()) {
        if (const std::optional<std::string> mended = with_escaped_name(line))
          event = json::parse(*mended, nullptr, false);
      }
      if (!event.is_object()) {
        throw InputError(ErrorKind::NotJson, where,
                         text.empty()
                             ? "the profile is cut off here; end the session, which writes the rest, or profile "
                               "fewer runs"
                             : "not JSON; expected an event of ONNX Runtime on each line: {\"cat\" : \"Node\", ...}");
      }
      add_event(event, where);
    }
    if (!closed) {
      throw InputError(ErrorKind::NotJson, source_,
                       "the profile is cut off: it does not end with ]; end the session, which writes the rest");
    }
  }

  void add_event(const json& event, const std::string& where) {
    ++events_;
    const Place place(where);
    const ObjectView fields(event, place, "an event of ONNX Runtime");
    const std::string category = fields.text("cat", "a category").value_or("");
    if (category != "Node" && category != "Kernel") return;
    const std::string name = fields.text("name", "the name of an event").value_or("");
    const Timed timed{.start = fields.number("ts", "when it began, in us").value_or(0),
                      .duration = fields.amount("dur", "how long it took, in us")};
    if (category == "Node") {
      if (!name.ends_with(kNodeEnding)) return;
      const std::string op = argument(fields, place, "op_name");
      nodes_.push_back({.name = name.substr(0, name.size() - kNodeEnding.size()),
                        .time = timed,
                        .thread = fields.number("tid", "the number of a thread").value_or(0),
                        .holds_a_body = op == "If" || op == "Loop" || op == "Scan" || op == "SequenceMap"});
      return;
    }
    std::string parent = argument(fields, place, "parent_name");
    if (parent.ends_with(kNodeEnding)) parent.resize(parent.size() - kNodeEnding.size());
    if (parent.empty()) {
      ++unowned_kernels_;
    } else {
      events_of(parent).kernels.push_back(timed);
    }
  }

  // Empty where there is none.
  static std::string argument(const ObjectView& event, const Place& place, const char* key) {
    const json* arguments = event.find("args");
    if (!arguments || !arguments->is_object()) return {};
    const Place inside = place.member("args");
    return ObjectView(*arguments, inside, "what is known of the event").text(key, "a name").value_or("");
  }

  NodeEvents& events_of(const std::string& name) {
    const auto [entry, is_new] = by_node_.try_emplace(name);
    if (is_new) order_.push_back(name);
    return entry->second;
  }

  // In us, of one run.
  static double time_of(NodeEvents& events) {
    std::ranges::sort(events.launches, {}, &Timed::start);
    std::vector<double> runs;
    if (events.kernels.empty()) {
      for (const Timed& launch : events.launches) runs.push_back(launch.duration);
    } else {
      // A kernel belongs to the last launch before it.
      runs.assign(events.launches.size(), 0);
      for (const Timed& kernel : events.kernels) {
        const auto after = std::ranges::upper_bound(events.launches, kernel.start, {}, &Timed::start);
        const auto run = std::max<std::ptrdiff_t>(0, after - events.launches.begin() - 1);
        runs[static_cast<std::size_t>(run)] += kernel.duration;
      }
    }
    if (runs.size() > 1) runs.erase(runs.begin());
    return median(std::move(runs));
  }

  const std::string& source_;
  const ProfileNames& names_;
  std::size_t events_ = 0;
  std::size_t unowned_kernels_ = 0;
  std::vector<std::string> order_;
  std::vector<Event> nodes_;
  std::map<std::string, NodeEvents> by_node_;
};

}  // namespace

Profile parse_onnxruntime_profile(std::string_view text, const std::string& source, const ProfileNames& names) {
  OnnxRuntimeProfile profile(source, names);
  profile.read(text);
  return profile.finish();
}

}  // namespace partita::detail
