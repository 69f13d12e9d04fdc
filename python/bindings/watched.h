// SPDX-License-Identifier: Apache-2.0
// Long work, watched by Python: it runs on a thread of its own, while the caller's looks after signals and calls back.
//
// Python handles a signal such as Ctrl-C on its main thread, and only when that thread is in Python. So the thread that
// called waits in short steps, without the GIL, and looks for signals between them. It also makes the callbacks:
// a solver never waits for Python, and exceptions of a callback are raised where the call was made. Other threads of
// Python run meanwhile.
#pragma once

#include <functional>
#include <memory>

#include "partita/util/budget.h"
#include "partita/util/progress.h"
#include "python/bindings/bind.h"

namespace partita::python {

class Watch {
 public:
  // `callback`: None, or called with value, bound and seconds; what it returns stops the work where it is False.
  Watch(Budget& budget, nb::object callback);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // What the work hands its progress to; safe from any thread.
  Sink sink();

  // Runs it until it ends, and throws what it threw. The GIL is held when this is called, and when it returns. Ctrl-C
  // cancels the budget and lets the work end in its own way; a second one raises KeyboardInterrupt once it has
  // ended. So does an exception of the callback.
  void run(const std::function<void()>& work);

  bool interrupted() const { return interrupted_; }
  bool stopped_by_callback() const { return stopped_; }

 private:
  struct Shared;

  void look_at_signals();
  void call_back(const Progress& progress);

  Budget& budget_;
  nb::object callback_;
  std::shared_ptr<Shared> shared_;
  bool interrupted_ = false;
  bool stopped_ = false;
  nb::object error_type_, error_;  // what is raised in the end, if anything
};

}  // namespace partita::python
