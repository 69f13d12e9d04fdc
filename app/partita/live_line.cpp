// SPDX-License-Identifier: Apache-2.0
#include "app/partita/live_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "app/partita/terminal.h"

namespace partita::app {
namespace {

constexpr double kLiveSeconds = 0.1;  // between two rewrites

}  // namespace

LiveLine::LiveLine() : terminal_(is_terminal(STDERR_FILENO)) {}

void LiveLine::begin(const std::string& label) {
  label_ = label;
  begun_ = last_shown_ = -1;
  if (!terminal_) return;
  put_live_line(label_);
  on_screen_ = true;
}

void LiveLine::show(const Progress& progress) {
  if (begun_ < 0) begun_ = progress.seconds;
  if (!terminal_ || progress.seconds < last_shown_ + kLiveSeconds) return;
  last_shown_ = progress.seconds;
  std::string line = fmt::format("{}  {:.1f} s", label_, progress.seconds - begun_);
  if (std::isfinite(progress.value)) line += fmt::format("  value {:.6g}", progress.value);
  if (progress.bound > 0) line += fmt::format("  bound {:.6g}", progress.bound);
  put_live_line(line);
  on_screen_ = true;
}

void LiveLine::finish() {
  if (on_screen_) put_live_line("");
  on_screen_ = false;
}

}  // namespace partita::app
