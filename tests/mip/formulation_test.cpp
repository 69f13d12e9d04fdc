// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/formulation.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "partita/check/check.h"
#include "tests/mip/questions.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"

namespace partita::detail::test {
namespace {

using FormulationTest = IntegerProgram;

// A random assignment, colours kept. Its order is filled in by `check` where it is staged.
Split random_split(const Problem& problem, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  return random_assignment(problem, false, engine);
}

// What a split means up to the numbering of equal devices: which nodes are together, and on what kind.
bool same_split(const Problem& problem, const Split& a, const Split& b) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  for (NodeId u : graph.nodes.all()) {
    if (platform.class_of(a.device_of[u]) != platform.class_of(b.device_of[u])) return false;
    for (NodeId v : graph.nodes.all()) {
      if ((a.device_of[u] == a.device_of[v]) != (b.device_of[u] == b.device_of[v])) return false;
    }
  }
  return true;
}

// Every legal split has a solution with its value, and that solution decodes to the split.
TEST_P(FormulationTest, LegalSplitsAreSolutions) {
  std::size_t legal = 0;
  for (std::uint64_t seed = 1; seed <= cases(600); ++seed) {
    const Problem one = problem(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.workload));
    const auto formulation = formulate(one, {.time_unit = unit_for(seed)});
    for (std::uint64_t attempt = 0; attempt < 8; ++attempt) {
      Split split = random_split(one, 100 * seed + attempt);
      const CheckReport report = check(one, split);
      if (!report.legal()) continue;
      ++legal;
      split.order = report.order;
      EXPECT_TRUE(same_split(one, split, there_and_back(*formulation, split, report.value)));
    }
  }
  EXPECT_GT(legal, cases(600) / 4);
}

// Splits that break the shape, memory or support have no solution: what encode() makes of them is none.
class ContiguousFormulationTest : public FormulationTest {};

TEST_P(ContiguousFormulationTest, IllegalSplitsAreNotSolutions) {
  std::size_t illegal = 0;
  for (std::uint64_t seed = 1; seed <= cases(600); ++seed) {
    const Problem one = problem(seed);
    const auto formulation = formulate(one);
    const Split split = random_split(one, seed);
    const CheckReport report = check(one, split);
    if (report.violations.size() != 1 || report.violations[0].kind != Violation::Kind::Shape) continue;
    ++illegal;
    EXPECT_GE(formulation->model().largest_violation(formulation->encode(split)), 1) << "seed " << seed;
  }
  EXPECT_GT(illegal, cases(600) / 100);
}

TEST_P(FormulationTest, NamesAreUniqueAndPlain) {
  for (std::uint64_t seed = 1; seed <= cases(50); ++seed) {
    const Problem one = problem(seed);
    const auto formulation = formulate(one);
    const auto expect_good_names = [&](const auto& things) {
      std::set<std::string> seen;
      for (const auto& thing : things) {
        EXPECT_TRUE(seen.insert(thing.name).second) << thing.name;
        EXPECT_TRUE(std::isalpha(static_cast<unsigned char>(thing.name[0])) && thing.name[0] != 'e' &&
                    thing.name[0] != 'E')
            << thing.name;
        EXPECT_EQ(thing.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
                  std::string::npos)
            << thing.name;
      }
    };
    expect_good_names(formulation->model().columns());
    expect_good_names(formulation->model().rows());
  }
}

INSTANTIATE_TEST_SUITE_P(EveryQuestion, FormulationTest, kEveryQuestion, question_name);
INSTANTIATE_TEST_SUITE_P(EveryObjective, ContiguousFormulationTest, kContiguousQuestions, question_name);

}  // namespace
}  // namespace partita::detail::test
