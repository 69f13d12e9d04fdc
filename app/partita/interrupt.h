// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, and being asked to end or left alone by the terminal (SIGINT, SIGTERM, SIGHUP). While something is being
// solved, the first of them asks the solver to stop and answer with the best it has. Otherwise, and the second time,
// the program ends at once, and leaves no temporary file behind.
#pragma once

#include "partita/util/budget.h"

namespace partita::detail::app {

// Once, at the start of the program.
void handle_signals();

// Something is being solved, for as long as this lives. One at a time; `budget` must outlive it.
class InterruptGuard {
 public:
  explicit InterruptGuard(Budget& budget);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

}  // namespace partita::detail::app
