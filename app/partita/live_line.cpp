// SPDX-License-Identifier: Apache-2.0
#include "app/partita/live_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <system_error>

#include "app/partita/terminal.h"
#include "partita/model/result.h"

namespace partita::detail::app {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds kTick{0.1};
constexpr Seconds kNowAndThen{5};  // between two lines elsewhere than on a terminal

std::string short_percent(double fraction) {
  const double percent = 100 * fraction;
  return percent < 0.1 ? fmt::format("{:.1g} %", percent) : fmt::format("{:.1f} %", percent);
}

}  // namespace

std::string progress_text(const Progress& progress) {
  const bool split = std::isfinite(progress.value);
  if (!split && progress.bound <= 0) return "no split yet";
  if (!split) return fmt::format("no split yet, at least {:.4g} possible", progress.bound);
  if (progress.bound <= 0) return fmt::format("best {:.4g}", progress.value);
  const double gap = (progress.value - progress.bound) / progress.value;
  if (!(gap > kOptimalGap)) return fmt::format("best {:.4g}, nothing better exists", progress.value);
  return fmt::format("best {:.4g}, at least {:.4g} possible, {} between", progress.value, progress.bound,
                     short_percent(gap));
}

LiveLine::LiveLine(const Budget& budget, ElsewhereThanTerminals elsewhere)
    : budget_(budget), terminal_(can_rewrite_lines(STDERR_FILENO)), elsewhere_(elsewhere) {}

void LiveLine::begin(const std::string& label, double limit) {
  const std::lock_guard lock(mutex_);
  label_ = label;
  limit_ = limit;
  latest_ = Progress{};
  begun_ = Clock::now();
  if (running_) {
    if (on_screen_) draw();
    return;
  }
  last_drawn_ = begun_;
  running_ = true;
  if (!terminal_ && elsewhere_ == ElsewhereThanTerminals::Silent) return;
  try {
    ticker_ = std::thread([this] { tick(); });
  } catch (const std::system_error&) {
    // No thread is to be had: the line then moves only when the solver speaks.
  }
}

void LiveLine::tick() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, kTick, [this] { return !running_; })) {
    if (due()) draw();
  }
}

void LiveLine::call(const std::string& label) {
  const std::lock_guard lock(mutex_);
  label_ = label;
}

void LiveLine::show(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  latest_ = progress;
  if (running_ && due()) draw();
}

void LiveLine::print(const std::string& line) {
  const std::lock_guard lock(mutex_);
  put(line);
}

void LiveLine::print_now_and_then(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!terminal_ && !due()) return;
  put(line);
  last_drawn_ = Clock::now();
}

void LiveLine::finish() {
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
  }
  stop_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  if (on_screen_) put_live_line("");
  on_screen_ = false;
}

bool LiveLine::due() {
  if (!terminal_ && elsewhere_ == ElsewhereThanTerminals::Silent) return false;
  return Clock::now() - last_drawn_ >= (terminal_ ? kTick * 0.9 : kNowAndThen);
}

void LiveLine::draw() {
  last_drawn_ = Clock::now();
  if (!terminal_) {
    put(text());
    return;
  }
  put_live_line(text());
  on_screen_ = true;
}

void LiveLine::put(const std::string& line) {
  if (on_screen_) put_live_line("");
  on_screen_ = false;
  put_error(line + "\n");
}

std::string LiveLine::text() const {
  const double seconds = Seconds(Clock::now() - begun_).count();
  std::string line = fmt::format("{:.1f}", seconds);
  if (std::isfinite(limit_)) line += fmt::format(" / {:g}", limit_);
  line += " s  ";
  if (budget_.cancelled()) return line + "stopping; the best so far is kept";
  return line + fmt::format("{}: {}", label_, progress_text(latest_));
}

}  // namespace partita::detail::app
