// SPDX-License-Identifier: Apache-2.0
// Dives: what comes out is a split, and where the LP knows what is left, it is nearly within the limit.
#include "partita/solve/free/price_and_dive.h"

#include <gtest/gtest.h>

#include <limits>

#include "partita/solve/configuration/narrow_order.h"
#include "partita/solve/free/free.h"
#include "partita/solve/free/part_loads.h"
#include "partita/solve/free/volume.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/net_graphs.h"

namespace partita::detail::test {
namespace {

struct DiveCase {
  explicit DiveCase(std::uint64_t seed) : one(random_net_case(seed)), instance(instance_of(one)) {}
  NetCase one;
  FreeInstance instance;
};

TEST(PriceAndDive, EndsWithASplitWhoseValueIsNeverBelowTheBest) {
  constexpr double kSlack = 1.02;
  std::size_t tried = 0, ended = 0, within = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const DiveCase test(seed);
    const NetGraph& graph = test.one.graph;
    const double best = least_free_value(graph, test.one.platform);
    if (best == std::numeric_limits<double>::infinity() || best <= 0 || test.one.platform.accelerators == 0) continue;
    const ConfigurationModel model = model_of(test.instance, list_load_weights(TransferMode::Sum, false)[0]);
    const std::vector<GroupId> order = narrow_order(graph, seed);
    const Trellis::Size size{seed % 5 == 0 ? std::size_t{3} : std::size_t{1000}};
    ConfigurationLp lp(model, volume_bound(test.instance).prices, order, size);
    Budget budget(Budget::Limits{.ticks = 3'000'000});
    const double limit = best * kSlack;
    if (lp.refute(limit, budget) != Refutation::LpFeasible || lp.solution().empty()) continue;
    ++tried;
    Dice dice(seed);
    const auto sets =
        PriceAndDive(model, order, size)
            .dive({limit, 2 * limit, lp.solution(), lp.columns(), lp.prices()}, seed % 2 == 0, dice, budget);
    if (!sets) continue;
    ++ended;
    std::vector<int> used(model.classes.size(), 0), held(graph.size(), 0);
    IdVector<GroupId, DeviceId> device_of(graph.size(), DeviceId(0));
    for (const SetInUse& set : *sets) {
      const DeviceTable::Class& of_class = test.instance.device_class(set.device_class);
      ASSERT_LT(used[set.device_class], model.classes[set.device_class].count) << "seed " << seed;
      for (GroupId v : set.groups) {
        ++held[v.index()];
        device_of[v] = DeviceId(of_class.first + static_cast<std::size_t>(used[set.device_class]));
      }
      ++used[set.device_class];
    }
    for (int times : held) ASSERT_EQ(times, 1) << "seed " << seed;
    if (!is_legal(test.instance, device_of)) continue;  // memory of a device is not looked at
    const double value = free_value(test.instance, device_of);
    EXPECT_GE(value, best * (1 - 1e-9)) << "seed " << seed;
    within += value <= limit * (1 + 1e-9);
  }
  EXPECT_GT(ended * 2, tried);
  EXPECT_GT(within * 2, ended);
  if (all_usual_cases()) {
    EXPECT_GT(tried, 300u);
  }
}

// The whole solver with dives and hardly any search: every certificate must hold, and values are true.
TEST(PriceAndDive, HelpsASolverThatHardlySearches) {
  std::size_t tried = 0, best_found = 0;
  for (std::uint64_t seed = 1; seed <= cases(100); ++seed) {
    const DiveCase test(seed);
    const double best = least_free_value(test.one.graph, test.one.platform);
    if (best == std::numeric_limits<double>::infinity() || best <= 0) continue;
    FreeOptions options;
    options.seed = seed;
    options.settings.pair_resplit = false;
    options.settings.split_share = options.settings.share_when_stagnating = 0.01;
    Budget budget(Budget::Limits{.ticks = 300'000});
    const FreeOutcome outcome =
        solve_free(test.instance, {}, options, [](const ProofTree&, Budget&) { return true; }, budget, {});
    EXPECT_LE(outcome.bound, best * (1 + 1e-9)) << "seed " << seed;
    if (!outcome.split) continue;
    ++tried;
    EXPECT_GE(outcome.split->value, best * (1 - 1e-9)) << "seed " << seed;
    best_found += outcome.split->value <= best * (1 + 1e-6);
  }
  EXPECT_GT(best_found * 10, tried * 9);
}

}  // namespace
}  // namespace partita::detail::test
