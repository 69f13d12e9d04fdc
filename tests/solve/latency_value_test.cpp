// SPDX-License-Identifier: Apache-2.0
// What a split takes for one sample, as the solver measures it, against the definition.
#include "partita/solve/latency/latency_value.h"

#include <gtest/gtest.h>

#include "partita/util/dice.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

using Place = LatencyValue::Place;

Place some_place(const LatencyValue& value, Dice& dice) {
  return static_cast<Place>(dice.below(static_cast<std::size_t>(value.host()) + 1));
}

// Every group somewhere.
IdVector<NodeId, Place> random_places(const LatencyInstance& instance, const LatencyValue& value, Dice& dice) {
  IdVector<NodeId, Place> place(instance.size());
  for (GroupId g : instance.groups.all()) {
    const Place p = some_place(value, dice);
    for (NodeId v : instance.members[g]) place[v] = p;
  }
  return place;
}

LatencySplit split_of(const LatencyInstance& instance, const LatencyValue& value) {
  LatencySplit split{0, IdVector<GroupId, DeviceId>(instance.group_count())};
  for (NodeId v : instance.nodes.all()) {
    if (value.place(v) != value.host())
      split.accelerator_of[instance.nodes[v].group] =
          DeviceId(static_cast<std::size_t>(value.accelerator(value.place(v))));
  }
  return split;
}

bool supported(const LatencyInstance& instance, const LatencySplit& split) {
  for (GroupId g : split.accelerator_of.all()) {
    if (split.accelerator_of[g].valid() ? !instance.group(g).on_accelerator : !instance.group(g).on_host) return false;
  }
  return fits_hosts(instance, split.accelerator_of);
}

// With one subgraph on each accelerator or several, and with cores enough or few.
TEST(LatencyValue, IsTheLatencyOfTheDefinition) {
  std::size_t circles = 0, legal = 0;
  for (std::uint64_t seed = 1; seed <= cases(20'000); ++seed) {
    Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    problem.subgraphs = seed % 3 == 0 ? 2 + static_cast<int>(seed % 2) : 1;
    problem.strict_host_cores = seed % 4 == 1;
    const LatencyInstance instance = make_latency_instance(problem);
    LatencyValue value(instance);
    Dice dice(seed);
    for (int i = 0; i < 4; ++i) {
      IdVector<NodeId, Place> place = random_places(instance, value, dice);
      for (Place& p : place) {
        if (p != value.host() && value.slots() > 1 && dice.one_in(3))
          p += static_cast<Place>(dice.below(static_cast<std::size_t>(value.slots()))) - p % value.slots();
      }
      value.place_all(place);
      const LatencySplit split = split_of(instance, value);
      if (!supported(instance, split)) continue;
      const LatencyValue::Measure& measure = value.measure();
      std::vector<std::size_t> device_of, subgraph_of;
      for (DeviceId d : lift_latency(instance, split).device_of) device_of.push_back(d.index());
      for (NodeId v : place.all()) subgraph_of.push_back(value.subgraph(v));
      const Evaluation truth = evaluate_by_definition(problem, device_of, subgraph_of);
      EXPECT_TRUE(truth.support_ok && truth.colours_ok && truth.subgraphs_ok) << "seed " << seed;
      EXPECT_EQ(measure.waiting > 0, !truth.shape_ok) << "seed " << seed;
      EXPECT_EQ(measure.excess > 0, !truth.memory_ok) << "seed " << seed;
      if (truth.shape_ok) {
        EXPECT_NEAR(measure.latency, truth.value, 1e-9 * (1 + truth.value)) << "seed " << seed;
      }
      (truth.shape_ok ? legal : circles) += 1;
    }
  }
  EXPECT_GT(circles, cases(20'000) / 10);
  EXPECT_GT(legal, cases(20'000));
}

void expect_same(const LatencyValue::Measure& a, const LatencyValue::Measure& b, std::uint64_t seed) {
  EXPECT_NEAR(a.latency, b.latency, 1e-9 * (1 + b.latency)) << "seed " << seed;
  EXPECT_NEAR(a.total, b.total, 1e-9 * (1 + b.total)) << "seed " << seed;
  EXPECT_NEAR(a.excess, b.excess, 1e-9 * (1 + b.excess)) << "seed " << seed;
  EXPECT_EQ(a.waiting, b.waiting) << "seed " << seed;
}

TEST(LatencyValue, MovesAndTakesBack) {
  for (std::uint64_t seed = 1; seed <= cases(4'000); ++seed) {
    Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    problem.subgraphs = 1 + static_cast<int>(seed % 3);
    problem.strict_host_cores = seed % 5 == 0;
    const LatencyInstance instance = make_latency_instance(problem);
    LatencyValue value(instance), afresh(instance);
    Dice dice(seed);
    IdVector<NodeId, Place> place = random_places(instance, value, dice);
    value.place_all(place);
    for (int i = 0; i < 12; ++i) {
      IdVector<NodeId, Place> changed = place;
      for (std::size_t moves = 1 + dice.below(4); moves > 0; --moves) {
        const NodeId v(dice.below(instance.size()));
        changed[v] = some_place(value, dice);
        value.move(v, changed[v]);
      }
      afresh.place_all(changed);
      expect_same(value.measure(), afresh.measure(), seed);
      if (dice.one_in(2)) {
        value.keep();
        place = changed;
      } else {
        value.take_back();
        afresh.place_all(place);
        expect_same(value.measure(), afresh.measure(), seed);
      }
      for (NodeId v : place.all()) EXPECT_EQ(value.place(v), place[v]) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
