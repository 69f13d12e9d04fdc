// SPDX-License-Identifier: Apache-2.0
#include "app/partita/progress_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "app/partita/terminal.h"
#include "partita/check/names.h"
#include "partita/model/result.h"
#include "partita/util/visible_text.h"

namespace partita::app {
namespace {

using Event = Progress::Event;

constexpr double kLiveSeconds = 0.1;       // between two rewrites of the live line
constexpr double kSignOfLifeSeconds = 10;  // between two plain lines that say nothing new

std::string number_or_dash(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-"; }

// What counts as optimal is shown as 0: the rest is rounding.
std::string gap_text(const Progress& progress) {
  if (!std::isfinite(progress.value)) return "-";
  const double gap = progress.value <= 0 ? 0 : (progress.value - progress.bound) / progress.value;
  return percent_text(gap <= kOptimalGap ? 0 : gap);
}

}  // namespace

std::string progress_legend() {
  return "Progress (stderr), one line per step; on a terminal a single live line:\n"
         "  r  a reduction made the graph smaller (only with -v)\n"
         "  s  a better split\n"
         "  b  a better lower bound\n"
         "  .  nothing new, still searching (only with -v)\n"
         "  d  done\n"
         "  columns: seconds, value of the best split, lower bound on all splits of the shape that is asked for, gap\n"
         "  between them, and groups: the size of the graph that is searched once reductions have merged nodes\n";
}

ProgressView::ProgressView(Detail detail) : detail_(detail), terminal_(is_terminal(STDERR_FILENO)) {}

void ProgressView::show(const Progress& progress) {
  if (progress.groups > 0) groups_ = progress.groups;
  const bool everything = detail_ == Detail::Everything;
  switch (progress.event) {
    case Event::Reduced:
      if (everything) print_line(progress);
      return;
    case Event::Searching: {
      const bool due = progress.seconds >= last_shown_ + (terminal_ ? kLiveSeconds : kSignOfLifeSeconds);
      if (due && terminal_) rewrite_live_line(progress);
      if (due && !terminal_ && everything) print_line(progress);
      return;
    }
    case Event::Split:
    case Event::Bound:
    case Event::Done:
      if (terminal_ && !everything) {
        if (progress.seconds >= last_shown_ + kLiveSeconds) rewrite_live_line(progress);
      } else {
        print_line(progress);
      }
      return;
  }
}

void ProgressView::finish() {
  if (live_line_) put_live_line("");
  live_line_ = false;
}

void ProgressView::print_line(const Progress& progress) {
  const bool improvement = progress.event == Event::Split || progress.event == Event::Bound;
  const std::string numbers = fmt::format("{:>12}  {:>12}  {:>10}", number_or_dash(progress.value),
                                          number_or_dash(progress.bound), gap_text(progress));
  if (improvement && numbers == last_numbers_) return;
  last_numbers_ = numbers;
  last_shown_ = progress.seconds;
  finish();
  if (!heading_) put_error("   seconds         value         bound         gap   groups\n");
  heading_ = true;
  std::string line =
      fmt::format("{} {:>8.2f}  {}  {:>7}", static_cast<char>(progress.event), progress.seconds, numbers, groups_);
  if (!progress.detail.empty()) line += "  " + visible(progress.detail);
  put_error(line + "\n");
}

void ProgressView::rewrite_live_line(const Progress& progress) {
  last_shown_ = progress.seconds;
  std::string line = fmt::format("value {}  bound {}  gap {}  {:.1f} s  {} groups", number_or_dash(progress.value),
                                 number_or_dash(progress.bound), gap_text(progress), progress.seconds, groups_);
  if (!progress.detail.empty()) line += "  " + visible(progress.detail);
  put_live_line(line);
  live_line_ = true;
}

}  // namespace partita::app
