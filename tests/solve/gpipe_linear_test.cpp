// SPDX-License-Identifier: Apache-2.0
// The linearised program with a limit on each pass: what it finds is within the limits, and on a chain, where there is
// but one order, it finds a split whenever there is one.
#include "partita/solve/staged/linear.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partita/solve/staged/orders.h"
#include "tests/solve/legal_split.h"
#include "tests/support/cases.h"
#include "tests/support/pass_graphs.h"

namespace partita::detail::test {
namespace {

// The same groups in one row.
PassCase in_a_row(const PassCase& one) {
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (std::size_t v = 0; v + 1 < one.graphs.size(); ++v) precedence.emplace_back(GroupId(v), GroupId(v + 1));
  const auto rebuilt = [&](const StageGraph& graph) {
    IdVector<GroupId, Group> groups;
    std::vector<Net> nets;
    for (GroupId v : graph.all()) groups.push_back(graph.group(v));
    for (NetId e : graph.nets()) nets.push_back({graph.cost(e), {graph.members(e).begin(), graph.members(e).end()}});
    return StageGraph(std::move(groups), precedence, std::move(nets));
  };
  return {{rebuilt(one.graphs.both), {rebuilt(one.graphs.pass[0]), rebuilt(one.graphs.pass[1])}}, one.platform};
}

TEST(GpipeLinear, IsExactOnChains) {
  for (std::uint64_t seed = 1; seed <= cases(800); ++seed) {
    const PassCase one = in_a_row(random_pass_case(seed, 8));
    const auto points = best_points(one.graphs, one.platform);
    for (const PassPoint& p : points) {
      for (const double forward : {p.forward * (1 - 1e-6), p.forward * (1 + 1e-6)}) {
        for (const double backward : {p.backward * (1 - 1e-6), p.backward * (1 + 1e-6)}) {
          if (forward <= 0 || backward <= 0) continue;
          const bool possible = std::any_of(points.begin(), points.end(), [&](const PassPoint& q) {
            return q.forward < forward && q.backward < backward;
          });
          Budget budget;
          const auto split = linear_split(one.graphs, one.platform, file_order(one.graphs.both), {forward, backward},
                                          {.below = 1}, budget);
          ASSERT_EQ(split.has_value(), possible) << "seed " << seed;
          if (!split) continue;
          expect_legal(one.graphs.both, one.platform, {largest_load(one.graphs.both, split->stages), split->stages});
          const PassValue value = pass_value(one.graphs, split->stages);
          EXPECT_LE(value.largest[0], forward * (1 + 1e-9)) << "seed " << seed;
          EXPECT_LE(value.largest[1], backward * (1 + 1e-9)) << "seed " << seed;
          EXPECT_NEAR(split->value, std::max(value.largest[0] / forward, value.largest[1] / backward), 1e-9)
              << "seed " << seed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
