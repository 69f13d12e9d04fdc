// SPDX-License-Identifier: Apache-2.0
// Shows on stderr how a solve gets on: a live line in plain words, and for those who ask for everything a table of what
// the solver said, step by step. progress_legend() explains its columns.
#pragma once

#include <cstddef>
#include <string>

#include "app/partita/live_line.h"
#include "partita/util/progress.h"

namespace partita::detail::app {

// For --help: what is shown, the one-letter codes and the columns.
std::string progress_legend();

class ProgressView {
 public:
  enum class Detail { LiveLine, Everything };

  // The budget of the solve, which must outlive the view.
  ProgressView(Detail detail, const Budget& budget);

  // The solve starts now.
  void start();
  void show(const Progress& progress);

  // Takes the live line away, so that what comes next starts on a clean one.
  void finish() { line_.finish(); }

 private:
  void print_line(const Progress& progress);

  Detail detail_;
  LiveLine line_;
  double limit_;              // seconds
  bool heading_ = false;      // the heading of the columns has been printed
  std::size_t groups_ = 0;    // as last told: not every event tells
  double last_shown_ = -1;    // seconds; of the table
  std::string last_numbers_;  // of the last line printed: an improvement too small to be seen is not printed again
};

}  // namespace partita::detail::app
