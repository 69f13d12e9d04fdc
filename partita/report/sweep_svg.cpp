// SPDX-License-Identifier: Apache-2.0
#include "partita/report/sweep_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "partita/check/claims.h"
#include "partita/check/describe.h"
#include "partita/check/names.h"
#include "partita/check/times.h"
#include "partita/report/svg.h"
#include "partita/report/sweep_text.h"
#include "partita/util/text_width.h"

namespace partita::detail {
namespace {

constexpr double kSweepWidth = 760, kSweepLeft = 78, kSweepRight = 28, kSweepTop = 96, kSweepPlot = 320,
                 kSweepBelow = 62, kSweepLine = 18;
constexpr double kHeadroom = 1.08;  // above the largest value
constexpr double kHeadroomOfPowers = 1.5;
constexpr double kTooSteep = 40;            // from largest to smallest value: more is drawn by powers of ten
constexpr double kLabelPixels = 6.8;        // a character of a label, about
constexpr std::size_t kVerdictChars = 104;  // of a line below the plot

constexpr const char* kSweepStyle = R"(<style>
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .faint { fill: #59636e } .grid { stroke: #e4e7eb }
  .axis { stroke: #8c959f } .curve { stroke: #0969da; fill: none } .dot { fill: #0969da; stroke: #ffffff }
  .band { fill: #0969da; fill-opacity: .16 } .bound { stroke: #0969da; stroke-opacity: .55; fill: none }
  .ideal { stroke: #8c959f; fill: none } .knee { stroke: #bc4c00 } .knee-text { fill: #bc4c00 }
  .none { stroke: #cf222e }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } .ink { fill: #e6edf3 } .faint { fill: #9198a1 } .grid { stroke: #21262d }
    .axis { stroke: #656c76 } .curve { stroke: #58a6ff } .dot { fill: #58a6ff; stroke: #0d1117 }
    .band { fill: #58a6ff; fill-opacity: .2 } .bound { stroke: #58a6ff } .ideal { stroke: #656c76 }
    .knee { stroke: #f0883e } .knee-text { fill: #f0883e } .none { stroke: #ff7b72 }
  }
</style>
)";

class SweepChart {
 public:
  SweepChart(const Problem& problem, const Sweep& sweep) : problem_(problem), sweep_(sweep) {
    double least = kUnlimited;
    for (const SweepPoint& point : sweep.points) {
      if (!point.result.split) continue;
      highest_ = std::max(highest_, point.result.value);
      if (point.result.value > 0) least = std::min(least, point.result.value);
    }
    if (highest_ <= 0) highest_ = 1;
    by_powers_ = highest_ > kTooSteep * least;
    if (by_powers_) lowest_ = std::pow(10, std::floor(std::log10(least / 2)));
    // Factors of a bandwidth are ratios: as far from 1 to 2 as from 2 to 4.
    logarithmic_ = sweep.parameter == SweepParameter::Bandwidth;
  }

  std::string text() {
    const std::vector<std::string> verdict = verdict_lines();
    const double height = kSweepTop + kSweepPlot + kSweepBelow + kSweepLine * static_cast<double>(verdict.size()) + 14;
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"system-ui, sans-serif\" font-size=\"12\">\n{2}<rect class=\"paper\" width=\"100%\" "
        "height=\"100%\"/>\n",
        kSweepWidth, height, kSweepStyle);
    put_text(24, 28, "ink", "font-size=\"16\" font-weight=\"600\"", problem_.workload->name);
    put_text(24, 47, "faint", "",
             fmt::format("{}; {}", describe_question(problem_.objective, problem_.shape), sweep_range(sweep_)));
    legend();
    grid();
    if (!sweep_.points.empty()) {
      axis_labels();
      knee();
      ideal();
      band();
      curve();
    }
    for (std::size_t i = 0; i < verdict.size(); ++i) {
      put_text(24, kSweepTop + kSweepPlot + kSweepBelow + kSweepLine * static_cast<double>(i) + 4, "ink",
               "font-size=\"13\"", verdict[i]);
    }
    return text_ + "</svg>\n";
  }

 private:
  double x(std::size_t place) const { return x_of(sweep_.points[place].parameter); }

  double x_of(double parameter) const {
    const auto scale = [&](double value) { return logarithmic_ ? std::log(value) : value; };
    const double first = scale(sweep_.points.front().parameter), last = scale(sweep_.points.back().parameter);
    const double part = last > first ? (scale(parameter) - first) / (last - first) : 0.5;
    const double inset = 26;  // so that the first label does not stand below the axis
    return kSweepLeft + inset + part * (kSweepWidth - kSweepLeft - kSweepRight - 2 * inset);
  }

  // What is below the lowest power of ten, such as a bound of 0, is drawn on it.
  double y(double value) const {
    const double part =
        by_powers_ ? std::log(std::max(value, lowest_) / lowest_) / std::log(highest_ * kHeadroomOfPowers / lowest_)
                   : value / (highest_ * kHeadroom);
    return kSweepTop + kSweepPlot * (1 - part);
  }

  void put_text(double at_x, double at_y, const char* style, const char* attributes, const std::string& text) {
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" {}>{}</text>\n", at_x, at_y, style, attributes,
                         svg_escaped(text));
  }

  void put_line(double x1, double y1, double x2, double y2, const char* style, const char* attributes = "") {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\" {}/>\n", x1, y1,
                         x2, y2, style, attributes);
  }

  std::vector<std::string> verdict_lines() const {
    std::vector<std::string> lines;
    const std::string wrapped = wrapped_text(sweep_.verdict, kVerdictChars);
    for (std::size_t begin = 0; begin < wrapped.size();) {
      const std::size_t end = wrapped.find('\n', begin);
      lines.push_back(wrapped.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

  bool shows_ideal() const { return sweep_.parameter == SweepParameter::Accelerators && first_with_devices(); }

  // The smallest number of accelerators with a split, but for none at all.
  const SweepPoint* first_with_devices() const {
    for (const SweepPoint& point : sweep_.points) {
      if (point.result.split && point.parameter >= 1) return &point;
    }
    return nullptr;
  }

  void legend() {
    double at = 24;
    const double middle = 68;
    const auto entry = [&](const std::string& words) {
      put_text(at + 30, middle + 4, "faint", "", words);
      at += 30 + kLabelPixels * static_cast<double>(words.size()) + 14;
    };
    put_line(at, middle, at + 24, middle, "curve", "stroke-width=\"2\"");
    entry("best split found");
    text_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"24\" height=\"10\" class=\"band\"/>", at, middle - 5);
    put_line(at, middle + 5, at + 24, middle + 5, "bound", "stroke-dasharray=\"4 3\"");
    entry(fmt::format("bound: no {} is below", split_kind(problem_.objective, problem_.shape)));
    if (shows_ideal()) {
      put_line(at, middle, at + 24, middle, "ideal", "stroke-dasharray=\"2 3\"");
      entry("ideal: every device as useful as the first");
    }
  }

  std::vector<double> levels() const {
    std::vector<double> result;
    const double step = tick_step(highest_ * kHeadroom, 5);
    if (by_powers_) {
      for (double level = lowest_; level <= highest_ * kHeadroomOfPowers; level *= 10) result.push_back(level);
    } else {
      for (int tick = 0; tick * step <= highest_ * kHeadroom; ++tick) result.push_back(tick * step);
    }
    return result;
  }

  void grid() {
    for (const double level : levels()) {
      put_line(kSweepLeft, y(level), kSweepWidth - kSweepRight, y(level), level == levels().front() ? "axis" : "grid");
      put_text(kSweepLeft - 8, y(level) + 4, "faint", "text-anchor=\"end\"", fmt::format("{:.6g}", level));
    }
    const std::string unit = time_heading(problem_.objective == Objective::Latency ? "latency" : "time per sample",
                                          problem_.workload->time_unit);
    text_ += fmt::format(
        "<text transform=\"translate(20 {:.0f}) rotate(-90)\" text-anchor=\"middle\" class=\"faint\">{}</text>\n",
        kSweepTop + kSweepPlot / 2, svg_escaped(unit));
    const char* axis = sweep_.parameter == SweepParameter::Memory      ? "memory of each accelerator"
                       : sweep_.parameter == SweepParameter::Bandwidth ? "bandwidth, times as fast"
                                                                       : to_string(sweep_.parameter);
    put_text((kSweepLeft + kSweepWidth - kSweepRight) / 2, kSweepTop + kSweepPlot + 36, "faint",
             "text-anchor=\"middle\"", axis);
  }

  // Those that would touch the one before are left out.
  void axis_labels() {
    double free_from = 0;
    for (std::size_t i = 0; i < sweep_.points.size(); ++i) {
      const double half = kLabelPixels * static_cast<double>(sweep_.points[i].label.size()) / 2;
      put_line(x(i), kSweepTop + kSweepPlot, x(i), kSweepTop + kSweepPlot + 4, "axis");
      if (x(i) - half < free_from) continue;
      free_from = x(i) + half + 6;
      put_text(x(i), kSweepTop + kSweepPlot + 18, "faint", "text-anchor=\"middle\"", sweep_.points[i].label);
    }
  }

  void knee() {
    if (!sweep_.enough) return;
    const double at = x(*sweep_.enough);
    const bool to_the_left = at > kSweepWidth / 2;
    put_line(at, kSweepTop, at, kSweepTop + kSweepPlot, "knee", "stroke-dasharray=\"5 4\"");
    put_text(at + (to_the_left ? -6 : 6), kSweepTop + 12, "knee-text",
             to_the_left ? "font-weight=\"600\" text-anchor=\"end\"" : "font-weight=\"600\"",
             fmt::format("{}: enough", sweep_.points[*sweep_.enough].label));
  }

  void ideal() {
    if (!shows_ideal()) return;
    const SweepPoint& first = *first_with_devices();
    const double last = sweep_.points.back().parameter;
    std::string path;
    constexpr int kPieces = 64;
    for (int i = 0; i <= kPieces; ++i) {
      const double n = first.parameter + (last - first.parameter) * i / kPieces;
      path += fmt::format("{:.1f},{:.1f} ", x_of(n), y(first.result.value * first.parameter / n));
    }
    text_ += fmt::format("<polyline points=\"{}\" class=\"ideal\" stroke-dasharray=\"2 3\"/>\n", path);
  }

  // One for each run of points with splits.
  void band() {
    for (std::size_t begin = 0; begin < sweep_.points.size();) {
      std::string upper, lower;
      std::size_t end = begin;
      for (; end < sweep_.points.size() && sweep_.points[end].result.split; ++end) {
        const Result& result = sweep_.points[end].result;
        upper += fmt::format("{:.1f},{:.1f} ", x(end), y(result.value));
        lower = fmt::format("{:.1f},{:.1f} ", x(end), y(result.bound)) + lower;
      }
      if (end > begin + 1) {
        text_ += fmt::format("<polygon points=\"{}{}\" class=\"band\"/>\n", upper, lower);
        text_ += fmt::format("<polyline points=\"{}\" class=\"bound\" stroke-dasharray=\"4 3\"/>\n", lower);
        text_ += fmt::format("<polyline points=\"{}\" class=\"curve\" stroke-width=\"2\"/>\n", upper);
      }
      begin = end + 1;
    }
  }

  void curve() {
    for (std::size_t i = 0; i < sweep_.points.size(); ++i) {
      const SweepPoint& point = sweep_.points[i];
      const Result& result = point.result;
      if (!result.split) {
        const double foot = kSweepTop + kSweepPlot;
        text_ += fmt::format(
            "<path d=\"M{0:.1f} {1:.1f}l8 8m0 -8l-8 8\" class=\"none\" stroke-width=\"2\"><title>{2}: {3}: "
            "{4}</title></path>\n",
            x(i) - 4, foot - 14, svg_escaped(point.label), to_string(result.status), svg_escaped(result.reason));
        continue;
      }
      const auto time = [&](double value) { return svg_escaped(time_text(value, problem_.workload->time_unit)); };
      put_line(x(i), y(result.value), x(i), y(result.bound), "bound");
      text_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"dot\" stroke-width=\"1.5\"><title>{}: {}, bound "
          "{}, {}, {}</title></circle>\n",
          x(i), y(result.value), sweep_.enough == i ? 6 : 4.5, svg_escaped(point.label), time(result.value),
          time(result.bound), to_string(result.status), counted(point.devices_used, "device") + " used");
    }
  }

  const Problem& problem_;
  const Sweep& sweep_;
  double highest_ = 0;
  double lowest_ = 0;         // at the bottom
  bool by_powers_ = false;    // of the values
  bool logarithmic_ = false;  // of the parameter
  std::string text_;
};

}  // namespace

std::string sweep_svg(const Problem& problem, const Sweep& sweep) { return SweepChart(problem, sweep).text(); }

}  // namespace partita::detail
