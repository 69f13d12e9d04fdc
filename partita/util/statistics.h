// SPDX-License-Identifier: Apache-2.0
// How often each technique was used, how long it took and what it gave, so that its worth can be measured without a
// compiler: `partita plan --stats`.
//
// Whoever wants to know hands a Statistics to the budget (Budget::collect), which reaches every solver and is shared by
// its slices. A technique says what it does where it is done:
//
//     Technique windows(budget, "presolve.windows", "groups removed");
//     ...
//     windows.yield(before - after);
//
// Time is the technique's own: what others take that it calls is theirs. So times of one thread add up to no more than
// the whole. When nobody asked, a scope costs a look at a null pointer; else some 100 ns, so it belongs around work of
// microseconds at least. Tests: tests/util/statistics_test.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "partita/util/budget.h"

namespace partita {

class Statistics {
 public:
  struct Row {
    std::string technique;
    std::string unit;  // of the yield: "groups removed"; empty where there is none
    std::uint64_t calls = 0;
    double seconds = 0;  // wall time of its own
    double yield = 0;
  };

  // From any thread.
  void add(const char* technique, const char* unit, double seconds, double yield);
  // By name.
  std::vector<Row> rows() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Row> rows_;
};

// A use of a technique, from here to the end of the scope. Scopes of one thread end in the reverse order of their
// beginnings, as scopes do.
class Technique {
 public:
  // Both texts must outlive it.
  Technique(const Budget& budget, const char* name, const char* unit = "")
      : statistics_(budget.statistics()), name_(name), unit_(unit) {
    if (statistics_) begin();
  }
  ~Technique() {
    if (statistics_) end();
  }
  Technique(const Technique&) = delete;
  Technique& operator=(const Technique&) = delete;

  void yield(double amount) { yield_ += amount; }

 private:
  using Clock = std::chrono::steady_clock;
  void begin();
  void end();

  Statistics* const statistics_;
  const char* const name_;
  const char* const unit_;
  double yield_ = 0;
  Technique* around_ = nullptr;  // the one that called this one
  Clock::time_point start_;
  Clock::duration inside_{0};  // of those that this one called
};

}  // namespace partita
