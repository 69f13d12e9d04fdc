// SPDX-License-Identifier: Apache-2.0
#include "app/partita/sweep_view.h"

#include <fmt/format.h>

#include "partita/ask/option_names.h"
#include "partita/check/names.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

std::string result_text(const Result& result) {
  if (!result.split) return fmt::format("{}: {}", to_string(result.status), visible(in_options(result.reason)));
  const double gap = result.status == Status::Optimal ? 0 : result.gap();
  return fmt::format("{} {:.6g}, bound {:.6g}, gap {}", to_string(result.status), result.value, result.bound,
                     percent_text(gap));
}

}  // namespace

SweepWatcher SweepView::watcher() {
  SweepWatcher watcher;
  watcher.begins = [this](const SweepPoint& point, std::size_t done, std::size_t count) {
    line_.begin(fmt::format("{} {} ({} of {})", to_string(parameter_), point.label, done + 1, count), seconds_);
  };
  watcher.progress = [this](const Progress& progress) { line_.show(progress); };
  watcher.ended = [this](const SweepPoint& point, std::size_t done, std::size_t count) {
    const std::string time = point.result.seconds > 0 ? seconds_text(point.result.seconds) : "by its neighbours";
    line_.print_now_and_then(fmt::format("[{}/{}] {} {}: {}, {}", done, count, to_string(parameter_), point.label,
                                         result_text(point.result), time));
  };
  return watcher;
}

}  // namespace partita::detail::app
