// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/watched.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace partita::python {
namespace {

constexpr std::chrono::milliseconds kLookAtSignals{50};
constexpr std::chrono::milliseconds kSignOfLife{250};  // a callback hears of a search that finds nothing, too

}  // namespace

struct Watch::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Progress> news;  // the latest; what was not yet told is overtaken
  bool done = false;
  std::exception_ptr thrown;
};

Watch::Watch(Budget& budget, nb::object callback)
    : budget_(budget), callback_(std::move(callback)), shared_(std::make_shared<Shared>()) {}

Watch::~Watch() = default;

Sink Watch::sink() {
  if (callback_.is_none()) return {};
  return [shared = shared_](const Progress& progress) {
    const std::lock_guard lock(shared->mutex);
    shared->news = progress;
    shared->changed.notify_one();
  };
}

void Watch::look_at_signals() {
  if (PyErr_CheckSignals() == 0) return;
  nb::python_error raised;  // takes it off the interpreter
  budget_.cancel();
  // The first Ctrl-C ends the search, whose answer so far is then the answer; all else is an error in the end.
  if (raised.matches(PyExc_KeyboardInterrupt) && !interrupted_) {
    interrupted_ = true;
  } else if (!error_.is_valid()) {
    error_type_ = nb::borrow(raised.type());
    error_ = nb::borrow(raised.value());
  }
}

void Watch::call_back(const Progress& progress) {
  if (stopped_ || error_.is_valid()) return;
  try {
    const nb::object answer = callback_(progress.value, progress.bound, progress.seconds);
    if (answer.ptr() != Py_False) return;
    stopped_ = true;
    budget_.cancel();
  } catch (nb::python_error& raised) {
    if (raised.matches(PyExc_KeyboardInterrupt) && !interrupted_) {
      interrupted_ = true;
    } else {
      error_type_ = nb::borrow(raised.type());
      error_ = nb::borrow(raised.value());
    }
    budget_.cancel();
  }
}

void Watch::run(const std::function<void()>& work) {
  Shared& shared = *shared_;
  std::thread thread([&] {
    std::exception_ptr thrown;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(shared.mutex);
    shared.thrown = thrown;
    shared.done = true;
    shared.changed.notify_one();
  });
  Progress latest;
  auto told = std::chrono::steady_clock::now();
  for (bool done = false; !done;) {
    std::optional<Progress> news;
    {
      const nb::gil_scoped_release released;
      std::unique_lock lock(shared.mutex);
      shared.changed.wait_for(lock, kLookAtSignals, [&] { return shared.done || shared.news; });
      done = shared.done;
      news = std::exchange(shared.news, std::nullopt);
    }
    look_at_signals();
    if (callback_.is_none()) continue;
    const auto now = std::chrono::steady_clock::now();
    if (!news && (done || now - told < kSignOfLife)) continue;
    if (news) latest = *news;
    if (!news) latest.seconds = budget_.seconds_used();
    told = now;
    call_back(latest);
  }
  {
    const nb::gil_scoped_release released;
    thread.join();
  }
  if (error_.is_valid()) {
    PyErr_SetObject(error_type_.ptr(), error_.ptr());
    throw nb::python_error();
  }
  if (shared.thrown) std::rethrow_exception(shared.thrown);
}

}  // namespace partita::python
