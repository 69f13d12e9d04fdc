// SPDX-License-Identifier: Apache-2.0
// Shows on stderr how a sweep gets on: on a terminal a line for each point that is done, and a live line for the one
// that is searched; otherwise a line now and then.
#pragma once

#include "app/partita/live_line.h"
#include "partita/portfolio/sweep.h"

namespace partita::detail::app {

class SweepView {
 public:
  // Each point may take so many seconds. The budget must outlive the view.
  SweepView(SweepParameter parameter, const Budget& budget, double seconds)
      : parameter_(parameter), line_(budget), seconds_(seconds) {}

  // Must not outlive the view.
  SweepWatcher watcher();
  // Takes the live line away.
  void finish() { line_.finish(); }

 private:
  SweepParameter parameter_;
  LiveLine line_;
  double seconds_;
};

}  // namespace partita::detail::app
