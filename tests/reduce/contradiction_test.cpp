// SPDX-License-Identifier: Apache-2.0
// What find_contradiction says of workloads that cannot be split, and that it is silent where they can.
#include <gtest/gtest.h>

#include "partita/partita.h"
#include "partita/reduce/contradiction.h"
#include "partita/reduce/staged_instance.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_workload.h"

namespace partita::detail {
namespace {

std::string contradiction_in(const Problem& problem) {
  const StagedInstance instance = make_staged_instance(problem);
  return find_contradiction(problem, instance.graph, instance.platform, instance.group_of);
}

std::string contradiction(const Workload& workload) {
  const Problem problem{workload};
  return contradiction_in(problem);
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Contradiction, NamesTheNodeThatIsTooLarge) {
  const std::string said = contradiction(graph_from_text("a 1 - mem=50 id=17; b 1 1", 2, 40, 1));
  EXPECT_SAYS(said, "node 17");
  EXPECT_SAYS(said, "40 bytes for the 50");
  EXPECT_SAYS(said, "a host cannot run all of it");
}

TEST(Contradiction, NamesTheColourClassThatRunsNowhere) {
  const std::string said = contradiction(graph_from_text("a 1 - colour=9; b - 1 colour=9"));
  EXPECT_SAYS(said, "colour class 9");
  EXPECT_SAYS(said, "cannot run all of it");
}

TEST(Contradiction, NamesAMissingKindOfDevice) {
  EXPECT_SAYS(contradiction(graph_from_text("a - 1", 2, kUnlimited, 0)), "the platform lacks a host");
  EXPECT_SAYS(contradiction(graph_from_text("a 1 -", 0, kUnlimited, 1)), "the platform lacks an accelerator");
}

TEST(Contradiction, CountsTheMemoryInTotal) {
  const std::string said = contradiction(graph_from_text("a 1 - mem=6; b 1 - mem=6; c 1 - mem=6", 2, 8, 1));
  EXPECT_SAYS(said, "memory");
  EXPECT_SAYS(said, "18 bytes in total");
}

TEST(Contradiction, APathThatComesBackToTheOnlyHostIsNotBlamedOnMemory) {
  const auto question = [](int accelerators, int hosts, Shape shape) {
    Problem problem{graph_from_text("in - 1 id=1; body 2 - mem=10 id=2; out - 1 id=3; in -> body -> out", accelerators,
                                    1000, hosts)};
    problem.shape = shape;
    return problem;
  };
  for (const Shape shape : {Shape::Staged, Shape::Contiguous}) {
    const Problem problem = question(2, 1, shape);
    EXPECT_EQ(brute_force(problem), std::nullopt);
    const std::string said = contradiction_in(problem);
    EXPECT_SAYS(said, "node 1 (in) on a host, then node 2 (body) on an accelerator, then node 3 (out) on a host");
    EXPECT_SAYS(said, "it takes 2 hosts, and there is 1");
    EXPECT_SAYS(said, "Question::shape = free, PlatformOverrides::hosts = 2");
    EXPECT_EQ(said.find("memory"), std::string::npos) << said;
    EXPECT_EQ(contradiction_in(question(1, 2, shape)), "");
  }
  EXPECT_EQ(contradiction_in(question(2, 1, Shape::Free)), "");
  Budget budget;
  EXPECT_EQ(plan(question(2, 1, Shape::Free), {}, budget).result.status, Status::Optimal);
}

TEST(Contradiction, CountsAcceleratorsOnAPathToo) {
  const std::string said = contradiction(
      graph_from_text("a 1 - id=1; b - 1 id=2; x 1 1 id=7; c 1 - id=3; a -> b -> x -> c", 1, kUnlimited, 2));
  EXPECT_SAYS(said, "node 1 (a) on an accelerator, then node 2 (b) on a host, then node 3 (c) on an accelerator");
  EXPECT_SAYS(said, "it takes 2 accelerators, and there is 1");
  EXPECT_SAYS(said, "PlatformOverrides::accelerators = 2");
}

TEST(Contradiction, WhereNoSingleReasonIsKnownNoneIsBlamed) {
  // Three nodes in a row that fill an accelerator each, on two: no split, though nothing alone rules it out.
  const auto reason = [](double memory) {
    Budget budget;
    return plan(Problem{graph_from_text("a 1 - mem=6; b 1 - mem=6; c 1 - mem=4; a -> b -> c", 2, memory, 0)}, {},
                budget)
        .result.reason;
  };
  EXPECT_SAYS(reason(9), "memory: staged splits exist, but each needs more than some device has");
  EXPECT_EQ(reason(10), "");
}

TEST(Contradiction, IsSilentWhereAHostHelps) {
  EXPECT_EQ(contradiction(graph_from_text("a 1 1 mem=50; b 1 1", 2, 40, 1)), "");
  EXPECT_EQ(contradiction(graph_from_text("a 1 1 mem=6; b 1 - mem=6; c 1 - mem=6", 2, 8, 1)), "");
}

TEST(Contradiction, UnlimitedMemoryIsNeverExceeded) {
  EXPECT_EQ(contradiction(graph_from_text("a 1 - mem=1e300; b 1 - mem=1e300", 1, kUnlimited, 0)), "");
}

TEST(Contradiction, IsNeverFoundWhereASplitExists) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(300); ++seed) {
    const Problem problem{random_workload(seed)};
    const std::string said = contradiction_in(problem);
    if (said.empty()) continue;
    ++found;
    EXPECT_EQ(brute_force(problem), std::nullopt) << "seed " << seed << ": " << said;
  }
  EXPECT_GT(found, 0u);
}

}  // namespace
}  // namespace partita::detail
