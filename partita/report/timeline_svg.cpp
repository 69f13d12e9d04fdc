// SPDX-License-Identifier: Apache-2.0
// Colours are in classes that the style sheet defines once for each colour, and again where the viewer asks for dark:
// without CSS variables, which programs that turn SVG into PDF do not know.
#include "partita/report/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "partita/check/names.h"
#include "partita/check/times.h"
#include "partita/report/svg.h"
#include "partita/report/timeline.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr double kTimelineWidth = 1120, kTimelineRight = 22, kEdge = 16;
constexpr double kTitle = 28, kSubtitle = 48, kLegend = 72, kBand = 90, kBandHeight = 17;
constexpr double kLane = 22, kLaneGap = 3, kDeviceGap = 9;
constexpr double kTimelineLetter = 6.4, kTimelineSmallLetter = 5.8;  // widths, on the wide side, of 12 and 11 pixels
constexpr std::size_t kTimelineLongestName = 28;
constexpr const char* kNeutral = "#7d8590";

constexpr const char* kTimelineStyle = R"(<style>
text{fill:#1f2328;font:12px "Helvetica Neue",Arial,sans-serif}
.title{font-size:17px;font-weight:600}
.s{font-size:11px;text-anchor:middle}
.right{text-anchor:end}
.soft{fill:#59636e}
.paper{fill:#fff}
.track{fill:#f0f2f5}
.band{fill:#e4e8ed}
.grid{stroke:#d8dee4;stroke-width:1;fill:none}
.mark{stroke:#59636e;stroke-width:1;stroke-dasharray:3 3;fill:none}
.light{fill:#fff}
.dark{fill:#1f2328}
.b{opacity:.5}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.soft{fill:#9198a1}
.paper{fill:#0d1117}
.track{fill:#1a2029}
.band{fill:#252c36}
.grid{stroke:#30363d}
.mark{stroke:#9198a1}
.light{fill:#fff}
.dark{fill:#1f2328}
}
)";

// Whether dark letters read better on a colour "#rrggbb" than white ones.
bool is_bright(const char* colour) {
  const long rgb = std::strtol(colour + 1, nullptr, 16);
  return 0.299 * static_cast<double>(rgb >> 16) + 0.587 * static_cast<double>(rgb >> 8 & 255) +
             0.114 * static_cast<double>(rgb & 255) >
         150;
}

std::string pixels(double value) { return fmt::format("{:.6g}", value); }

class TimelinePicture {
 public:
  // `what` stands before the title and tells the picture from others in the same file, by its first letter; empty where
  // there is one. At least until `least`.
  TimelinePicture(const Problem& problem, const CheckReport& report, const Simulation& simulation,
                  const std::string& what = "", double least = 0)
      : problem_(problem),
        simulation_(simulation),
        timeline_(timeline(report, simulation, least)),
        what_(what),
        scale_(timeline_.end),
        training_(problem.workload->graph.has_backward()) {
    for (const TimelineLane& lane : timeline_.lanes) {
      for (const TimelineBox& box : lane.boxes) {
        colours_.emplace(device_colour(box.device), colours_.size());
        phases_.insert(box.phase);
      }
    }
    arrange_lanes();
  }

  double end() const { return timeline_.end; }
  double left() const { return left_; }
  double height() const { return bottom_ + 66; }

  // To be below another one: where lanes begin, and what time the whole width is for.
  void align(double left, double scale) {
    left_ = left;
    scale_ = scale;
  }

  // `top`: where it is in a picture around it.
  std::string text(double top = 0) {
    add(R"(<svg xmlns="http://www.w3.org/2000/svg"{3} width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img">)"
        "\n<title>{2}</title>\n",
        kTimelineWidth, height(), svg_escaped(title()), top > 0 ? fmt::format(" y=\"{:.0f}\"", top) : "");
    add_style();
    add("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    add("<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>\n", kEdge, kTitle, svg_escaped(title()));
    add("<text class=\"soft\" x=\"{}\" y=\"{}\">{}</text>\n", kEdge, kSubtitle, svg_escaped(subtitle()));
    add_legend();
    add_tracks();
    add_axis();
    add_boxes();
    add_stretches();
    add("<text class=\"soft\" x=\"{}\" y=\"{:.0f}\">{}</text>\n</svg>\n", kEdge, bottom_ + 52, svg_escaped(caption()));
    return text_;
  }

 private:
  struct Place {
    std::string name;
    double top = 0;
  };

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  double x(double time) const {
    return left_ + (kTimelineWidth - kTimelineRight - left_) * time / std::max(scale_, 1e-300);
  }
  // In names of classes and hatches.
  std::string colour_name(std::size_t place) const {
    return (what_.empty() ? "" : what_.substr(0, 1)) + std::to_string(place);
  }
  std::string colour_of(DeviceId device) const { return colour_name(colours_.at(device_colour(device))); }

  // One sample at a time fills and drains nothing.
  bool has_stretches() const { return simulation_.kind != ScheduleKind::Sequential; }
  double first_lane() const { return has_stretches() ? kBand + kBandHeight + 7 : kBand; }

  // Lanes of one device are close together, and only the first says whose they are.
  void arrange_lanes() {
    double y = first_lane();
    DeviceId before;
    std::size_t longest = 0;
    for (const TimelineLane& lane : timeline_.lanes) {
      const Lane& one = simulation_.lanes[lane.lane];
      std::string name = one.name;
      const std::size_t colon = name.rfind(": ");
      if (!places_.empty()) y += kLane + (one.device == before ? kLaneGap : kDeviceGap);
      if (one.device == before && colon != std::string::npos) name = name.substr(colon + 2);
      before = one.device;
      places_.push_back({visible(name, kTimelineLongestName), y});
      longest = std::max(longest, places_.back().name.size());
    }
    bottom_ = y + kLane + 6;
    left_ = kEdge + kTimelineLetter * static_cast<double>(longest) + 10;
  }

  std::string title() const {
    const std::string name = problem_.workload->name;
    return what_.empty() ? fmt::format("{}: {} schedule", name, to_string(simulation_.kind))
                         : fmt::format("{}: {}", what_, name);
  }

  std::string time(double value) const { return time_text(value, problem_.workload->time_unit); }

  std::string subtitle() const {
    const std::string batches =
        simulation_.microbatches > 0 ? fmt::format(" in batches of {}", simulation_.microbatches) : "";
    return fmt::format("{}{}; time per sample {}{}, latency {}, makespan {}", counted(simulation_.samples, "sample"),
                       batches, time(simulation_.time_per_sample), simulation_.steady ? " in steady state" : "",
                       time(simulation_.latency), time(simulation_.makespan));
  }

  std::string caption() const {
    std::string text = timeline_.cut
                           ? fmt::format("Shown: the first {} of {} samples, until {} of {}.", timeline_.samples,
                                         simulation_.samples, time(timeline_.end), time(simulation_.makespan))
                           : "Shown: all samples.";
    text += " Numbers in boxes are samples, from 0.";
    if (timeline_.idle_lanes > 0)
      text += fmt::format(" Left out: {} that idle{} until then.", counted(timeline_.idle_lanes, "lane"),
                          timeline_.idle_lanes == 1 ? "s" : "");
    return text;
  }

  void add_style() {
    add("{}", kTimelineStyle);
    add_colour("x", kNeutral);
    for (const auto& [colour, place] : colours_) add_colour(colour_name(place), colour.c_str());
    add("</style>\n<defs>\n");
    add_hatches("x", kNeutral);
    for (const auto& [colour, place] : colours_) add_hatches(colour_name(place), colour);
    add("</defs>\n");
  }

  void add_colour(const std::string& name, const char* colour) {
    add(".c{0}{{fill:{1}}}.i{0}{{fill:url(#i{0})}}.o{0}{{fill:url(#o{0})}}.y{0}{{fill:url(#y{0})}}\n", name, colour);
  }

  // In and out lean towards each other, as into and out of a box; sync is a grid.
  void add_hatches(const std::string& name, const std::string& colour) {
    const auto hatch = [&](char letter, int angle, const char* lines) {
      add("<pattern id=\"{}{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate({})\">",
          letter, name, angle);
      add(R"(<rect width="5" height="5" fill="{0}" fill-opacity=".3"/><path d="{1}" stroke="{0}" stroke-width="2.2"/></pattern>)"
          "\n",
          colour, lines);
    };
    hatch('i', 45, "M1.5 0V5");
    hatch('o', -45, "M1.5 0V5");
    if (phases_.contains(Phase::Sync)) hatch('y', 0, "M1.5 0V5M0 1.5H5");
  }

  static char letter_of(Phase phase) {
    switch (phase) {
      case Phase::In: return 'i';
      case Phase::Out: return 'o';
      case Phase::Sync: return 'y';
      case Phase::Compute: break;
    }
    return 'c';
  }

  void add_legend() {
    double at = kEdge;
    const auto entry = [&](const std::string& style, const char* what) {
      add(R"(<rect class="{}" x="{:.0f}" y="{}" width="22" height="12"/><text x="{:.0f}" y="{}">{}</text>)"
          "\n",
          style, at, kLegend - 10, at + 28, kLegend, what);
      at += 28 + kTimelineLetter * static_cast<double>(std::string_view(what).size()) + 20;
    };
    entry("cx", training_ ? "forward" : "compute");
    if (training_) entry("cx b", "backward");
    if (phases_.contains(Phase::In)) entry("ix", "transfers in");
    if (phases_.contains(Phase::Out)) entry("ox", "transfers out");
    if (phases_.contains(Phase::Sync)) entry("yx", "exchange of weights");
  }

  void add_tracks() {
    for (const Place& place : places_) {
      add(R"(<rect class="track" x="{:.1f}" y="{:.0f}" width="{:.1f}" height="{}"/>)"
          R"(<text class="right" x="{:.1f}" y="{:.1f}">{}</text>)"
          "\n",
          left_, place.top, x(timeline_.end) - left_, kLane, left_ - 8, place.top + kLane / 2 + 4.2,
          svg_escaped(place.name));
    }
  }

  void add_axis() {
    if (!(timeline_.end > 0)) return;
    const double step = tick_step(scale_, 8);
    for (int i = 0; i * step <= scale_ * (1 + 1e-9); ++i) {
      add(R"(<path class="grid" d="M{0:.1f} {1}V{2:.0f}"/><text class="s soft" x="{0:.1f}" y="{3:.0f}">{4}</text>)"
          "\n",
          x(i * step), first_lane() - 4, bottom_ + 5, bottom_ + 18, pixels(i * step));
    }
    add(R"(<path class="grid" d="M{:.1f} {:.0f}H{:.1f}"/><text class="right soft" x="{:.1f}" y="{:.0f}">{}</text>)"
        "\n",
        left_, bottom_, x(scale_), left_ - 8, bottom_ + 18,
        svg_escaped(time_heading("time", problem_.workload->time_unit)));
  }

  void add_boxes() {
    for (std::size_t l = 0; l < timeline_.lanes.size(); ++l) {
      const std::vector<TimelineBox>& boxes = timeline_.lanes[l].boxes;
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        const TimelineBox* next = i + 1 < boxes.size() ? &boxes[i + 1] : nullptr;
        add_box(boxes[i], next, places_[l].top);
      }
    }
  }

  void add_box(const TimelineBox& box, const TimelineBox* next, double top) {
    const std::string colour = colour_of(box.device);
    const double from = x(box.start);
    double width = x(box.finish) - from;
    // The phases of one piece touch each other; what belongs to another piece is set apart.
    const bool touches = next && next->start - box.finish < 1e-9 * timeline_.end;
    if (touches && (next->sample != box.sample || next->backward != box.backward)) width -= std::min(0.8, width / 3);
    const char* pass = training_ ? (box.backward ? ", backward" : ", forward") : "";
    add(R"(<rect class="{}{}{}" x="{:.1f}" y="{:.0f}" width="{:.2f}" height="{}"><title>sample {}{}, {}: {} to {}</title></rect>)"
        "\n",
        letter_of(box.phase), colour, box.backward ? " b" : "", from, top, width, kLane, box.sample, pass,
        to_string(box.phase), pixels(box.start), pixels(box.finish));
    const std::string label = std::to_string(box.sample);
    if (box.phase != Phase::Compute || width < kTimelineSmallLetter * static_cast<double>(label.size()) + 3) return;
    const char* ink = box.backward ? "" : (is_bright(device_colour(box.device)) ? " dark" : " light");
    add("<text class=\"s{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", ink, from + width / 2, top + kLane / 2 + 4, label);
  }

  // Above the lanes: how long the pipeline fills, repeats itself and empties.
  void add_stretches() {
    if (!has_stretches()) return;
    const bool batches = simulation_.kind == ScheduleKind::GPipe;
    const std::string pace = time(simulation_.time_per_sample) + " per sample";
    add_stretch(0, simulation_.warm_up_end, batches ? "first batch" : "warm-up", "");
    add_stretch(simulation_.warm_up_end, simulation_.drain_begin,
                batches ? "further batches" : (simulation_.steady ? "steady state" : "full"),
                simulation_.steady ? pace : "");
    add_stretch(simulation_.drain_begin, simulation_.makespan, batches ? "last batch" : "drain", "");
  }

  void add_stretch(double start, double finish, const std::string& name, const std::string& more) {
    finish = std::min(finish, timeline_.end);
    if (finish <= start) return;
    const double from = x(start) + (start > 0 ? 1 : 0);
    const double width = x(finish) - from;
    add("<rect class=\"band\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>\n", from, kBand, width,
        kBandHeight);
    if (start > 0) add("<path class=\"mark\" d=\"M{:.1f} {}V{:.0f}\"/>\n", x(start), kBand, bottom_);
    for (const std::string& label : {name + (more.empty() ? "" : ": " + more), name}) {
      if (kTimelineLetter * static_cast<double>(label.size()) > width) continue;
      add("<text class=\"s\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", from + width / 2, kBand + kBandHeight - 4.7,
          label);
      return;
    }
  }

  const Problem& problem_;
  const Simulation& simulation_;
  Timeline timeline_;
  std::string what_;
  double scale_;  // the time at the right edge
  bool training_ = false;
  std::map<std::string, std::size_t> colours_;
  std::set<Phase> phases_;
  std::vector<Place> places_;  // of the lanes
  double left_ = 0;
  double bottom_ = 0;
  std::string text_;
};

}  // namespace

std::string timeline_svg(const Problem& problem, const CheckReport& report, const Simulation& simulation) {
  return TimelinePicture(problem, report, simulation).text();
}

std::string timelines_svg(const Problem& problem, const CheckReport& report, const Simulation& predicted,
                          const Simulation& measured) {
  const double end = std::max(timeline(report, predicted).end, timeline(report, measured).end);
  TimelinePicture above(problem, report, predicted, "predicted", end);
  TimelinePicture below(problem, report, measured, "measured", end);
  const double left = std::max(above.left(), below.left());
  const double scale = std::max(above.end(), below.end());
  above.align(left, scale);
  below.align(left, scale);
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img">)"
      "\n{2}{3}</svg>\n",
      kTimelineWidth, above.height() + below.height(), above.text(), below.text(above.height()));
}

}  // namespace partita::detail
