// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/pair_resplit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/net_graphs.h"

namespace partita::detail::test {
namespace {

struct PairCase {
  NetCase one;
  IdVector<GroupId, DeviceId> device_of;
  DeviceId i, j;
  std::vector<GroupId> open;  // some of the groups of i and j, in a random order
};

// A legal start; at least two devices.
std::optional<PairCase> random_pair_case(std::uint64_t seed) {
  PairCase pair{random_net_case(seed, 10), {}, {}, {}, {}};
  const NetCase& one = pair.one;
  const auto devices = static_cast<std::size_t>(one.platform.accelerators + one.platform.hosts);
  if (devices < 2) return std::nullopt;
  Dice dice(seed);
  for (int tries = 0; tries < 50; ++tries) {
    pair.device_of.assign(one.graph.size(), DeviceId(0));
    for (DeviceId& d : pair.device_of) d = DeviceId(dice.below(devices));
    if (evaluate(one.graph, one.platform, pair.device_of).legal) break;
  }
  if (!evaluate(one.graph, one.platform, pair.device_of).legal) return std::nullopt;
  pair.i = DeviceId(dice.below(devices));
  pair.j = DeviceId((pair.i.index() + 1 + dice.below(devices - 1)) % devices);
  for (GroupId v : one.graph.all()) {
    const bool held = pair.device_of[v] == pair.i || pair.device_of[v] == pair.j;
    if (held && !dice.one_in(5)) pair.open.push_back(v);
  }
  dice.shuffle(pair.open);
  return pair;
}

double soft(const NetEvaluation& at, DeviceId i, DeviceId j, double limit, double power) {
  return std::exp(power * (at.load[i.index()] / limit - 1)) + std::exp(power * (at.load[j.index()] / limit - 1));
}

// The least soft maximum that the open groups can be given.
double least_soft(const PairCase& pair, double limit, double power) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t set = 0; set < 1u << pair.open.size(); ++set) {
    auto device_of = pair.device_of;
    for (std::size_t k = 0; k < pair.open.size(); ++k) device_of[pair.open[k]] = set >> k & 1 ? pair.i : pair.j;
    const NetEvaluation here = evaluate(pair.one.graph, pair.one.platform, device_of);
    if (here.legal) least = std::min(least, soft(here, pair.i, pair.j, limit, power));
  }
  return least;
}

TEST(PairResplit, FindsTheBestSharingOut) {
  std::size_t improved = 0;
  for (std::uint64_t seed = 1; seed <= cases(3000); ++seed) {
    const auto pair = random_pair_case(seed);
    if (!pair) continue;
    const NetEvaluation before = evaluate(pair->one.graph, pair->one.platform, pair->device_of);
    const double limit = std::max(before.load[pair->i.index()], before.load[pair->j.index()]);
    if (limit == 0) continue;
    const FreeInstance instance = instance_of(pair->one);
    SumLoads loads(instance);
    loads.reset(pair->device_of);
    PairOptions options;
    options.buckets = 1'000'000;  // as good as none
    Budget budget;
    const bool better = resplit_pair(loads, pair->one.graph, pair->i, pair->j, pair->open, options, budget);
    improved += better;
    const NetEvaluation after = evaluate(pair->one.graph, pair->one.platform, loads.device_of());
    EXPECT_TRUE(after.legal) << "seed " << seed;
    const double reached = soft(after, pair->i, pair->j, limit, options.power),
                 least = least_soft(*pair, limit, options.power);
    // Memory buckets are the one thing dropped here, so tight memory may cost a little.
    const bool tight = pair->one.platform.accelerator_memory < 1e9 || pair->one.platform.host_memory < 1e9;
    if (!tight) {
      EXPECT_NEAR(reached, least, 1e-6 * least) << "seed " << seed;
    }
    EXPECT_LE(reached, soft(before, pair->i, pair->j, limit, options.power) * (1 + 1e-9)) << "seed " << seed;
    EXPECT_EQ(better, loads.device_of() != pair->device_of) << "seed " << seed;
    for (std::size_t d = 0; d < after.load.size(); ++d)
      EXPECT_NEAR(loads.load(DeviceId(d)), after.load[d], 1e-9) << "seed " << seed;
  }
  EXPECT_GT(improved, cases(3000) / 4);
}

TEST(PairResplit, UnderTightMemoryIsNearlyAlwaysBest) {
  std::size_t tried = 0, missed = 0;
  PairOptions options;
  options.buckets = 1'000'000;
  for (std::uint64_t seed = 1; seed <= cases(6000); ++seed) {
    const auto pair = random_pair_case(seed);
    if (!pair || (pair->one.platform.accelerator_memory >= 1e9 && pair->one.platform.host_memory >= 1e9)) continue;
    const NetEvaluation before = evaluate(pair->one.graph, pair->one.platform, pair->device_of);
    const double limit = std::max(before.load[pair->i.index()], before.load[pair->j.index()]);
    if (limit == 0) continue;
    const FreeInstance instance = instance_of(pair->one);
    SumLoads loads(instance);
    Budget budget;
    loads.reset(pair->device_of);
    resplit_pair(loads, pair->one.graph, pair->i, pair->j, pair->open, options, budget);
    const NetEvaluation after = evaluate(pair->one.graph, pair->one.platform, loads.device_of());
    ++tried;
    missed +=
        soft(after, pair->i, pair->j, limit, options.power) > least_soft(*pair, limit, options.power) * (1 + 1e-6);
  }
  EXPECT_LE(missed, tried / 100) << "of " << tried;
}

TEST(PairResplit, StaysLegalWithFewLabelsAndManyNets) {
  // Complete graph: more open nets than a state has room for.
  constexpr std::size_t kGroups = 40;
  IdVector<GroupId, Group> groups(kGroups, Group{1, 1, 1, true, true});
  std::vector<Net> nets;
  for (std::size_t v = 0; v < kGroups; ++v) {
    for (std::size_t w = v + 1; w < kGroups; ++w) nets.push_back({0.01, {GroupId(v), GroupId(w)}});
  }
  const NetCase one{NetGraph(groups, nets), {2, 0, 25, 0}};
  IdVector<GroupId, DeviceId> device_of(kGroups, DeviceId(0));
  std::vector<GroupId> order;
  for (std::size_t v = 0; v < kGroups; ++v) {
    order.push_back(GroupId(v));
    if (v >= 25) device_of[GroupId(v)] = DeviceId(1);
  }
  const FreeInstance instance = instance_of(one);
  SumLoads loads(instance);
  loads.reset(device_of);
  const double before = loads.largest();
  PairOptions options;
  options.labels = 5000;
  Budget budget;
  EXPECT_TRUE(resplit_pair(loads, one.graph, DeviceId(0), DeviceId(1), order, options, budget));
  const NetEvaluation after = evaluate(one.graph, one.platform, loads.device_of());
  EXPECT_TRUE(after.legal);
  EXPECT_LT(after.value, before);
  EXPECT_GT(budget.ticks_used(), 0u);
}

}  // namespace
}  // namespace partita::detail::test
