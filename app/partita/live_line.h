// SPDX-License-Identifier: Apache-2.0
// What is going on while something long runs, on stderr. On a terminal: one line, rewritten ten times a second, also
// while the solver says nothing, and taken away at the end. Where lines cannot be rewritten (a pipe, a file,
// TERM=dumb): nothing for some seconds, then a line every few.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail::app {

class LiveLine {
 public:
  enum class ElsewhereThanTerminals { Silent, NowAndThen };

  // `budget` is what a Ctrl-C cancels; it must outlive the line.
  explicit LiveLine(const Budget& budget, ElsewhereThanTerminals elsewhere = ElsewhereThanTerminals::NowAndThen);
  ~LiveLine() { finish(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool on_terminal() const { return terminal_; }
  // What comes next is about this, and may take so many seconds (or infinity). Its clock starts now.
  void begin(const std::string& label, double limit);
  // Another label for the same.
  void call(const std::string& label);
  void show(const Progress& progress);
  // A line that stays, above the live one.
  void print(const std::string& line);
  // The same, but elsewhere than on terminals no more often than the other lines there.
  void print_now_and_then(const std::string& line);
  // Takes the line away, so that what comes next starts on a clean one. begin() brings it back.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void tick();
  bool due();
  void draw();
  void put(const std::string& line);
  std::string text() const;

  const Budget& budget_;
  const bool terminal_;
  const ElsewhereThanTerminals elsewhere_;
  std::mutex mutex_;  // of all below
  std::string label_;
  double limit_ = 0;  // seconds
  Progress latest_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_drawn_ = Clock::now();
  bool on_screen_ = false;
  bool running_ = false;
  std::condition_variable stop_;
  std::thread ticker_;
};

// What is known so far, in words: "best 1.824, at least 1.701 possible, 6.7 % between".
std::string progress_text(const Progress& progress);

}  // namespace partita::detail::app
