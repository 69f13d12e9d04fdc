// SPDX-License-Identifier: Apache-2.0
// Shows on stderr how a comparison gets on: on a terminal one live line, rewritten; otherwise one plain line for each
// algorithm that has ended.
#pragma once

#include <string>

#include "partita/portfolio/compare.h"

namespace partita::app {

class CompareView {
 public:
  CompareView();
  ~CompareView() { finish(); }
  CompareView(const CompareView&) = delete;
  CompareView& operator=(const CompareView&) = delete;

  // What comes next is about this workload, the `place`-th of `count` from 0.
  void start(const std::string& workload, std::size_t place, std::size_t count);
  // Must not outlive the view.
  CompareWatcher watcher();
  // Takes the live line away.
  void finish();

 private:
  void show(const Progress& progress);

  bool terminal_;
  bool live_line_ = false;
  std::string workload_;
  std::string label_;       // which workload and algorithm, and how far that is
  double begun_ = -1;       // seconds of the first sign of the algorithm
  double last_shown_ = -1;  // seconds
};

}  // namespace partita::app
