// SPDX-License-Identifier: Apache-2.0
#include "partita/util/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include "partita/util/threads.h"

namespace partita::detail {

struct Workers::Loop {
  const Round& round;
  const std::size_t count;
  std::atomic<std::size_t> next = 0;  // round to begin
  std::size_t slots = 1;              // given out; the first is the caller's
  std::size_t helping = 0;            // threads besides the caller
  std::exception_ptr error = nullptr;
};

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_rounds_.notify_all();
}

void Workers::start() {
  started_ = true;
  helpers_.reserve(threads_ - 1);
  while (helpers_.size() + 1 < threads_) {
    std::optional<std::jthread> helper = try_to_start([this] { help(); });
    if (!helper) break;
    helpers_.push_back(std::move(*helper));
  }
  threads_ = helpers_.size() + 1;
}

void Workers::take_rounds(Loop& loop, std::size_t slot, std::mutex& mutex) {
  for (;;) {
    const std::size_t index = loop.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= loop.count) return;
    try {
      loop.round(index, slot);
    } catch (...) {
      loop.next.store(loop.count, std::memory_order_relaxed);
      const std::lock_guard lock(mutex);
      if (!loop.error) loop.error = std::current_exception();
    }
  }
}

void Workers::help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto left = [](const Loop* loop) { return loop->next.load(std::memory_order_relaxed) < loop->count; };
    const auto found = std::find_if(loops_.rbegin(), loops_.rend(), left);
    if (found == loops_.rend()) {
      if (ending_) return;
      more_rounds_.wait(lock);
      continue;
    }
    Loop& loop = **found;
    const std::size_t slot = loop.slots++;
    ++loop.helping;
    lock.unlock();
    take_rounds(loop, slot, mutex_);
    lock.lock();
    if (--loop.helping == 0) helper_left_.notify_all();
  }
}

void Workers::for_each(std::size_t count, const Round& round) {
  Loop loop{.round = round, .count = count};
  {
    const std::lock_guard lock(mutex_);
    if (!started_) start();
    loops_.push_back(&loop);
  }
  for (std::size_t i = 1; i < std::min<std::size_t>(count, threads_); ++i) more_rounds_.notify_one();
  take_rounds(loop, 0, mutex_);
  std::unique_lock lock(mutex_);
  std::erase(loops_, &loop);
  helper_left_.wait(lock, [&] { return loop.helping == 0; });
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace partita::detail
