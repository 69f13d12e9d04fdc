// SPDX-License-Identifier: Apache-2.0
// Shows on stderr how a solve gets on: on a terminal one live line, rewritten; otherwise plain aligned lines, one per
// improvement. progress_legend() explains the columns.
#pragma once

#include <cstddef>
#include <string>

#include "partita/util/progress.h"

namespace partita::app {

// For --help: the one-letter codes and the columns.
std::string progress_legend();

class ProgressView {
 public:
  enum class Detail { Improvements, Everything };  // Everything: also what each reduction removed, and signs of life

  explicit ProgressView(Detail detail);
  ~ProgressView() { finish(); }
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  void show(const Progress& progress);

  // Takes the live line away, so that what comes next starts on a clean one.
  void finish();

 private:
  void print_line(const Progress& progress);
  void rewrite_live_line(const Progress& progress);

  Detail detail_;
  bool terminal_;
  bool live_line_ = false;    // a live line is on the screen
  bool heading_ = false;      // the heading of the columns has been printed
  std::size_t groups_ = 0;    // as last told: not every event tells
  double last_shown_ = -1;    // seconds; live lines and signs of life are not shown more often than people can read
  std::string last_numbers_;  // of the last line printed: an improvement too small to be seen is not printed again
};

}  // namespace partita::app
