// SPDX-License-Identifier: Apache-2.0
#include "app/partita/progress_view.h"

#include <fmt/format.h>

#include <cmath>

#include "partita/check/names.h"
#include "partita/model/result.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

using Event = Progress::Event;

constexpr double kSignOfLifeSeconds = 10;  // between two lines that say nothing new

std::string number_or_dash(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-"; }

// What counts as optimal is shown as 0: the rest is rounding.
std::string gap_text(const Progress& progress) {
  if (!std::isfinite(progress.value)) return "-";
  const double gap = progress.value <= 0 ? 0 : (progress.value - progress.bound) / progress.value;
  return percent_text(gap <= kOptimalGap ? 0 : gap);
}

}  // namespace

std::string progress_legend() {
  return "While it runs, a terminal shows on one line the time used, the best split so far and the least that may be "
         "possible. With -v there is a line for each step, beginning with\n"
         "  r  a reduction made the graph smaller\n"
         "  s  a better split\n"
         "  b  a better bound\n"
         "  .  nothing new, still searching\n"
         "  d  done\n"
         "and then seconds, value of the best split, lower bound on splits of the shape asked for, gap between them, "
         "and groups: the size of the graph that is searched once reductions have merged nodes.\n";
}

ProgressView::ProgressView(Detail detail, const Budget& budget)
    : detail_(detail),
      line_(budget, detail == Detail::Everything ? LiveLine::ElsewhereThanTerminals::Silent
                                                 : LiveLine::ElsewhereThanTerminals::NowAndThen),
      limit_(budget.limits().seconds) {}

void ProgressView::start() { line_.begin("simplifying the graph", limit_); }

void ProgressView::show(const Progress& progress) {
  if (progress.groups > 0) groups_ = progress.groups;
  if (progress.event != Event::Reduced) line_.call("searching");
  line_.show(progress);
  if (detail_ != Detail::Everything) return;
  // On a terminal the live line is sign enough of life.
  const bool due = !line_.on_terminal() && progress.seconds >= last_shown_ + kSignOfLifeSeconds;
  if (progress.event != Event::Searching || due) print_line(progress);
}

void ProgressView::print_line(const Progress& progress) {
  const bool improvement = progress.event == Event::Split || progress.event == Event::Bound;
  const std::string numbers = fmt::format("{:>12}  {:>12}  {:>10}", number_or_dash(progress.value),
                                          number_or_dash(progress.bound), gap_text(progress));
  if (improvement && numbers == last_numbers_) return;
  last_numbers_ = numbers;
  last_shown_ = progress.seconds;
  if (!heading_) line_.print("   seconds         value         bound         gap   groups");
  heading_ = true;
  std::string line =
      fmt::format("{} {:>8.2f}  {}  {:>7}", static_cast<char>(progress.event), progress.seconds, numbers, groups_);
  if (!progress.detail.empty()) line += "  " + visible(progress.detail);
  line_.print(line);
}

}  // namespace partita::detail::app
