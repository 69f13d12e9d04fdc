// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/ideal_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace partita::detail::test {
namespace {

std::uint64_t hash_of(const IdealTable& table, const std::vector<Word>& set) {
  std::uint64_t hash = 0;
  for_each_bit(set, [&](std::size_t bit) { hash ^= table.key(bit); });
  return hash;
}

TEST(IdealTable, FindsEverySetAgainWhileItGrows) {
  std::mt19937_64 rng(1);
  IdealTable table(100);
  std::map<std::vector<Word>, IdealTable::Index> known;
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<Word> set{rng() % 200, rng() % 50};
    bool added = false;
    const IdealTable::Index index = table.insert(set, hash_of(table, set), added);
    const auto [it, fresh] = known.try_emplace(set, index);
    EXPECT_EQ(added, fresh);
    EXPECT_EQ(index, it->second);
  }
  EXPECT_EQ(table.size(), known.size());
  for (const auto& [set, index] : known) {
    EXPECT_EQ(table.find(set, hash_of(table, set)), index);
    EXPECT_EQ(std::vector<Word>(table.bits(index).begin(), table.bits(index).end()), set);
    EXPECT_EQ(table.hash(index), hash_of(table, set));
  }
  EXPECT_GE(table.bytes(), known.size() * (2 * sizeof(Word) + sizeof(std::uint64_t)));
}

TEST(IdealTable, TellsSetsWithTheSameHashApart) {
  IdealTable table(64);
  bool added = false;
  const std::vector<Word> one{1}, two{2}, three{3};
  EXPECT_EQ(table.insert(one, 42, added), 0u);
  EXPECT_EQ(table.insert(two, 42, added), 1u);
  EXPECT_TRUE(added);
  EXPECT_EQ(table.insert(one, 42, added), 0u);
  EXPECT_FALSE(added);
  EXPECT_EQ(table.find(two, 42), 1u);
  EXPECT_EQ(table.find(three, 42), IdealTable::kNone);
}

}  // namespace
}  // namespace partita::detail::test
