// SPDX-License-Identifier: Apache-2.0
// How much of a workload's times comes from where.
#include "partita/check/cost_sources.h"

#include <gtest/gtest.h>

#include "partita/check/warnings.h"
#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

Workload of_sources(CostSource a, CostSource b, CostSource c) {
  Workload workload = graph_from_text("a 8 80; b 90 1; c 1 1000", 1);
  workload.graph.nodes[NodeId(0)].facts.source = a;
  workload.graph.nodes[NodeId(1)].facts.source = b;
  workload.graph.nodes[NodeId(2)].facts.source = c;
  return workload;
}

TEST(CostSources, SharesOfTheLeastTimes) {
  const Workload workload = of_sources(CostSource::Calibrated, CostSource::Default, CostSource::Calibrated);
  const std::vector<SourceShare> shares = source_shares(workload);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].source, CostSource::Calibrated);
  EXPECT_EQ(shares[0].nodes, 2u);
  EXPECT_EQ(shares[0].time, 9);
  EXPECT_EQ(shares[0].share, 0.9);
  EXPECT_EQ(shares[1].source, CostSource::Default);
  EXPECT_EQ(describe_sources(workload), "calibrated 90 % of the time, default 10 %");
}

TEST(CostSources, AClassWithoutDevicesDoesNotCount) {
  Workload workload = of_sources(CostSource::Measured, CostSource::Measured, CostSource::Measured);
  EXPECT_EQ(least_time(workload.graph.nodes[NodeId(1)], workload.platform), 1);
  workload.platform.classes[ClassId(1)].count = 0;
  EXPECT_EQ(least_time(workload.graph.nodes[NodeId(1)], workload.platform), 90);
}

TEST(CostSources, GivenTimesNeedNoWords) {
  EXPECT_EQ(describe_sources(of_sources(CostSource::Given, CostSource::Given, CostSource::Given)), "");
  EXPECT_EQ(describe_sources(of_sources(CostSource::Given, CostSource::Measured, CostSource::Given)),
            "given 90 % of the time, measured 10 %");
}

TEST(CostSources, SharesAreNeverRoundedToNothingOrToAll) {
  EXPECT_EQ(share_text(0), "0 %");
  EXPECT_EQ(share_text(0.004), "less than 1 %");
  EXPECT_EQ(share_text(0.126), "13 %");
  EXPECT_EQ(share_text(0.996), "more than 99 %");
  EXPECT_EQ(share_text(1), "100 %");
}

TEST(CostSources, MuchTimeThatIsGuessedIsAWarning) {
  const auto said = [](const Workload& workload) { return warnings(problem_of(workload), CheckReport{}); };
  EXPECT_EQ(said(of_sources(CostSource::Default, CostSource::Calibrated, CostSource::Default)),
            std::vector<std::string>{
                "90 % of the time is that of 2 operators whose work is not known, and only a guess: 1 (a), 3 (c); give "
                "them measured times, or shapes where these are missing"});
  EXPECT_TRUE(said(of_sources(CostSource::Calibrated, CostSource::Roofline, CostSource::Measured)).empty());
  Workload little = of_sources(CostSource::Calibrated, CostSource::Default, CostSource::Calibrated);
  little.graph.nodes[NodeId(1)].time = {0.5, 0.5};
  EXPECT_TRUE(said(little).empty()) << "5 % is not much";
}

}  // namespace
}  // namespace partita::detail
