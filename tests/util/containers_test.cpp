// SPDX-License-Identifier: Apache-2.0
// The small containers and kernels: disjoint sets, sparse rows, bit matrices, strong components, topological orders.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "partita/util/bit_matrix.h"
#include "partita/util/csr.h"
#include "partita/util/strong_components.h"
#include "partita/util/topological_order.h"
#include "partita/util/union_find.h"
#include "tests/support/cases.h"

namespace partita::detail::test {
namespace {

TEST(UnionFind, AgreesWithLabelsChangedOneByOne) {
  std::mt19937_64 rng(1);
  constexpr std::size_t kCount = 60;
  UnionFind<GroupId> sets(kCount);
  std::vector<int> label(kCount);
  for (std::size_t i = 0; i < kCount; ++i) label[i] = static_cast<int>(i);
  std::size_t joins = 0;
  for (int step = 0; step < 100; ++step) {
    const std::size_t a = rng() % kCount, b = rng() % kCount;
    const int from = label[b], to = label[a];
    EXPECT_EQ(sets.join(GroupId(a), GroupId(b)), from != to);
    joins += from != to;
    for (int& l : label) {
      if (l == from) l = to;
    }
    for (std::size_t x = 0; x < kCount; ++x) {
      EXPECT_EQ(sets.together(GroupId(a), GroupId(x)), label[a] == label[x]);
    }
  }
  EXPECT_EQ(sets.joins(), joins);
  EXPECT_EQ(sets.size(), kCount);
}

TEST(Csr, KeepsTheOrderOfEachRow) {
  const std::vector<std::pair<GroupId, int>> pairs{{GroupId(2), 7}, {GroupId(0), 5}, {GroupId(2), 3}, {GroupId(2), 9}};
  const Csr<GroupId, int> rows(4, pairs);
  const auto row = [&](std::size_t r) { return std::vector<int>(rows[GroupId(r)].begin(), rows[GroupId(r)].end()); };
  EXPECT_EQ(row(0), std::vector<int>{5});
  EXPECT_TRUE(row(1).empty());
  EXPECT_EQ(row(2), (std::vector<int>{7, 3, 9}));
  EXPECT_TRUE(row(3).empty());
  EXPECT_EQ(rows.rows(), 4u);
  EXPECT_EQ(rows.entry_count(), 4u);
}

TEST(Csr, MayBeEmpty) {
  EXPECT_EQ((Csr<GroupId, int>().rows()), 0u);
  EXPECT_EQ((Csr<GroupId, int>(0, {}).rows()), 0u);
  EXPECT_TRUE((Csr<GroupId, int>(2, {})[GroupId(1)].empty()));
}

TEST(BitMatrix, SetsAndJoinsRowsAcrossWords) {
  BitMatrix bits(3, 130);
  for (const std::size_t bit : {0u, 63u, 64u, 129u}) bits.set(1, bit);
  bits.set(2, 5);
  bits.join_row(2, 1);
  std::vector<std::size_t> seen;
  for_each_bit(bits.row(2), [&](std::size_t bit) { seen.push_back(bit); });
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 5, 63, 64, 129}));
  EXPECT_FALSE(bits.test(0, 0));
  EXPECT_FALSE(bits.test(1, 5));
  EXPECT_TRUE(bits.test(1, 129));
  EXPECT_EQ(bits.words_per_row(), 3u);
  EXPECT_TRUE(BitMatrix().empty());
  EXPECT_EQ(words_for(0), 0u);
  EXPECT_EQ(words_for(64), 1u);
  EXPECT_EQ(words_for(65), 2u);
}

TEST(StrongComponents, AreTheClassesOfMutualReachability) {
  std::mt19937_64 rng(2);
  for (std::uint64_t i = 0; i < cases(500); ++i) {
    const std::size_t n = 1 + rng() % 12;
    std::vector<std::pair<GroupId, GroupId>> edges;
    std::vector<std::vector<char>> reach(n, std::vector<char>(n, 0));
    for (std::size_t v = 0; v < n; ++v) reach[v][v] = 1;
    for (std::size_t e = rng() % (2 * n); e > 0; --e) {
      const std::size_t v = rng() % n, w = rng() % n;
      edges.emplace_back(GroupId(v), GroupId(w));
      reach[v][w] = 1;
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t v = 0; v < n; ++v) {
        for (std::size_t w = 0; w < n; ++w) reach[v][w] |= reach[v][k] && reach[k][w];
      }
    }
    const Components components = strong_components(Csr<GroupId, GroupId>(n, edges));
    for (std::size_t v = 0; v < n; ++v) {
      ASSERT_LT(components.component_of[v], components.count);
      for (std::size_t w = 0; w < n; ++w) {
        EXPECT_EQ(components.component_of[v] == components.component_of[w], reach[v][w] && reach[w][v]) << "case " << i;
        if (reach[v][w]) {
          EXPECT_GE(components.component_of[v], components.component_of[w]) << "case " << i;
        }
      }
    }
  }
}

// Deep enough to overflow the stack of a recursive version.
TEST(StrongComponents, FollowLongChains) {
  constexpr std::size_t kLength = 300'000;
  std::vector<std::pair<GroupId, GroupId>> edges;
  for (std::size_t v = 0; v + 1 < kLength; ++v) edges.emplace_back(GroupId(v), GroupId(v + 1));
  EXPECT_EQ(strong_components(Csr<GroupId, GroupId>(kLength, edges)).count, kLength);
  edges.emplace_back(GroupId(kLength - 1), GroupId(0));
  EXPECT_EQ(strong_components(Csr<GroupId, GroupId>(kLength, edges)).count, 1u);
}

TEST(TopologicalOrder, GoesForwardAndLeavesCirclesOut) {
  using GroupEdges = std::vector<std::pair<GroupId, GroupId>>;
  const auto order_of = [](std::size_t rows, const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
    GroupEdges edges;
    for (const auto& [from, to] : pairs) edges.emplace_back(GroupId(from), GroupId(to));
    std::vector<std::size_t> order;
    for (GroupId v : topological_order(Csr<GroupId, GroupId>(rows, edges))) order.push_back(v.index());
    return order;
  };
  EXPECT_EQ(order_of(4, {{3, 1}, {1, 0}, {3, 0}, {3, 1}}), (std::vector<std::size_t>{2, 3, 1, 0}));
  EXPECT_EQ(order_of(5, {{0, 1}, {1, 2}, {2, 1}, {2, 3}}), (std::vector<std::size_t>{0, 4}));
  EXPECT_TRUE(order_of(0, {}).empty());
}

}  // namespace
}  // namespace partita::detail::test
