// SPDX-License-Identifier: Apache-2.0
#include "partita/util/budget.h"

#include <gtest/gtest.h>

namespace partita::detail::test {
namespace {

TEST(Budget, HasNoLimitUnlessToldSo) {
  Budget budget;
  budget.spend(1'000'000'000);
  EXPECT_FALSE(budget.exhausted());
  EXPECT_EQ(budget.ticks_used(), 1'000'000'000u);
}

TEST(Budget, EndsWithItsTicks) {
  Budget budget(Budget::Limits{.ticks = 10});
  budget.spend(9);
  EXPECT_FALSE(budget.exhausted());
  budget.spend(1);
  EXPECT_TRUE(budget.exhausted());
  EXPECT_TRUE(Budget(Budget::Limits{.ticks = 0}).exhausted());
}

TEST(Budget, TellsHowManyTicksAreLeft) {
  Budget budget({.ticks = 10});
  budget.spend(4);
  EXPECT_EQ(budget.ticks_left(), 6u);
  budget.spend(100);
  EXPECT_EQ(budget.ticks_left(), 0u);
}

TEST(Budget, EndsWithItsTime) {
  EXPECT_TRUE(Budget(Budget::Limits{.seconds = 0}).exhausted());
  const Budget hour(Budget::Limits{.seconds = 3600});
  EXPECT_FALSE(hour.exhausted());
  EXPECT_GT(hour.seconds_left(), 3500);
}

TEST(Budget, EndsWhenCancelled) {
  Budget budget;
  budget.cancel();
  EXPECT_TRUE(budget.cancelled());
  EXPECT_TRUE(budget.exhausted());
}

TEST(BudgetSlice, EndsOnItsOwnAndLeavesTheWhole) {
  Budget whole(Budget::Limits{.ticks = 100});
  Budget slice(whole, 10);
  slice.spend(10);
  EXPECT_TRUE(slice.exhausted());
  EXPECT_FALSE(whole.exhausted());
  EXPECT_EQ(whole.ticks_used(), 10u);
}

TEST(BudgetSlice, EndsWithTheWhole) {
  Budget whole(Budget::Limits{.ticks = 100});
  Budget slice(whole, 1000);
  Budget part(slice, 1000);
  whole.spend(50);
  part.spend(50);
  EXPECT_EQ(slice.ticks_used(), 50u);
  EXPECT_TRUE(whole.exhausted());
  EXPECT_TRUE(slice.exhausted());
  EXPECT_TRUE(part.exhausted());
}

TEST(BudgetSlice, HasSecondsOfItsOwn) {
  Budget whole(Budget::Limits{.seconds = 3600});
  EXPECT_TRUE(Budget(whole, 1000, 0).exhausted());
  Budget slice(whole, 1000, 60);
  EXPECT_FALSE(slice.exhausted());
  EXPECT_LE(slice.seconds_left(), 60);
  EXPECT_GT(slice.seconds_left(), 50);
  EXPECT_LE(Budget(whole, 1000, 7200).seconds_left(), 3600);
  EXPECT_FALSE(whole.exhausted());
}

TEST(BudgetSlice, HearsOfACancelledWhole) {
  Budget whole;
  Budget slice(whole, 1000);
  EXPECT_FALSE(slice.exhausted());
  whole.cancel();
  EXPECT_TRUE(slice.exhausted());
}

TEST(BudgetSlice, KeepsTheMemoryLimit) {
  Budget whole(Budget::Limits{.memory_bytes = 77});
  EXPECT_EQ(Budget(whole, 5).limits().memory_bytes, 77u);
}

}  // namespace
}  // namespace partita::detail::test
