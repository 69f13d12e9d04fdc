// SPDX-License-Identifier: Apache-2.0
// One line on stderr, rewritten while something long runs; nothing where stderr is no terminal.
#pragma once

#include <string>

#include "partita/util/progress.h"

namespace partita::app {

class LiveLine {
 public:
  LiveLine();
  ~LiveLine() { finish(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool on_terminal() const { return terminal_; }
  // What comes next is about this. Its clock starts with the first progress shown.
  void begin(const std::string& label);
  void show(const Progress& progress);
  // Takes the line away, so that what comes next starts on a clean one.
  void finish();

 private:
  bool terminal_;
  bool on_screen_ = false;
  std::string label_;
  double begun_ = -1;       // seconds
  double last_shown_ = -1;  // seconds
};

}  // namespace partita::app
