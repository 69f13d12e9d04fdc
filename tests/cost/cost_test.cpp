// SPDX-License-Identifier: Apache-2.0
// Workloads made of networks: estimates, and measured times in their place.
#include "partita/cost/cost.h"

#include <gtest/gtest.h>

#include "partita/read/presets.h"
#include "partita/util/error.h"
#include "tests/support/hand_made_network.h"

namespace partita::detail {
namespace {

const Node& node_called(const Workload& workload, const std::string& name) {
  for (const Node& node : workload.graph.nodes)
    if (node.name == name) return node;
  throw std::runtime_error("no node " + name);
}

TEST(Cost, EveryTimeSaysWhereItComesFrom) {
  const Workload workload = cost_workload(chain_of_four(), compose_platform("2xa100+t4"));
  const Node& matmul = node_called(workload, "matmul");
  ASSERT_EQ(matmul.time.size(), 2u);
  EXPECT_GT(matmul.time[0], 0);
  EXPECT_GE(matmul.time[1], matmul.time[0]);
  EXPECT_EQ(matmul.facts.source, CostSource::Calibrated);
  EXPECT_EQ(node_called(workload, "x").time[0], 0);
}

TEST(Cost, MeasuredTimesCountOnTheirClassAndScaleOthers) {
  const Workload estimated = cost_workload(chain_of_four(), compose_platform("a100+t4"));
  CostOptions options;
  options.measured = {{{"matmul"}, 0.25}};
  options.measured_on = "t4";
  const Workload workload = cost_workload(chain_of_four(), compose_platform("a100+t4"), options);
  const Node& matmul = node_called(workload, "matmul");
  EXPECT_DOUBLE_EQ(matmul.time[1], 250);
  const Node& before = node_called(estimated, "matmul");
  EXPECT_NEAR(matmul.time[0], 250 * before.time[0] / before.time[1], 1e-9);
  EXPECT_EQ(matmul.facts.source, CostSource::Measured);
  EXPECT_EQ(node_called(workload, "relu").time, node_called(estimated, "relu").time);
}

TEST(Cost, ATimeOfSeveralOperatorsGoesToTheFirstAndKeepsThemTogether) {
  CostOptions options;
  options.measured = {{{"matmul", "add"}, 0.001}};
  const Workload workload = cost_workload(chain_of_four(), compose_platform("2xa100"), options);
  EXPECT_DOUBLE_EQ(node_called(workload, "matmul").time[0], 1);
  EXPECT_DOUBLE_EQ(node_called(workload, "add").time[0], 0);
  EXPECT_EQ(node_called(workload, "add").facts.source, CostSource::Measured);
  ASSERT_TRUE(node_called(workload, "add").colour);
  EXPECT_EQ(node_called(workload, "add").colour, node_called(workload, "matmul").colour);
}

TEST(Cost, TheBackwardPassScalesWithWhatWasMeasured) {
  CostOptions options;
  options.training = true;
  const Workload estimated = cost_workload(chain_of_four(), compose_platform("2xa100"), options);
  const double forward = node_called(estimated, "head").time[0];
  options.measured = {{{"head"}, 3e-3 * forward}};
  const Workload workload = cost_workload(chain_of_four(), compose_platform("2xa100"), options);
  EXPECT_NEAR(node_called(workload, "head").time[0], 3 * forward, 1e-9);
  EXPECT_NEAR(node_called(workload, "head.backward").time[0], 3 * node_called(estimated, "head.backward").time[0],
              1e-9);
  EXPECT_EQ(node_called(workload, "relu.backward").time, node_called(estimated, "relu.backward").time);
  EXPECT_FALSE(workload.notes.empty());
}

TEST(Cost, RefusesWhatMakesNoSense) {
  const auto refused = [](const CostOptions& options, const char* mentions) {
    try {
      cost_workload(chain_of_four(), compose_platform("2xa100"), options);
      ADD_FAILURE() << mentions;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(mentions), std::string::npos) << error.what();
    }
  };
  CostOptions options;
  options.measured = {{{"conv9"}, 1}};
  refused(options, "a profile of another model");
  options.measured = {{{"matmul"}, -1}};
  refused(options, "not negative");
  options.measured = {{{"matmul"}, 1}, {{"add", "matmul"}, 1}};
  refused(options, "in two of the times");
  options.measured = {{{"matmul"}, 1}};
  options.measured_on = "h200";
  refused(options, "no class called 'h200'");
  EXPECT_THROW(cost_workload(chain_of_four(), PlatformSpec{}), InputError);
}

}  // namespace
}  // namespace partita::detail
