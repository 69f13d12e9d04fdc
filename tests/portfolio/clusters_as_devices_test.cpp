// SPDX-License-Identifier: Apache-2.0
// Each cluster as one device: never a bound above the optimum, on random small questions, against brute force.
#include "partita/portfolio/clusters_as_devices.h"

#include <gtest/gtest.h>

#include "tests/support/cases.h"
#include "tests/support/equal_clusters.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {
namespace {

TEST(ClustersAsDevices, NeverBoundAboveTheOptimum) {
  std::uint64_t asked = 0, useful = 0;
  for (std::uint64_t seed = 1; seed <= cases(700); ++seed) {
    SetupFeatures features = SetupFeatures::none();
    features.clusters = true;
    features.memory = seed % 2 == 0;
    features.recompute = seed % 4 == 0;
    features.transfers = seed % 3 == 0;
    Problem problem = random_setup(seed, features);
    if (seed % 5 > 1) problem = in_equal_clusters(problem, seed);
    if (problem.workload->graph.nodes.size() > 7) continue;
    const std::optional<ClustersAsDevices> simpler = clusters_as_devices(problem);
    if (!simpler) continue;
    const std::optional<double> optimum = pipeline_brute_force(problem);
    if (!optimum) continue;
    const std::optional<double> relaxed = pipeline_brute_force(simpler->problem);
    ASSERT_TRUE(relaxed) << describe(problem);
    EXPECT_LE(*relaxed / simpler->devices_in_one, *optimum * (1 + 1e-9) + 1e-12) << describe(problem);
    ++asked;
    useful += *relaxed / simpler->devices_in_one > 0.8 * *optimum && simpler->devices_in_one > 1;
  }
  EXPECT_GT(asked, cases(700) / 40);
  EXPECT_GT(useful, 0u);
}

TEST(ClustersAsDevices, AreForClustersOfOneClassOnly) {
  SetupFeatures features = SetupFeatures::none();
  features.clusters = true;
  Problem problem = random_setup(3, features);
  problem.workload.change().platform.clusters.reset();
  EXPECT_FALSE(clusters_as_devices(problem));
  Platform& platform = problem.workload.change().platform;
  platform.classes.clear();
  platform.classes.push_back({"fast", DeviceKind::Accelerator, 2});
  for (Node& node : problem.workload.change().graph.nodes) node.time.assign(1, 1.0);
  platform.clusters = Cluster{1, {0}, {{0.5, {1}, {}}, {0.5, {1}, {}}}};
  EXPECT_TRUE(clusters_as_devices(problem));
  problem.replicas = 2;
  EXPECT_FALSE(clusters_as_devices(problem));
  problem.replicas = 1;
  platform.clusters = Cluster{1, {1}, {{0.5, {1}, {}}}};
  EXPECT_FALSE(clusters_as_devices(problem)) << "an accelerator stands in no cluster";
}

}  // namespace
}  // namespace partita::detail::test
