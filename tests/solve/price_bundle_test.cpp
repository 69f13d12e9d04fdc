// SPDX-License-Identifier: Apache-2.0
// Proposals are what their head says, and lead to the best prices, by looking at all sets.
#include "partita/solve/configuration/price_bundle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "partita/solve/configuration/master_lp.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"

namespace partita::detail::test {
namespace {

// Items of some weights, and devices that each hold any set within a limit: all cuts there are.
struct BundlePacking {
  explicit BundlePacking(std::uint64_t seed) {
    Dice dice(seed);
    const std::size_t items = 2 + dice.below(6);
    for (std::size_t i = 0; i < items; ++i) weights.push_back(1 + static_cast<double>(dice.below(9)));
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    devices = 2 + static_cast<double>(dice.below(3));
    const double limit = std::max(*std::ranges::max_element(weights), all / devices);
    for (std::uint32_t set = 0; set < (1u << items); ++set) {
      std::vector<double> cut(items, 0);
      for (std::size_t i = 0; i < items; ++i) cut[i] = set >> i & 1;
      if (worth(weights, cut) <= limit) cuts.push_back(cut);
    }
  }
  static double worth(const std::vector<double>& prices, const std::vector<double>& cut) {
    return std::inner_product(cut.begin(), cut.end(), prices.begin(), 0.0);
  }
  const std::vector<double>& dearest(const std::vector<double>& prices) const {
    return *std::ranges::max_element(cuts, {}, [&](const auto& cut) { return worth(prices, cut); });
  }
  // What all devices hold at most, less all there is.
  double value(const std::vector<double>& prices) const {
    return devices * worth(prices, dearest(prices)) - std::accumulate(prices.begin(), prices.end(), 0.0);
  }

  std::vector<double> weights;
  double devices = 0;
  std::vector<std::vector<double>> cuts;
};

// The least value of prices with this sum, by the LP over all sets: of z devices the dearest set is worth sum / z.
double least_packing_value(const BundlePacking& packing, double sum) {
  IdVector<GroupId, std::size_t> rows(packing.weights.size());
  for (GroupId v : rows.all()) rows[v] = v.index();
  Scaled scaled;
  scaled.memory.assign(rows.size(), 0);
  const std::vector<ScaledClass> classes{{false, static_cast<int>(packing.devices), scaled}};
  MasterLp master(rows, classes, MasterLp::Kind::Exactly);
  for (const std::vector<double>& cut : packing.cuts) {
    std::vector<GroupId> column;
    for (std::size_t i = 0; i < cut.size(); ++i) {
      if (cut[i] > 0) column.push_back(GroupId(i));
    }
    if (!column.empty()) master.add(column, 0);
  }
  Budget budget;
  return sum / master.solve(budget) - sum;
}

TEST(PriceBundle, LeadsToTheBestPrices) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const BundlePacking packing(seed);
    std::vector<double> best = packing.weights;
    PriceBundle bundle(packing.weights, best.size(), {packing.devices});
    bundle.add(0, packing.dearest(best));
    const double sum = std::accumulate(best.begin(), best.end(), 0.0), goal = least_packing_value(packing, sum);
    double value = packing.value(best);
    for (int round = 0; round < 300 && value > goal + 1e-5; ++round) {
      const auto [prices, modelled] = bundle.propose(best, value - 0.6 * (value - goal));
      EXPECT_NEAR(std::accumulate(prices.begin(), prices.end(), 0.0), sum, 1e-9 * sum) << "seed " << seed;
      EXPECT_LE(modelled, packing.value(prices) + 1e-9) << "seed " << seed;
      const std::vector<double>& dearest = packing.dearest(prices);
      if (bundle.is_news(0, dearest, prices)) bundle.add(0, dearest);
      EXPECT_FALSE(bundle.is_news(0, dearest, prices)) << "seed " << seed;
      if (packing.value(prices) < value) {
        value = packing.value(prices);
        best = prices;
      }
    }
    EXPECT_NEAR(value, goal, 1e-5) << "seed " << seed;
  }
}

// Nothing nearby has a lower model with the distance counted.
TEST(PriceBundle, ProposesWhatMinimisesTheModelAndTheDistance) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    const BundlePacking packing(seed);
    Dice dice(seed);
    const std::vector<double>& centre = packing.weights;
    const std::size_t size = centre.size();
    std::vector<double> scale;
    for (std::size_t i = 0; i < size; ++i) scale.push_back(1 + static_cast<double>(dice.below(3)));
    PriceBundle bundle(scale, size, {packing.devices});
    std::vector<std::vector<double>> cuts;
    for (int i = 0; i < 6; ++i) cuts.push_back(packing.cuts[dice.below(packing.cuts.size())]);
    for (const std::vector<double>& cut : cuts) bundle.add(0, cut);
    const auto model = [&](const std::vector<double>& prices) {
      double dearest = -1e9;
      for (const std::vector<double>& cut : cuts) dearest = std::max(dearest, BundlePacking::worth(prices, cut));
      return packing.devices * dearest - std::accumulate(prices.begin(), prices.end(), 0.0);
    };
    const double fall = 0.5;
    const auto [prices, modelled] = bundle.propose(centre, model(centre) - fall);
    EXPECT_NEAR(modelled, model(prices), 1e-9) << "seed " << seed;
    const auto with_distance = [&](const std::vector<double>& at) {
      double distance = 0;
      for (std::size_t i = 0; i < size; ++i) distance += (at[i] - centre[i]) * (at[i] - centre[i]) / scale[i];
      return model(at) + distance / (2 * bundle.step());
    };
    if (model(centre) - modelled < 0.1 * fall) continue;  // out of reach: the step is another by now
    for (int i = 0; i < 100; ++i) {
      std::vector<double> other = prices;
      const std::size_t a = dice.below(size), b = dice.below(size);
      const double moved = 0.3 * dice.chance();
      other[a] += moved;
      other[b] -= moved;
      EXPECT_GE(with_distance(other), with_distance(prices) - 0.1 * fall) << "seed " << seed;
    }
  }
}

// Of two blocks, and a coordinate that is not in the sum: its worth is at its wall.
TEST(PriceBundle, KeepsOtherCoordinatesAtTheirWalls) {
  PriceBundle bundle({1, 1, 1}, 2, {2, 1, 1});
  bundle.add(0, {1, 0, 0});
  bundle.add(0, {0, 1, 0});
  bundle.add(1, {0, 0, 2});
  bundle.add(2, {0, 0, 0});
  bundle.add(2, {0, 0, -4});
  std::vector<double> prices{1, 3, 0.5};
  for (int i = 0; i < 50; ++i) prices = bundle.propose(prices, -0.5).prices;
  EXPECT_NEAR(prices[0], 2, 0.05);
  EXPECT_NEAR(prices[1], 2, 0.05);
  EXPECT_NEAR(prices[2], 0, 0.05);
}

}  // namespace
}  // namespace partita::detail::test
