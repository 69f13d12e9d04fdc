// SPDX-License-Identifier: Apache-2.0
// The bound for free splits: what it refutes has no split, by brute force; and its parts.
#include <gtest/gtest.h>

#include <limits>

#include "partita/solve/configuration/configuration_lp.h"
#include "partita/solve/configuration/narrow_order.h"
#include "partita/solve/free/volume.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/narrowed_load.h"
#include "tests/support/net_graphs.h"

namespace partita::detail::test {
namespace {

constexpr std::size_t kWide = 10'000;

std::vector<GroupId> groups_of(std::uint32_t set, const NetGraph& graph) {
  std::vector<GroupId> groups;
  for (GroupId v : graph.all()) {
    if (set >> v.index() & 1) groups.push_back(v);
  }
  return groups;
}

// The load of the path through the trellis that takes just these groups, or nothing if the path leaves the trellis.
std::optional<Load> load_along(const Trellis& trellis, std::uint32_t set) {
  std::int32_t state = 0;
  Load load = 0;
  for (std::size_t t = 0; t + 1 < trellis.layers().size(); ++t) {
    const auto& layer = trellis.layers()[t];
    if (layer.arcs.empty()) return std::nullopt;
    const auto begin = layer.arcs.begin() + layer.first[state], end = layer.arcs.begin() + layer.first[state + 1];
    const bool take = set >> layer.group.index() & 1;
    const auto arc = std::find_if(begin, end, [&](const Trellis::Arc& a) { return a.take == take; });
    if (arc == end) return std::nullopt;
    load += arc->load;
    state = arc->to;
  }
  return load;
}

TEST(Trellis, HasEverySetWithinTheLimitAndNeverOverstatesItsLoad) {
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const NetCase one = random_net_case(seed);
    if (one.graph.size() == 0) continue;
    const double limit = 1 + static_cast<double>(seed % 30);
    const Scaled scaled = scale(one.graph, one.platform.accelerator_memory, limit);
    const std::size_t widest = seed % 4 == 0 ? 2 : kWide;  // sometimes nets lose members
    const Trellis trellis(one.graph, scaled, narrow_order(one.graph, seed), {widest}, {});
    for (std::uint32_t set = 0; set < (1u << one.graph.size()); ++set) {
      const std::vector<GroupId> groups = groups_of(set, one.graph);
      bool supported = true;
      for (GroupId v : groups) supported = supported && scaled.may_hold[v];
      const double load = accelerator_load(one.graph, groups);
      const auto along = load_along(trellis, set);
      if (supported && load <= limit) {
        ASSERT_TRUE(along) << "seed " << seed;
        const double narrowed = narrowed_load(one.graph, trellis, groups);
        EXPECT_LE(static_cast<double>(*along), narrowed * scaled.units_per_time * (1 + 1e-12)) << "seed " << seed;
        EXPECT_LE(narrowed, load * (1 + 1e-12)) << "seed " << seed;
      }
      if (along && trellis.narrowed().empty()) {
        EXPECT_TRUE(supported) << "seed " << seed;
        EXPECT_GE(static_cast<double>(*along), load * scaled.units_per_time - 100) << "seed " << seed;
      }
    }
  }
}

// A block of layers each of which reads some of those before it: nets that end together, of few costs.
NetGraph block_of_layers(std::size_t layers, std::size_t costs, Dice& dice) {
  IdVector<GroupId, Group> groups;
  for (std::size_t i = 0; i < layers; ++i) groups.push_back({static_cast<double>(1 + dice.below(3)), 1, 0, true, true});
  std::vector<Net> nets;
  for (std::size_t i = 0; i + 1 < layers; ++i) {
    std::vector<GroupId> members{GroupId(i)};
    const std::size_t from = i + 1 + dice.below(layers - i - 1);
    for (std::size_t k = from; k < layers; ++k) {
      if (k + 1 == layers || !dice.one_in(6)) members.push_back(GroupId(k));
    }
    nets.push_back({static_cast<double>(1 + dice.below(costs)), members});
  }
  return NetGraph(std::move(groups), std::move(nets));
}

TEST(Trellis, TellsNetsApartOnlyWhereItMatters) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    Dice dice(seed);
    const NetGraph graph = block_of_layers(3 + dice.below(7), 1 + dice.below(2), dice);
    const double limit = static_cast<double>(3 + dice.below(20));
    const Scaled scaled = scale(graph, 1, limit);
    std::vector<GroupId> order;
    for (GroupId v : graph.all()) order.push_back(v);
    if (dice.one_in(2)) dice.shuffle(order);
    const bool narrow = dice.one_in(4);
    const Trellis trellis(graph, scaled, order, {narrow ? 3 : kWide}, {});
    for (std::uint32_t set = 0; set < (1u << graph.size()); ++set) {
      const double load = accelerator_load(graph, groups_of(set, graph));
      const auto along = load_along(trellis, set);
      if (load <= limit) {
        ASSERT_TRUE(along) << "seed " << seed;
        const double narrowed = narrowed_load(graph, trellis, groups_of(set, graph));
        EXPECT_LE(static_cast<double>(*along), narrowed * scaled.units_per_time * (1 + 1e-12)) << "seed " << seed;
        EXPECT_LE(narrowed, load * (1 + 1e-12)) << "seed " << seed;
      }
      if (along && trellis.narrowed().empty()) {
        EXPECT_GE(static_cast<double>(*along), load * scaled.units_per_time - 100) << "seed " << seed;
      }
    }
  }
}

