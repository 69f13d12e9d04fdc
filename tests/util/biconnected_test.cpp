// SPDX-License-Identifier: Apache-2.0
// Biconnected components against their definition: two edges are together if no single vertex separates them.
#include "partita/util/biconnected.h"

#include <gtest/gtest.h>

#include <random>

#include "partita/util/union_find.h"
#include "tests/support/cases.h"

namespace partita::detail::test {
namespace {

using Edges = std::vector<std::pair<GroupId, GroupId>>;

// Are two edges connected, if the vertex is cut apart so that each edge has a copy of it for itself?
bool connected_without(std::size_t vertices, const Edges& edges, std::size_t a, std::size_t b, GroupId cut) {
  // Edges are the things joined; two are joined where they share a vertex other than the one cut.
  UnionFind<GroupId> joined(edges.size());
  std::vector<std::size_t> first(vertices, edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    for (const GroupId v : {edges[e].first, edges[e].second}) {
      if (v == cut) continue;
      if (first[v.index()] == edges.size()) first[v.index()] = e;
      joined.join(GroupId(first[v.index()]), GroupId(e));
    }
  }
  return joined.together(GroupId(a), GroupId(b));
}

TEST(Biconnected, EdgesAreTogetherIfNoVertexSeparatesThem) {
  std::mt19937_64 rng(1);
  for (std::uint64_t round = 0; round < cases(2'000); ++round) {
    const std::size_t vertices = 2 + rng() % 7;
    Edges edges;
    for (std::size_t i = rng() % 12; i > 0; --i) {
      const GroupId u(rng() % vertices), v(rng() % vertices);
      if (u != v) edges.emplace_back(u, v);
    }
    const EdgeComponents found = biconnected_components(vertices, edges);
    for (std::size_t a = 0; a < edges.size(); ++a) {
      EXPECT_LT(found.component_of[a], found.count);
      for (std::size_t b = 0; b < a; ++b) {
        bool together = true;
        for (GroupId cut : ids<GroupId>(vertices)) together &= connected_without(vertices, edges, a, b, cut);
        // Parallel edges are a circle of two, which cutting one of its ends apart does not undo.
        EXPECT_EQ(found.component_of[a] == found.component_of[b], together) << "round " << round;
      }
    }
  }
}

TEST(Biconnected, ALongPathIsNoRecursion) {
  constexpr std::size_t kLength = 300'000;
  Edges edges;
  for (std::size_t i = 0; i + 1 < kLength; ++i) edges.emplace_back(GroupId(i), GroupId(i + 1));
  EXPECT_EQ(biconnected_components(kLength, edges).count, kLength - 1);
}

}  // namespace
}  // namespace partita::detail::test
