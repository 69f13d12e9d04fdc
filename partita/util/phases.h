// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds come in phases: a round needs all rounds of the phase before it. A trellis is walked like that,
// layer by layer, each of which takes some dozen microseconds: threads that were called for every layer anew would come
// late.
//
//     for_each_phase(budget, most_threads, rounds_of_the_first, [&](std::size_t index) { ... },
//                    [&] { return rounds_of_the_next; });
//
// A thread takes the round with its own number, where what it needs may still be in its cache, or else whichever is
// left. Who ends the last round of a phase asks, alone, for the next one, and sees all that its rounds have done; none
// (0) is the end. Threads may come late or never: who is there takes the rounds, and the caller alone is enough. While
// they wait for a phase they stay awake, so the work as a whole should be worth a good deal more than one wait.
//
// The first exception ends the loop and is passed on to the caller. [16 virtual cores, layers of 10 to 20 us: 1.5 to 2.4
// of six threads are at work at a time; the others wait, or what they need is in another core's cache.] Tests:
// tests/util/phases_test.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "partita/util/parallel.h"

namespace partita::detail {

// Which rounds of the present phase are begun and ended.
class PhaseRounds {
 public:
  static constexpr std::size_t kMostRounds = 32;

  explicit PhaseRounds(std::size_t count) { begin(count, 0); }

  // The round with this number, if it is left, or else another; waits for a phase that has some left. False at the end
  // of all.
  bool take(std::size_t wanted, std::size_t& index) {
    for (int looks = 0;; ++looks) {
      std::uint64_t seen = state_.load(std::memory_order_acquire);
      while (const std::uint64_t left = rounds_left(seen)) {  // perhaps of the phase after
        index = left >> wanted & 1 ? wanted : static_cast<std::size_t>(std::countr_zero(left));
        if (state_.compare_exchange_weak(seen, seen & ~(std::uint64_t{1} << index), std::memory_order_acq_rel,
                                         std::memory_order_acquire))
          return true;
      }
      if (seen & kOver) return false;
      wait_a_little(looks);
    }
  }
  // One that was taken has ended. True if it was the last of its phase.
  bool ended() { return running_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  // A phase of so many rounds, of which those in `kept` are the caller's.
  void begin(std::size_t count, std::uint64_t kept) {
    running_.store(count, std::memory_order_relaxed);
    state_.store(((std::uint64_t{1} << count) - 1) & ~kept, std::memory_order_release);
  }
  void stop() { state_.store(kOver, std::memory_order_release); }

 private:
  // Of the state: the rounds that nobody has taken, and the end of all.
  static constexpr std::uint64_t kOver = std::uint64_t{1} << 63;
  static constexpr int kLooksAwake = 1000;  // some 50 us

  static std::uint64_t rounds_left(std::uint64_t state) { return state & ~kOver; }
  static void wait_a_little(int looks) {
    if (looks >= kLooksAwake) return std::this_thread::yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  alignas(64) std::atomic<std::uint64_t> state_ = 0;
  alignas(64) std::atomic<std::size_t> running_ = 0;  // rounds that have not ended
};

// No phase may have more than PhaseRounds::kMostRounds rounds.
template <class Round, class Next>
void for_each_phase(const Budget& budget, std::size_t threads, std::size_t count, const Round& round,
                    const Next& next) {
  if (count == 0) return;
  PhaseRounds rounds(count);
  const auto work = [&](std::size_t own) {
    std::size_t index = 0;
    for (bool any = rounds.take(own, index); any;) {
      round(index);
      if (!rounds.ended()) {
        any = rounds.take(own, index);
        continue;
      }
      const std::size_t of_next = next();
      if (of_next == 0) return rounds.stop();
      index = std::min(own, of_next - 1);
      rounds.begin(of_next, std::uint64_t{1} << index);
    }
  };
  for_each(budget, threads, [&](std::size_t own, std::size_t) {
    try {
      work(std::min(own, PhaseRounds::kMostRounds - 1));
    } catch (...) {
      rounds.stop();
      throw;
    }
  });
}

}  // namespace partita::detail
