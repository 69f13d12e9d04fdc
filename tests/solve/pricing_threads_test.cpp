// SPDX-License-Identifier: Apache-2.0
// Pricing on several threads against the same on one: the same sets, the same bounds, the same labels.
#include <gtest/gtest.h>

#include "partita/solve/configuration/narrow_order.h"
#include "partita/solve/configuration/pricing.h"
#include "partita/util/dice.h"
#include "partita/util/parallel.h"
#include "tests/support/cases.h"
#include "tests/support/net_graphs.h"

namespace partita::detail::test {
namespace {

// One device's question, to be asked with one thread and with several.
struct PricingCase {
  PricingCase(std::uint64_t seed, Workers& workers)
      : one(random_net_case(seed, 14)),
        scaled(scale(one.graph, one.platform.accelerator_memory, 2 + static_cast<double>(seed % 40))),
        trellis(one.graph, scaled, narrow_order(one.graph, seed), {10'000}, {}),
        alone(trellis, scaled.limit),
        together(trellis, scaled.limit) {
    shared.work_with(workers);
  }
  Prices random_prices(Dice& dice, double least) const {
    Prices prices;
    for ([[maybe_unused]] GroupId v : one.graph.all())
      prices.push_back(static_cast<Price>(dice.between(least, 0.5) * static_cast<double>(kPriceUnit)));
    return prices;
  }

  const NetCase one;
  const Scaled scaled;
  const Trellis trellis;
  Pricing alone, together;
  Budget budget, shared;
};

TEST(PricingThreads, FindTheSameAsOne) {
  Workers workers(3, 0);  // with more, theta may be another
  std::size_t columns = 0, refuted = 0;
  std::uint64_t labels = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    PricingCase given(seed, workers);
    auto& [one, scaled, trellis, alone, together, budget, shared] = given;
    if (one.graph.size() == 0) continue;
    Dice dice(seed);
    const Prices prices = given.random_prices(dice, 0);
    const Price most = alone.set_prices(prices, &budget);
    EXPECT_EQ(together.set_prices(prices, &shared), most) << "seed " << seed;
    for (const int buckets : {2, 16, 256}) {
      for (const double share : {0.0, 0.6, 0.95}) {
        const auto above = static_cast<Price>(share * static_cast<double>(most));
        const auto column = alone.good_column(buckets, above, budget);
        labels += alone.labels();
        const auto same = together.good_column(buckets, above, shared);
        ASSERT_EQ(column.has_value(), same.has_value()) << "seed " << seed;
        EXPECT_EQ(alone.labels(), together.labels()) << "seed " << seed;
        if (column) {
          EXPECT_EQ(column->groups, same->groups) << "seed " << seed;
          EXPECT_EQ(column->price, same->price) << "seed " << seed;
        }
        columns += column.has_value();
        const bool none = alone.none_above(buckets, above, budget);
        EXPECT_EQ(none, together.none_above(buckets, above, shared)) << "seed " << seed;
        refuted += none;
      }
    }
    EXPECT_EQ(budget.ticks_used(), shared.ticks_used()) << "seed " << seed;
  }
  EXPECT_GT(columns, cases(400) / 10);
  EXPECT_GT(refuted, 0u);
  EXPECT_GT(labels, 100 * cases(400));
}

// With many threads theta is looked for in another way: as good a bound, and nothing is ruled out that is there.
TEST(PricingThreads, ManyFindAsGoodABound) {
  Workers workers(6, 0);
  std::size_t columns = 0, refuted = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    PricingCase given(seed, workers);
    auto& [one, scaled, trellis, alone, together, budget, shared] = given;
    if (one.graph.size() == 0) continue;
    Dice dice(seed);
    for (int turn = 0; turn < 3; ++turn) {  // the last theta is where the next search begins
      const Prices prices = given.random_prices(dice, -0.1);
      const Price most = alone.set_prices(prices, &budget);
      EXPECT_NEAR(static_cast<double>(together.set_prices(prices, &shared)), static_cast<double>(most),
                  3e-8 * static_cast<double>(kPriceUnit) + 2)
          << "seed " << seed;
      for (const double share : {0.0, 0.6, 0.95}) {
        const auto above = static_cast<Price>(share * static_cast<double>(most));
        const auto column = alone.good_column(1'000'000, above, budget);
        const auto same = together.good_column(1'000'000, above, shared);
        ASSERT_EQ(column.has_value(), same.has_value()) << "seed " << seed;
        if (column) {
          EXPECT_EQ(column->price, same->price) << "seed " << seed;
        }
        const bool none = together.none_above(64, above, shared);
        EXPECT_FALSE(none && column) << "seed " << seed;
        columns += column.has_value();
        refuted += none;
      }
    }
  }
  EXPECT_GT(columns, cases(400) / 10);
  EXPECT_GT(refuted, 0u);
}

}  // namespace
}  // namespace partita::detail::test
