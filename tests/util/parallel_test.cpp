// SPDX-License-Identifier: Apache-2.0
#include "partita/util/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

TEST(Parallel, EveryRoundIsDoneOnce) {
  Workers workers(4);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 7u, 1000u}) {
    std::vector<std::atomic<int>> done(count);
    workers.for_each(count, [&](std::size_t index, std::size_t) { ++done[index]; });
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(Parallel, WithoutWorkersRoundsComeOneAfterTheOther) {
  Budget budget;
  EXPECT_EQ(threads_of(budget), 1u);
  std::vector<std::size_t> order;
  for_each(budget, 5, [&](std::size_t index, std::size_t slot) {
    EXPECT_EQ(slot, 0u);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(Parallel, SlicesShareTheWorkersOfTheWhole) {
  Workers workers(3);
  Budget budget;
  budget.work_with(workers);
  Budget slice(budget, 10);
  EXPECT_EQ(threads_of(slice), 3u);
  EXPECT_EQ(slice.workers(), &workers);
}

TEST(Parallel, OneThreadIsTheCaller) {
  Workers workers(1);
  const std::thread::id caller = std::this_thread::get_id();
  workers.for_each(10, [&](std::size_t, std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

// What a slot owns needs no lock.
TEST(Parallel, ARoundHasItsSlotToItself) {
  Workers workers(4);
  std::vector<std::uint64_t> sum(workers.threads(), 0);
  constexpr std::size_t kCount = 20'000;
  workers.for_each(kCount, [&](std::size_t index, std::size_t slot) {
    ASSERT_LT(slot, sum.size());
    sum[slot] += index;
  });
  std::uint64_t total = 0;
  for (std::uint64_t part : sum) total += part;
  EXPECT_EQ(total, kCount * (kCount - 1) / 2);
}

TEST(Parallel, ThreadsDoWorkSideBySide) {
  Workers workers(2);
  std::atomic<int> waiting = 0;
  workers.for_each(2, [&](std::size_t, std::size_t) {  // would never end on one thread
    ++waiting;
    while (waiting < 2) std::this_thread::yield();
  });
  EXPECT_EQ(waiting, 2);
}

TEST(Parallel, AnExceptionReachesTheCallerAndEndsTheLoop) {
  Workers workers(4);
  std::atomic<int> begun = 0;
  constexpr std::size_t kCount = 1'000'000;
  EXPECT_THROW(workers.for_each(kCount,
                                [&](std::size_t index, std::size_t) {
                                  ++begun;
                                  if (index == 10) throw std::runtime_error("round 10");
                                }),
               std::runtime_error);
  EXPECT_LT(begun, static_cast<int>(kCount));
  std::atomic<int> after = 0;
  workers.for_each(100, [&](std::size_t, std::size_t) { ++after; });
  EXPECT_EQ(after, 100);
}

TEST(Parallel, RunningOutOfMemoryInARoundEndsThePieceOfWork) {
  Workers workers(3);
  Budget budget;
  budget.work_with(workers);
  EXPECT_FALSE(within_limits(budget, [&] {
    for_each(budget, 50, [](std::size_t index, std::size_t) {
      if (index == 20) throw std::bad_alloc();
    });
  }));
  EXPECT_TRUE(budget.out_of_memory());
}

TEST(Parallel, RoundsShareLoopsOfTheirOwn) {
  Workers workers(4);
  std::vector<std::vector<std::atomic<int>>> done(20);
  for (auto& inner : done) inner = std::vector<std::atomic<int>>(50);
  workers.for_each(done.size(), [&](std::size_t outer, std::size_t) {
    workers.for_each(done[outer].size(), [&](std::size_t inner, std::size_t) {
      workers.for_each(3, [&](std::size_t, std::size_t) { ++done[outer][inner]; });
    });
  });
  for (const auto& inner : done) {
    for (const std::atomic<int>& times : inner) EXPECT_EQ(times, 3);
  }
}

TEST(Parallel, SeveralThreadsMayCallAtOnce) {
  Workers workers(3);
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] {
        for (int loop = 0; loop < 50; ++loop) workers.for_each(20, [&](std::size_t, std::size_t) { ++done; });
      });
    }
  }
  EXPECT_EQ(done, 4 * 50 * 20);
}

TEST(Parallel, TicksOfAllThreadsAreCounted) {
  Workers workers(4);
  Budget budget;
  budget.work_with(workers);
  Budget slice(budget, 1'000'000);
  for_each(slice, 1000, [&](std::size_t index, std::size_t) { slice.spend(index); });
  EXPECT_EQ(slice.ticks_used(), 499'500u);
  EXPECT_EQ(budget.ticks_used(), 499'500u);
}

}  // namespace
}  // namespace partita::detail
