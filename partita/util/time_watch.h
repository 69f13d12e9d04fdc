// SPDX-License-Identifier: Apache-2.0
// For long work that is of no use half done (a table, a linear program, an order): it looks at the clock now and then
// and gives up by an exception when time is up. Whoever was given the budget catches it, forgets what was being made,
// and answers with what is known. Ticks never end such work, so the answer after so many ticks stays the same.
#pragma once

#include <cstddef>
#include <exception>

#include "partita/util/budget.h"

namespace partita::detail {

struct OutOfTime : std::exception {
  const char* what() const noexcept override { return "out of time"; }
};

class TimeWatch {
 public:
  // Looks at the clock, which takes some 50 ns, after so many steps. Without a budget it never throws.
  explicit TimeWatch(const Budget* budget, std::size_t steps_per_look = 1024)
      : budget_(budget), steps_per_look_(steps_per_look) {}

  // Counts work; throws OutOfTime where time is up.
  void step(std::size_t count = 1) {
    steps_ += count;
    if (steps_ < steps_per_look_) return;
    steps_ = 0;
    look();
  }
  void look() const {
    if (budget_ && budget_->out_of_time()) throw OutOfTime();
  }

 private:
  const Budget* budget_;
  std::size_t steps_per_look_;
  std::size_t steps_ = 0;
};

}  // namespace partita::detail
