// SPDX-License-Identifier: Apache-2.0
// Shows on stderr how a sweep gets on: one line for each point that is done, and on a terminal a live line for the one
// that is searched.
#pragma once

#include "app/partita/live_line.h"
#include "partita/portfolio/sweep.h"

namespace partita::app {

class SweepView {
 public:
  explicit SweepView(SweepParameter parameter) : parameter_(parameter) {}

  // Must not outlive the view.
  SweepWatcher watcher();
  // Takes the live line away.
  void finish() { line_.finish(); }

 private:
  SweepParameter parameter_;
  LiveLine line_;
};

}  // namespace partita::app
