// SPDX-License-Identifier: Apache-2.0
#include "partita/util/parallel.h"

#include <algorithm>
#include <optional>

#include "partita/util/threads.h"

namespace partita::detail {
namespace {

// Before a thread sleeps it offers its core to others so many times, each some half a microsecond if nobody wants it.
constexpr int kLooksBeforeSleep = 100;

template <class Condition>
bool comes_soon(Condition&& condition) {
  for (int i = 0; i < kLooksBeforeSleep; ++i) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return condition();
}

}  // namespace

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_rounds_.notify_all();
}

void Workers::start() {
  helpers_.reserve(threads_ - 1);
  while (helpers_.size() + 1 < threads_) {
    std::optional<std::jthread> helper = try_to_start([this] { help(); });
    if (!helper) break;
    helpers_.push_back(std::move(*helper));
  }
  threads_ = helpers_.size() + 1;
}

void Workers::take_rounds(Loop& loop, std::size_t slot) {
  for (;;) {
    const std::size_t index = loop.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= loop.count) return;
    try {
      loop.round(index, slot);
    } catch (...) {
      loop.next.store(loop.count, std::memory_order_relaxed);
      const std::lock_guard lock(mutex_);
      if (!loop.error) loop.error = std::current_exception();
    }
  }
}

void Workers::help() {
  while (!ending_) {
    const std::uint64_t seen = announced_;  // what is announced from here on is not missed
    if (help_somebody()) continue;
    const auto news = [&] { return announced_ != seen || ending_; };
    if (comes_soon(news)) continue;
    std::unique_lock lock(mutex_);
    ++asleep_;
    more_rounds_.wait(lock, news);
    --asleep_;
  }
}

// Works on the loop announced in the latest place that has rounds left; false if there is none.
bool Workers::help_somebody() {
  for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
    if (!place->loop.load(std::memory_order_relaxed)) continue;
    ++place->inside;
    Loop* const loop = place->loop;  // it stays as long as somebody is inside
    const bool works = loop && loop->has_rounds_left();
    if (works) take_rounds(*loop, loop->slots++);
    leave(*place);
    if (works) return true;
  }
  return false;
}

void Workers::leave(Place& place) {
  if (--place.inside > 0 || !place.awaited) return;
  const std::lock_guard lock(mutex_);  // the caller is asleep, or sees that nobody is inside
  all_left_.notify_all();
}

// Nothing if all places are taken.
Workers::Place* Workers::announce(Loop& loop) {
  const auto free = std::ranges::find_if(places_, [](Place& place) { return !place.taken.exchange(true); });
  if (free == places_.end()) return nullptr;
  free->loop = &loop;
  ++announced_;
  if (const std::size_t asleep = asleep_; asleep > 0) {
    { const std::lock_guard lock(mutex_); }  // who has not seen the news sleeps by now
    const std::size_t wanted = std::min<std::size_t>(loop.count, threads_) - 1;
    for (std::size_t i = 0; i < std::min(wanted, asleep); ++i) more_rounds_.notify_one();
  }
  return &*free;
}

void Workers::take_back(Place& place) {
  place.loop = nullptr;
  const auto empty = [&] { return place.inside == 0; };
  if (!comes_soon(empty)) {
    place.awaited = true;
    std::unique_lock lock(mutex_);
    all_left_.wait(lock, empty);
    place.awaited = false;
  }
  place.taken = false;
}

void Workers::for_each(std::size_t count, const Round& round) {
  std::call_once(started_, [this] { start(); });
  Loop loop{.round = round, .count = count};
  Place* const place = count > 1 ? announce(loop) : nullptr;
  take_rounds(loop, 0);
  if (place) take_back(*place);
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace partita::detail
