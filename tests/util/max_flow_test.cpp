// SPDX-License-Identifier: Apache-2.0
#include "partita/util/max_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/cases.h"

namespace partita::detail::test {
namespace {

struct TestArc {
  std::size_t from, to;
  double capacity, reverse;
};

struct TestNetwork {
  std::size_t vertices;
  std::vector<TestArc> arcs;
};

// Source 0, sink 1. Whole and fractional capacities, some zero, some infinite, arcs with two directions.
TestNetwork random_network(std::mt19937_64& rng) {
  const auto roll = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); };
  TestNetwork network{static_cast<std::size_t>(roll(2, 8)), {}};
  const bool fractional = roll(0, 1) == 0;
  for (int i = roll(0, 20); i > 0; --i) {
    const auto vertex = [&] { return static_cast<std::size_t>(roll(0, static_cast<int>(network.vertices) - 1)); };
    const std::size_t from = vertex(), to = vertex();
    if (from == to) continue;
    const double capacity = roll(0, 12) == 0 ? kInfiniteCapacity : roll(0, 9) + (fractional ? 0.1 * roll(0, 9) : 0);
    network.arcs.push_back({from, to, capacity, roll(0, 3) == 0 ? static_cast<double>(roll(0, 5)) : 0.0});
  }
  return network;
}

MaxFlow flow_of(const TestNetwork& network) {
  MaxFlow flow(network.vertices);
  for (const TestArc& arc : network.arcs) flow.add_arc(arc.from, arc.to, arc.capacity, arc.reverse);
  return flow;
}

double minimum_cut(const TestNetwork& network) {
  double least = kInfiniteCapacity;
  for (std::uint32_t side = 0; side < (1u << network.vertices); ++side) {
    if ((side & 1) == 0 || (side & 2) != 0) continue;
    double cut = 0;
    for (const TestArc& arc : network.arcs) {
      const bool from_in = (side >> arc.from & 1) != 0, to_in = (side >> arc.to & 1) != 0;
      if (from_in && !to_in) cut += arc.capacity;
      if (to_in && !from_in) cut += arc.reverse;
    }
    least = std::min(least, cut);
  }
  return least;
}

TEST(MaxFlow, EqualsTheMinimumCut) {
  std::mt19937_64 rng(1);
  for (std::uint64_t i = 0; i < cases(5000); ++i) {
    const TestNetwork network = random_network(rng);
    const double cut = minimum_cut(network), value = flow_of(network).run(0, 1, kInfiniteCapacity, 0);
    if (cut == kInfiniteCapacity) {
      EXPECT_EQ(value, cut) << "case " << i;
    } else {
      EXPECT_NEAR(value, cut, 1e-9) << "case " << i;
    }
  }
}

TEST(MaxFlow, StopsOnceThereIsEnough) {
  std::mt19937_64 rng(2);
  for (std::uint64_t i = 0; i < cases(3000); ++i) {
    const TestNetwork network = random_network(rng);
    const double cut = minimum_cut(network), enough = static_cast<double>(i % 12);
    const double value = flow_of(network).run(0, 1, enough, 0);
    EXPECT_LE(value, cut + 1e-9) << "case " << i;
    EXPECT_GE(value, std::min(cut, enough) - 1e-9) << "case " << i;
  }
}

TEST(MaxFlow, AToleranceOnlyMakesTheValueSmaller) {
  std::mt19937_64 rng(3);
  for (std::uint64_t i = 0; i < cases(2000); ++i) {
    const TestNetwork network = random_network(rng);
    EXPECT_LE(flow_of(network).run(0, 1, kInfiniteCapacity, 0.35), minimum_cut(network) + 1e-9) << "case " << i;
  }
}

TEST(MaxFlow, ServesManyRunsWithChangedCapacities) {
  std::mt19937_64 rng(4);
  for (std::uint64_t i = 0; i < cases(1000); ++i) {
    TestNetwork network = random_network(rng);
    if (network.arcs.empty()) continue;
    MaxFlow flow(network.vertices);
    std::vector<MaxFlow::ArcIndex> index;
    for (const TestArc& arc : network.arcs) index.push_back(flow.add_arc(arc.from, arc.to, arc.capacity, arc.reverse));
    for (int round = 0; round < 4; ++round) {
      const double cut = minimum_cut(network), value = flow.run(0, 1, kInfiniteCapacity, 0);
      if (cut == kInfiniteCapacity) {
        EXPECT_EQ(value, cut);
      } else {
        EXPECT_NEAR(value, cut, 1e-9) << "case " << i << ", round " << round;
      }
      flow.clear_flow();
      const std::size_t changed = rng() % network.arcs.size();
      network.arcs[changed].capacity = static_cast<double>(rng() % 10);
      flow.set_capacity(index[changed], network.arcs[changed].capacity);
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
