// SPDX-License-Identifier: Apache-2.0
#include "partita/util/phases.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

namespace partita::detail {
namespace {

// Every phase sums up what the one before has left, so a round that is begun too soon, left out or done twice shows.
std::vector<std::uint64_t> sums(const Budget& budget, const std::vector<std::size_t>& sizes) {
  std::vector<std::uint64_t> result;
  std::vector<std::uint64_t> before{1}, now(sizes[0], 0);
  std::size_t phase = 0;
  for_each_phase(
      budget, 8, sizes[0],
      [&](std::size_t i) { now[i] += std::accumulate(before.begin(), before.end(), i * (phase + 1)) % 1'000'007; },
      [&]() -> std::size_t {
        result.push_back(std::accumulate(now.begin(), now.end(), std::uint64_t{0}));
        if (++phase == sizes.size()) return 0;
        before.swap(now);
        now.assign(sizes[phase], 0);
        return sizes[phase];
      });
  return result;
}

TEST(Phases, AreTheSameWithManyThreadsAsWithOne) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < 3'000; ++i) sizes.push_back(1 + i * i % 13);
  const Budget alone;
  const std::vector<std::uint64_t> expected = sums(alone, sizes);
  EXPECT_EQ(expected.size(), sizes.size());
  Workers workers(8);
  Budget shared;
  shared.work_with(workers);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(sums(shared, sizes), expected);
}

TEST(Phases, WithoutRoundsThereIsNoPhase) {
  const Budget budget;
  for_each_phase(
      budget, 8, 0, [](std::size_t) { ADD_FAILURE(); }, []() -> std::size_t { return 1; });
}

TEST(Phases, InsideOfRoundsOfALoop) {
  Workers workers(4);
  Budget shared;
  shared.work_with(workers);
  const std::vector<std::size_t> sizes{3, 1, 4, 1, 5, 9, 2, 6};
  const std::vector<std::uint64_t> expected = sums(Budget(), sizes);
  std::vector<std::vector<std::uint64_t>> found(20);
  for_each(shared, found.size(), [&](std::size_t i, std::size_t) { found[i] = sums(shared, sizes); });
  for (const auto& one : found) EXPECT_EQ(one, expected);
}

TEST(Phases, TheFirstExceptionEndsThem) {
  Workers workers(4);
  Budget shared;
  shared.work_with(workers);
  for (int i = 0; i < 50; ++i) {
    int phases = 0;
    const auto round = [&](std::size_t index) {
      if (phases == 3 && index == 2) throw std::runtime_error("a round");
    };
    EXPECT_THROW(for_each_phase(shared, 4, 5, round, [&] { return ++phases, std::size_t{5}; }), std::runtime_error);
    EXPECT_EQ(phases, 3);
    const auto next = [&]() -> std::size_t { throw std::runtime_error("between phases"); };
    EXPECT_THROW(for_each_phase(
                     shared, 4, 5, [](std::size_t) {}, next),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace partita::detail
