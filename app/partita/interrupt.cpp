// SPDX-License-Identifier: Apache-2.0
#include "app/partita/interrupt.h"

#include <atomic>
#include <cassert>
#include <csignal>

namespace partita::app {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<Budget*> running{nullptr};

extern "C" void stop_running(int) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (Budget* budget = running.load()) budget->cancel();
}

}  // namespace

// A shell that starts a program in the background lets it ignore SIGINT. That is overridden on purpose: whoever sends
// one to a solver wants its answer now.
InterruptGuard::InterruptGuard(Budget& budget) {
  assert(!running.load());
  running.store(&budget);
  old_interrupt_ = std::signal(SIGINT, stop_running);
  old_terminate_ = std::signal(SIGTERM, stop_running);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, old_interrupt_);
  std::signal(SIGTERM, old_terminate_);
  running.store(nullptr);
}

}  // namespace partita::app
