// SPDX-License-Identifier: Apache-2.0
// Shows on stderr how a comparison gets on: on a terminal one live line, rewritten; otherwise now and then a plain
// line, for an algorithm that runs or has ended.
#pragma once

#include <string>

#include "app/partita/live_line.h"
#include "partita/compare/compare.h"

namespace partita::detail::app {

class CompareView {
 public:
  // Each algorithm may take so many seconds. The budget must outlive the view.
  CompareView(const Budget& budget, double seconds) : line_(budget), seconds_(seconds) {}

  // What comes next is about this workload, the `place`-th of `count` from 0.
  void start(const std::string& workload, std::size_t place, std::size_t count);
  // Must not outlive the view.
  CompareWatcher watcher();
  // Takes the live line away.
  void finish() { line_.finish(); }

 private:
  LiveLine line_;
  double seconds_;
  std::string workload_;
};

}  // namespace partita::detail::app
