// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds several threads share.
//
// Whoever answers a question makes Workers for it and hands them to the budget (Budget::work_with), which reaches every
// solver and is shared by its slices. A loop over independent rounds then says
//
//     for_each(budget, count, [&](std::size_t index, std::size_t slot) { ... });
//
// Rounds are begun in the order of their index, each by whichever thread is free; the caller works along and returns
// when all are done. Without workers it is a plain loop. `slot` tells apart the threads at work on one loop, for what
// each needs for itself: a round has its slot to itself from begin to end.
//
// A round may itself share a loop, and threads of its caller's own may do so at the same time: free workers go where
// there are rounds left, to the loop that began last first. Nobody can wait in a circle: a caller waits only for rounds
// that are being worked on, and whoever works on them waits only for rounds inside of them.
//
// The first exception ends the loop (rounds not begun are left out) and is passed on to the caller. A hand-over takes
// some 10 microseconds, so a loop should take a multiple of that. Tests: tests/util/parallel_test.cpp.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "partita/util/budget.h"

namespace partita::detail {

class Workers {
 public:
  using Round = std::function<void(std::size_t index, std::size_t slot)>;

  // At most so many threads at work on a loop, the caller's own included. They are started when first there is
  // something to share; where the system refuses some, there are fewer.
  // `ticks_alone`: what takes less than about so much work is not worth sharing; tests share everything.
  explicit Workers(int threads, std::uint64_t ticks_alone = 20'000)
      : threads_(threads > 1 ? static_cast<std::size_t>(threads) : 1), ticks_alone_(ticks_alone) {}
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Fewer than asked for once the system has refused some.
  std::size_t threads() const { return threads_; }
  std::uint64_t ticks_alone() const { return ticks_alone_; }
  void for_each(std::size_t count, const Round& round);

 private:
  struct Loop;
  void start();
  void help();
  static void take_rounds(Loop& loop, std::size_t slot, std::mutex& mutex);

  std::atomic<std::size_t> threads_;
  const std::uint64_t ticks_alone_;
  std::mutex mutex_;  // of all below, and of what loops say of their helpers
  std::condition_variable more_rounds_, helper_left_;
  std::vector<Loop*> loops_;  // being worked on, the last begun last
  bool started_ = false, ending_ = false;
  std::vector<std::jthread> helpers_;  // last, so that they end before what they use does
};

// How many slots a loop on this budget may have.
inline std::size_t threads_of(const Budget& budget) { return budget.workers() ? budget.workers()->threads() : 1; }

// Whether several threads should do what takes this much work, or a search go on with several that took it so far.
inline bool worth_sharing(const Budget& budget, std::uint64_t ticks) {
  return threads_of(budget) > 1 && ticks >= budget.workers()->ticks_alone();
}

template <class Round>
void for_each(const Budget& budget, std::size_t count, Round&& round) {
  if (count > 1 && threads_of(budget) > 1) {
    budget.workers()->for_each(count, std::ref(round));
  } else {
    for (std::size_t index = 0; index < count; ++index) round(index, std::size_t{0});
  }
}

}  // namespace partita::detail