TEST(Trellis, OfABlockOfLayersIsNarrow) {
  constexpr std::size_t kLayers = 40;
  std::vector<Net> nets;
  for (std::size_t i = 0; i + 1 < kLayers; ++i) {
    nets.push_back({1, {}});
    for (std::size_t k = i; k < kLayers; ++k) nets.back().members.push_back(GroupId(k));
  }
  const NetGraph graph(IdVector<GroupId, Group>(kLayers, {1, 1, 0, true, true}), std::move(nets));
  const Trellis trellis(graph, scale(graph, 1, 1000), narrow_order(graph, 1), {kWide}, {});
  EXPECT_TRUE(trellis.narrowed().empty());
  EXPECT_LT(trellis.state_count(), 4 * kLayers * kLayers);
}

TEST(Pricing, FindsRealSetsAndNeverMissesADearerOne) {
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const NetCase one = random_net_case(seed);
    if (one.graph.size() == 0) continue;
    const double limit = 1 + static_cast<double>(seed % 30);
    const Scaled scaled = scale(one.graph, one.platform.accelerator_memory, limit);
    const Trellis trellis(one.graph, scaled, narrow_order(one.graph, seed), {kWide}, {});
    Prices prices(one.graph.size(), 0);
    for (GroupId v : one.graph.all())
      prices[v] = static_cast<Price>((seed * 7919 + v.index() * 104729) % 1000) * (kPriceUnit / 2000);
    Price dearest = 0;
    for (std::uint32_t set = 0; set < (1u << one.graph.size()); ++set) {
      const auto load = load_along(trellis, set);
      if (!load || *load > scaled.limit) continue;
      Price price = 0;
      for (GroupId v : groups_of(set, one.graph)) price += prices[v];
      dearest = std::max(dearest, price);
    }
    Pricing pricing(trellis, scaled.limit);
    EXPECT_GE(pricing.set_prices(prices), dearest) << "seed " << seed;
    Budget budget;
    const auto found = pricing.good_column(4000, 0, budget);
    EXPECT_EQ(found.has_value(), dearest > 0) << "seed " << seed;
    if (found) {
      EXPECT_LE(found->price, dearest) << "seed " << seed;
    }
    EXPECT_FALSE(dearest > 0 && pricing.none_above(4000, dearest - 1, budget)) << "seed " << seed;
    EXPECT_TRUE(pricing.none_above(100'000, dearest + kPriceUnit / 100, budget)) << "seed " << seed;
  }
}

TEST(ConfigurationLp, NeverRefutesWhatExistsAndMostlyRefutesTheRest) {
  std::size_t refuted = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const NetCase one = random_net_case(seed);
    const double best = least_free_value(one.graph, one.platform);
    if (best == std::numeric_limits<double>::infinity() || best <= 0) continue;
    const FreeInstance instance = instance_of(one);
    ConfigurationLp lp(model_of(instance, list_load_weights(TransferMode::Sum, false)[0]),
                       volume_bound(instance).prices, narrow_order(one.graph, seed),
                       {seed % 5 == 0 ? std::size_t{3} : kWide});
    if (seed % 2 == 0) lp.go_far();
    Budget budget(Budget::Limits{.ticks = 3'000'000});
    EXPECT_NE(lp.refute(best * (1 + 1e-7), budget), Refutation::Refuted) << "seed " << seed;
    ++tried;
    refuted += lp.refute(best * 0.7, budget) == Refutation::Refuted;
  }
  EXPECT_GT(refuted * 2, tried);
}

}  // namespace
}  // namespace partita::detail::test
