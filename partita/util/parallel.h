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
// The first exception ends the loop (rounds not begun are left out) and is passed on to the caller.
//
// Loops often come close behind each other (the layers of a trellis), so a helper without work looks for some for a few
// dozen microseconds before it sleeps, and nothing is locked on the way: a loop is announced in a free *place*, helpers
// say in it that they look before they do, and the caller leaves once it has taken its loop back and nobody looks any
// more. A hand-over takes about a microsecond while helpers are awake and some 10 to wake one, so a loop should take a
// multiple of that. [16 cores, loops of 64 rounds: 4 us each, 60 to 90 us when every loop woke its helpers.] Tests:
// tests/util/parallel_test.cpp.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
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
  struct Loop {
    const Round& round;
    const std::size_t count;
    std::atomic<std::size_t> next = 0;   // round to begin
    std::atomic<std::size_t> slots = 1;  // given out; the first is the caller's
    std::exception_ptr error = nullptr;

    bool has_rounds_left() const { return next.load(std::memory_order_relaxed) < count; }
  };
  // Where a loop is announced. Who is inside keeps the loop alive: it enters, looks, and may find that the loop is gone.
  struct alignas(64) Place {
    std::atomic<bool> taken = false;  // by a caller, until nobody is inside
    std::atomic<Loop*> loop = nullptr;
    std::atomic<std::size_t> inside = 0;  // helpers
    std::atomic<bool> awaited = false;    // the caller sleeps until nobody is inside
  };
  // Loops announced at a time; callers that find none free work alone. Nested loops take later places.
  static constexpr std::size_t kPlaces = 32;

  void start();
  void help();
  Place* announce(Loop& loop);
  void take_back(Place& place);
  bool help_somebody();
  void leave(Place& place);
  void take_rounds(Loop& loop, std::size_t slot);

  std::atomic<std::size_t> threads_;
  const std::uint64_t ticks_alone_;
  std::array<Place, kPlaces> places_;
  std::atomic<std::uint64_t> announced_ = 0;  // how many loops were
  std::atomic<std::size_t> asleep_ = 0;       // helpers
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;  // of sleeping and of errors
  std::condition_variable more_rounds_, all_left_;
  std::once_flag started_;
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
