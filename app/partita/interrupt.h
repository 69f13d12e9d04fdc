// SPDX-License-Identifier: Apache-2.0
// Ctrl-C while solving: the first SIGINT or SIGTERM asks the solver to stop and answer with the best it has; the second
// one ends the program as usual.
#pragma once

#include "partita/util/budget.h"

namespace partita::app {

// Holds the signals for as long as it lives. One at a time; `budget` must outlive it.
class InterruptGuard {
 public:
  explicit InterruptGuard(Budget& budget);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  using Handler = void (*)(int);
  Handler old_interrupt_;
  Handler old_terminate_;
};

}  // namespace partita::app
