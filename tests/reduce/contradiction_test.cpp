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

namespace partita {
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
}  // namespace partita
