// SPDX-License-Identifier: Apache-2.0
#include "app/partita/interrupt.h"

#include <atomic>
#include <cassert>
#include <csignal>

#include "app/partita/temporary_file.h"

namespace partita::detail::app {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<Budget*> running{nullptr};

extern "C" void stop_running(int signal) {
  if (Budget* budget = running.exchange(nullptr)) {
    budget->cancel();
    return;
  }
  remove_temporary_file();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

// A shell that starts a program in the background lets it ignore SIGINT. That is overridden on purpose: whoever sends
// one to a solver wants its answer now. But nohup is for programs that outlive their terminal.
void handle_signals() {
  struct sigaction action {};
  action.sa_handler = stop_running;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    const bool ignored = sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN;
    if (!(signal == SIGHUP && ignored)) sigaction(signal, &action, nullptr);
  }
}

InterruptGuard::InterruptGuard(Budget& budget) {
  assert(!running.load());
  running.store(&budget);
}

InterruptGuard::~InterruptGuard() { running.store(nullptr); }

}  // namespace partita::detail::app
