// SPDX-License-Identifier: Apache-2.0
#include "partita/check/listed_split.h"

#include <gtest/gtest.h>

#include "partita/util/error.h"
#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

// a and b on accelerator 0, c on accelerator 1.
class ListedSplitTest : public testing::Test {
 protected:
  ListedSplitTest()
      : problem(problem_of(graph_from_text("a 1 -; b 1 -; c 2 - back; a -> b : 0.5; b -> c : 0.5", 3, kUnlimited, 0))) {
    listing.devices = {{DeviceKind::Accelerator, "first", {1, 2}}, {DeviceKind::Accelerator, "second", {3}}};
  }

  std::string refusal(const std::optional<Problem>& answered) const {
    try {
      std::ignore = legal_split(problem, listing, answered, "plan.json");
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::IllegalSplit);
      return error.what();
    }
    return "";
  }

  Problem problem;
  SplitListing listing;
};

TEST_F(ListedSplitTest, BecomesASplitThatCostsTheSame) {
  const ListedSplit listed = legal_split(problem, listing, std::nullopt, "plan.json");
  EXPECT_EQ(listed.split.device_of, (IdVector<NodeId, DeviceId>{DeviceId(0), DeviceId(0), DeviceId(1)}));
  EXPECT_EQ(listed.split.order, (Devices{DeviceId(0), DeviceId(1)}));
  EXPECT_TRUE(listed.split.copy_of.empty());
  EXPECT_TRUE(listed.split.recomputes.empty());
  EXPECT_TRUE(listed.split.subgraph_of.empty());
  const CheckReport again = check(problem, listed.split);
  EXPECT_TRUE(again.legal());
  EXPECT_EQ(again.load, listed.report.load);
}

TEST_F(ListedSplitTest, KeepsCopiesAndRecomputing) {
  problem.replicas = 2;
  problem.memory_model = MemoryModel::OneF1B;
  problem.recompute = true;
  listing.devices.push_back({DeviceKind::Accelerator, "third", {}});
  listing.devices[2].copy_of = 0;
  listing.order = {0, 1};
  listing.devices[2].recomputes = listing.devices[0].recomputes = true;
  const ListedSplit listed = legal_split(problem, listing, std::nullopt, "plan.json");
  EXPECT_EQ(listed.split.copy_of, (IdVector<DeviceId, DeviceId>{DeviceId(0), DeviceId(1), DeviceId(0)}));
  EXPECT_EQ(listed.split.recomputes, (IdVector<DeviceId, char>{1, 0, 1}));
  EXPECT_EQ(check(problem, listed.split).load, listed.report.load);
}

TEST_F(ListedSplitTest, KeepsSubgraphs) {
  problem.objective = Objective::Latency;
  problem.subgraphs = 2;
  listing.devices[0].subgraphs = {{1}, {2}};
  const ListedSplit listed = legal_split(problem, listing, std::nullopt, "plan.json");
  EXPECT_EQ(listed.split.subgraph_of, (IdVector<NodeId, std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(check(problem, listed.split).value, listed.report.value);
}

TEST_F(ListedSplitTest, NamesTheFirstViolations) {
  listing.devices[1].node_ids = {8, 9};
  const std::string text = refusal(std::nullopt);
  EXPECT_NE(text.find("plan.json: is not legal here: unknown node: "), std::string::npos) << text;
  EXPECT_NE(text.find("missing node: "), std::string::npos) << text;
  EXPECT_NE(text.find("`partita check`"), std::string::npos) << text;
  EXPECT_EQ(text.find("more violation"), std::string::npos) << text;
}

TEST_F(ListedSplitTest, SaysWhichOptionsThePlanWasMadeWith) {
  listing.claimed_value = 17;
  Problem answered;
  EXPECT_NE(refusal(answered).find("give the workload and the options"), std::string::npos);
  answered.shape = Shape::Free;
  answered.transfers = TransferMode::Overlap;
  EXPECT_NE(refusal(answered).find("Question::shape = free, Question::transfers = overlap;"), std::string::npos)
      << refusal(answered);
}

TEST_F(ListedSplitTest, OptionsThatDiffer) {
  Problem plain;
  EXPECT_EQ(options_that_differ(plain, problem), "");
  Problem latency;
  latency.objective = Objective::Latency;
  latency.subgraphs = 3;
  latency.strict_host_cores = true;
  EXPECT_EQ(options_that_differ(latency, plain),
            "Question::objective = latency, Question::subgraphs = 3, Question::strict_host_cores");
  EXPECT_EQ(options_that_differ(plain, latency), "Question::objective = max-load");
  Problem fleet;
  fleet.replicas = 2;
  fleet.memory_model = MemoryModel::GPipe;
  fleet.microbatches = 4;
  fleet.recompute = true;
  fleet.backward_shape = true;
  EXPECT_EQ(options_that_differ(fleet, plain),
            "Question::backward_shape, Question::replicas = 2, Question::memory_model = gpipe, "
            "Question::microbatches = 4, Question::recompute");
  EXPECT_EQ(options_that_differ(plain, fleet),
            "no Question::backward_shape, no Question::replicas, Question::memory_model = flat, "
            "no Question::microbatches, no Question::recompute");
}

}  // namespace
}  // namespace partita::detail
