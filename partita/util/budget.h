// SPDX-License-Identifier: Apache-2.0
// How much a solver may use. Wall time is for people, ticks are for tests: a tick is one deterministic unit of search
// work, so the same seed and tick limit give the same answer on every machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace partita {

class Statistics;  // util/statistics.h
namespace detail {
class Workers;  // util/parallel.h
}

class Budget {
 public:
  struct Limits {
    double seconds = std::numeric_limits<double>::infinity();
    std::uint64_t ticks = std::numeric_limits<std::uint64_t>::max();
    std::size_t memory_bytes = std::size_t{1} << 30;  // of a table that grows with the search, such as that of ideals
  };

  Budget() : Budget(Limits{}) {}
  explicit Budget(const Limits& limits) : limits_(limits), start_(Clock::now()) {}
  // A slice of another budget: ends after so many ticks or seconds of its own, or when the whole does. Its clock is the
  // whole's.
  Budget(Budget& whole, std::uint64_t ticks, double seconds = std::numeric_limits<double>::infinity())
      : limits_{std::min(whole.limits_.seconds, whole.seconds_used() + seconds), ticks, whole.limits_.memory_bytes},
        start_(whole.start_),
        whole_(&whole),
        statistics_(whole.statistics_),
        workers_(whole.workers_) {}

  // True once any limit is reached or somebody cancelled; stays true. Reads the clock, so call it every ~1000 steps.
  bool exhausted() const {
    return cancelled() || ticks_ >= limits_.ticks || seconds_used() >= limits_.seconds ||
           (whole_ && whole_->exhausted());
  }

  // Time is up or somebody cancelled; ticks do not count. Work that is of no use half done asks this and not
  // exhausted(), so that the answer after so many ticks does not depend on when it looked.
  bool out_of_time() const {
    return cancelled() || seconds_used() >= limits_.seconds || (whole_ && whole_->out_of_time());
  }

  void spend(std::uint64_t ticks) {
    ticks_ += ticks;
    if (whole_) whole_->spend(ticks);
  }
  std::uint64_t ticks_used() const { return ticks_; }
  std::uint64_t ticks_left() const { return limits_.ticks - std::min<std::uint64_t>(limits_.ticks, ticks_); }
  double seconds_used() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double seconds_left() const { return limits_.seconds - seconds_used(); }
  const Limits& limits() const { return limits_; }

  // Whether a table may grow to this size. Whoever hears no does without; that it was said stays known.
  bool has_room_for(std::size_t bytes) {
    if (bytes <= limits_.memory_bytes) return true;
    ran_out_of_memory();
    return false;
  }
  // What a table takes at most whose size can be chosen: the coarser, the smaller.
  std::size_t table_bytes() const { return std::min(limits_.memory_bytes / 2, kLargestTable); }
  // Somebody had to do with less memory than was wanted; the budget is not exhausted by that. Safe from any thread.
  void ran_out_of_memory() {
    out_of_memory_.store(true, std::memory_order_relaxed);
    if (whole_) whole_->ran_out_of_memory();
  }
  bool out_of_memory() const { return out_of_memory_.load(std::memory_order_relaxed); }

  // Safe from a signal handler or another thread.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  // Techniques that run on this budget, or on slices that are made of it from now on, are counted there. It must
  // outlive them all.
  void collect(Statistics& statistics) { statistics_ = &statistics; }
  Statistics* statistics() const { return statistics_; }  // null: nobody asked

  // Loops that run on this budget, or on slices that are made of it from now on, are shared with these threads. They
  // must outlive them all.
  void work_with(detail::Workers& workers) { workers_ = &workers; }
  detail::Workers* workers() const { return workers_; }  // null: one thread does all

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLargestTable = std::size_t{512} << 20;  // filling more takes longer than it gains
  Limits limits_;
  Clock::time_point start_;
  Budget* whole_ = nullptr;
  Statistics* statistics_ = nullptr;
  detail::Workers* workers_ = nullptr;
  std::atomic<std::uint64_t> ticks_{0};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> out_of_memory_{false};
};

}  // namespace partita
