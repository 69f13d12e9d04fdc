// SPDX-License-Identifier: Apache-2.0
// What a split takes for one sample, as the solver measures it, against the definition.
#include "partita/solve/latency/latency_value.h"

#include <gtest/gtest.h>

#include "partita/solve/throughput/free/dice.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/random_workload.h"

namespace partita::test {
namespace {

TEST(LatencyValue, IsTheLatencyOfTheDefinition) {
  std::size_t circles = 0, legal = 0;
  for (std::uint64_t seed = 1; seed <= cases(20'000); ++seed) {
    const Problem problem{random_workload(seed), Objective::Latency};
    const LatencyInstance instance = make_latency_instance(problem);
    LatencyValue value(instance);
    Dice dice(seed);
    for (int i = 0; i < 4; ++i) {
      LatencySplit split{0, IdVector<GroupId, DeviceId>(instance.group_count())};
      std::vector<LatencyValue::Place> place;
      bool supported = true;
      for (GroupId g : split.accelerator_of.all()) {
        place.push_back(static_cast<LatencyValue::Place>(dice.below(static_cast<std::size_t>(value.host()) + 1)));
        const bool host = place.back() == value.host();
        if (!host) split.accelerator_of[g] = DeviceId(static_cast<std::size_t>(place.back()));
        supported = supported && (host ? instance.group(g).on_host : instance.group(g).on_accelerator);
      }
      if (!supported || !fits_hosts(instance, split.accelerator_of)) continue;
      const LatencyValue::Measure& measure = value.measure(place);
      std::vector<std::size_t> device_of;
      for (DeviceId d : lift_latency(problem, instance, split).device_of) device_of.push_back(d.index());
      const Evaluation truth = evaluate_by_definition(problem, device_of);
      EXPECT_TRUE(truth.support_ok && truth.colours_ok) << "seed " << seed;
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

}  // namespace
}  // namespace partita::test
