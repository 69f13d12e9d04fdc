// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/alike_groups.h"

#include <gtest/gtest.h>

#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

// Two copies of a graph side by side. A copy of group v of the second is v + n; the first may be changed.
StageGraph two_copies(const StageGraph& graph, GroupId slower = {}) {
  IdVector<GroupId, Group> groups;
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  for (std::size_t copy = 0; copy < 2; ++copy) {
    const auto at = [&](GroupId v) { return GroupId(v.index() + copy * graph.size()); };
    for (GroupId v : graph.all()) {
      groups.push_back(graph.group(v));
      if (copy == 0 && v == slower) groups[v].accelerator_time += 1;
      for (GroupId w : graph.successors(v)) precedence.emplace_back(at(v), at(w));
    }
    for (NetId e : graph.nets()) {
      Net net{graph.cost(e), {}};
      for (GroupId v : graph.members(e)) net.members.push_back(at(v));
      nets.push_back(net);
    }
  }
  return StageGraph(std::move(groups), precedence, std::move(nets));
}

TEST(AlikeGroups, OfTwoCopiesAreAlike) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const StageGraph graph = random_stage_case(seed).graph;
    const auto alike = alike_groups(two_copies(graph));
    for (GroupId v : graph.all()) EXPECT_EQ(alike[v], alike[GroupId(v.index() + graph.size())]) << "seed " << seed;
  }
}

// A group is unlike the one it was made slower than, and so are their neighbours.
TEST(AlikeGroups, KnowTheirNeighbours) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const StageGraph graph = random_stage_case(seed).graph;
    const GroupId slower(seed % graph.size());
    const auto alike = alike_groups(two_copies(graph, slower));
    const auto expect_unlike = [&](GroupId v) {
      EXPECT_NE(alike[v], alike[GroupId(v.index() + graph.size())]) << "seed " << seed;
    };
    expect_unlike(slower);
    for (GroupId v : graph.successors(slower)) expect_unlike(v);
    for (GroupId v : graph.predecessors(slower)) expect_unlike(v);
    for (NetId e : graph.nets_of(slower)) {
      for (GroupId v : graph.members(e)) expect_unlike(v);
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
