// SPDX-License-Identifier: Apache-2.0
// Shows on stderr how a comparison gets on: on a terminal one live line, rewritten; otherwise one plain line for each
// algorithm that has ended.
#pragma once

#include <string>

#include "app/partita/live_line.h"
#include "partita/portfolio/compare.h"

namespace partita::app {

class CompareView {
 public:
  // What comes next is about this workload, the `place`-th of `count` from 0.
  void start(const std::string& workload, std::size_t place, std::size_t count);
  // Must not outlive the view.
  CompareWatcher watcher();
  // Takes the live line away.
  void finish() { line_.finish(); }

 private:
  LiveLine line_;
  std::string workload_;
};

}  // namespace partita::app
