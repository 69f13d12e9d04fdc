// SPDX-License-Identifier: Apache-2.0
#include "app/partita/compare_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "app/partita/terminal.h"
#include "app/shared/exit_codes.h"

namespace partita::app {
namespace {

constexpr double kLiveSeconds = 0.1;  // between two rewrites of the live line

std::string result_text(const AlgorithmRun& run) {
  if (run.outcome != AlgorithmRun::Outcome::Split) return run.reason;
  return fmt::format("{:.6g}{}", run.value, run.legal ? "" : " (" + run.fault + ")");
}

}  // namespace

CompareView::CompareView() : terminal_(is_terminal(STDERR_FILENO)) {}

void CompareView::start(const std::string& workload, std::size_t place, std::size_t count) {
  workload_ = one_line(workload);
  if (count > 1 && terminal_) workload_ = fmt::format("[{}/{}] {}", place + 1, count, workload_);
}

CompareWatcher CompareView::watcher() {
  CompareWatcher watcher;
  watcher.begins = [this](const AlgorithmEntry& algorithm, std::size_t place, std::size_t count) {
    label_ = fmt::format("{}: {} ({} of {})", workload_, algorithm.name, place + 1, count);
    begun_ = last_shown_ = -1;
    if (!terminal_) return;
    put_live_line(label_);
    live_line_ = true;
  };
  watcher.progress = [this](const Progress& progress) { show(progress); };
  watcher.ended = [this](const AlgorithmRun& run) {
    if (!terminal_)
      put_error(one_line(fmt::format("{}: {}: {}, {:.2f} s", workload_, run.algorithm, result_text(run), run.seconds)) +
                "\n");
  };
  return watcher;
}

void CompareView::show(const Progress& progress) {
  if (begun_ < 0) begun_ = progress.seconds;
  if (!terminal_ || progress.seconds < last_shown_ + kLiveSeconds) return;
  last_shown_ = progress.seconds;
  std::string line = fmt::format("{}  {:.1f} s", label_, progress.seconds - begun_);
  if (std::isfinite(progress.value)) line += fmt::format("  value {:.6g}", progress.value);
  if (progress.bound > 0) line += fmt::format("  bound {:.6g}", progress.bound);
  put_live_line(line);
  live_line_ = true;
}

void CompareView::finish() {
  if (live_line_) put_live_line("");
  live_line_ = false;
}

}  // namespace partita::app
