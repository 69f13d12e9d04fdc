// SPDX-License-Identifier: Apache-2.0
// plan() with wishes, on problems small enough to see what the answer must be. Against brute force:
// tests/property/wishes_test.cpp.
#include <gtest/gtest.h>

#include "partita/partita.h"
#include "partita/portfolio/sweep.h"
#include "partita/util/error.h"
#include "tests/support/graph_text.h"

namespace partita::detail {
namespace {

class PlanWishes : public testing::Test {
 protected:
  NodeId node(const char* name) const { return node_named(problem.workload, name); }
  DeviceId device(const Plan& answer, const char* name) const { return answer.result.split->device_of[node(name)]; }
  Plan answer(const Sink& sink = {}) const {
    Budget budget;
    return plan(problem, {}, budget, sink);
  }

  Problem problem = Problem(graph_from_text("a 1 9; b 1 9; c 1 9; d 1 9; a -> b -> c -> d : 0.5", 3, kUnlimited, 1));
};

TEST_F(PlanWishes, APinMovesTheStagesAndCostsNothingWhereDevicesAreAlike) {
  const double best = answer().result.value;
  problem.wishes.pins = {{node("a"), DeviceId(2)}};
  const Plan pinned = answer();
  EXPECT_EQ(pinned.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(pinned.result.value, best);
  EXPECT_EQ(device(pinned, "a"), DeviceId(2));
  EXPECT_TRUE(pinned.report.legal());
}

TEST_F(PlanWishes, PinsToDifferentDevicesAreKeptAtOnce) {
  problem.wishes.pins = {{node("a"), DeviceId(2)}, {node("b"), DeviceId(0)}, {node("d"), DeviceId(3)}};
  const Plan pinned = answer();
  ASSERT_EQ(pinned.result.status, Status::Optimal);
  EXPECT_EQ(device(pinned, "a"), DeviceId(2));
  EXPECT_EQ(device(pinned, "b"), DeviceId(0));
  EXPECT_EQ(device(pinned, "d"), DeviceId(3));
  EXPECT_DOUBLE_EQ(pinned.result.value, 9);
}

TEST_F(PlanWishes, WhatIsTogetherInAStagedSplitHoldsWhatIsBetween) {
  problem.wishes.together = {{node("a"), node("d")}};
  EXPECT_DOUBLE_EQ(answer().result.value, 4);
  problem.shape = Shape::Free;
  EXPECT_LT(answer().result.value, 4);
}

TEST_F(PlanWishes, NodesApartAreTriedOnEveryKindOfDevice) {
  problem.wishes.apart = {{node("a"), node("b"), node("c")}};
  double last_value = kUnlimited;
  bool done = false;
  const Plan apart = answer([&](const Progress& progress) {
    EXPECT_FALSE(done);
    done = progress.event == Progress::Event::Done;
    EXPECT_LE(progress.value, last_value);
    EXPECT_LE(progress.bound, progress.value);
    if (progress.event == Progress::Event::Split) last_value = progress.value;
  });
  EXPECT_TRUE(done);
  ASSERT_EQ(apart.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(apart.result.value, 2.5);  // c and d, which read b's output: 2 + 0.5
  EXPECT_NE(apart.result.proof.find("in 3 cases of what is apart: "), std::string::npos) << apart.result.proof;
}

TEST_F(PlanWishes, ReasonsNameTheWish) {
  problem.wishes.pins = {{node("a"), DeviceId(0)}, {node("a"), ClassId(1)}};
  const Plan contradiction = answer();
  EXPECT_EQ(contradiction.result.status, Status::Infeasible);
  EXPECT_EQ(contradiction.result.reason, "node 1 (a) is pinned to accelerator 0, but also to class host");
  problem = Problem(graph_from_text("a 1 -; b 1 -; c 1 1", 1, kUnlimited, 3));
  problem.wishes.apart = {{node("a"), node("b")}};
  const Plan crowded = answer();
  EXPECT_EQ(crowded.result.status, Status::Infeasible);
  EXPECT_EQ(crowded.result.reason,
            "too few devices that can run them for the nodes to be apart (node 1 (a), node 2 (b))");
  problem = Problem(graph_from_text("a 1 1 mem=6; b 1 1 mem=6", 2, 10, 0));
  problem.wishes.together = {{node("a"), node("b")}};
  const Plan full = answer();
  EXPECT_EQ(full.result.status, Status::Infeasible);
  EXPECT_EQ(full.result.reason.find("with the wishes: "), 0u) << full.result.reason;
}

TEST_F(PlanWishes, ABoundWithWishesHasNoCertificate) {
  problem.shape = Shape::Free;
  EXPECT_TRUE(answer().certificate.has_value());
  problem.wishes.pins = {{node("a"), DeviceId(1)}};
  EXPECT_FALSE(answer().certificate.has_value());
}

TEST_F(PlanWishes, CopiesOfWhatIsApartAreAllowed) {
  problem = Problem(graph_from_text("a 4 -; b 2 -; a -> b", 3, kUnlimited, 0), {.replicas = 2});
  problem.wishes.apart = {{node("a"), node("b")}};
  const Plan apart = answer();
  ASSERT_EQ(apart.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(apart.result.value, 2);
  problem.wishes.pins = {{node("a"), DeviceId(1)}};
  EXPECT_DOUBLE_EQ(answer().result.value, 4);  // where it is pinned, and nowhere else
}

TEST_F(PlanWishes, WhatCannotMindThemRefuses) {
  problem.wishes.pins = {{node("a"), DeviceId(1)}};
  EXPECT_THROW(integer_program(problem, ModelFormat::Mps), InputError);
  Budget budget;
  EXPECT_THROW(sweep(problem, SweepParameter::Accelerators, {1, 2}, {}, budget), InputError);
  const Split elsewhere = split_from_text(problem.workload, "a b c d");
  EXPECT_FALSE(adopt(problem, elsewhere).result.split.has_value());
}

TEST_F(PlanWishes, IdsThatAreNoneAreRefused) {
  problem.wishes.pins = {{NodeId(4), DeviceId(1)}};
  EXPECT_THROW(answer(), InputError);
  problem.wishes.pins = {{node("a"), DeviceId(4)}};
  EXPECT_THROW(answer(), InputError);
  problem.wishes.pins = {{node("a"), ClassId()}};
  EXPECT_THROW(answer(), InputError);
  problem.wishes = {{}, {{NodeId()}}, {}};
  EXPECT_THROW(answer(), InputError);
}

}  // namespace
}  // namespace partita::detail
