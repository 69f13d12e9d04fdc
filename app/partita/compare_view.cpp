// SPDX-License-Identifier: Apache-2.0
#include "app/partita/compare_view.h"

#include <fmt/format.h>

#include "partita/ask/option_names.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

std::string result_text(const AlgorithmRun& run) {
  if (run.outcome != AlgorithmRun::Outcome::Split) return in_options(run.reason);
  return fmt::format("{:.6g}{}", run.value, run.legal ? "" : " (" + run.fault + ")");
}

}  // namespace

void CompareView::start(const std::string& workload, std::size_t place, std::size_t count) {
  workload_ = visible(workload, kLongestShownName);
  if (count > 1 && line_.on_terminal()) workload_ = fmt::format("[{}/{}] {}", place + 1, count, workload_);
}

CompareWatcher CompareView::watcher() {
  CompareWatcher watcher;
  watcher.begins = [this](const AlgorithmEntry& algorithm, std::size_t place, std::size_t count) {
    line_.begin(fmt::format("{}: {} ({} of {})", workload_, algorithm.name, place + 1, count), seconds_);
  };
  watcher.progress = [this](const Progress& progress) { line_.show(progress); };
  watcher.ended = [this](const AlgorithmRun& run) {
    if (!line_.on_terminal())
      line_.print_now_and_then(
          visible(fmt::format("{}: {}: {}, {:.2f} s", workload_, run.algorithm, result_text(run), run.seconds)));
  };
  return watcher;
}

}  // namespace partita::detail::app
