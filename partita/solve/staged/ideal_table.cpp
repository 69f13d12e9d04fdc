// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/ideal_table.h"

#include <algorithm>
#include <random>

namespace partita::detail {

IdealTable::IdealTable(std::size_t groups) : words_per_ideal_(words_for(groups)), keys_(groups), slots_(1024, kNone) {
  std::mt19937_64 rng(0x9e3779b97f4a7c15ull);  // the seed plays no role: equal hashes are compared in full
  for (std::uint64_t& key : keys_) key = rng();
}

std::size_t IdealTable::slot_of(std::span<const Word> set, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const Index at = slots_[slot];
    if (at == kNone) return slot;
    if (hashes_[at] == hash && std::ranges::equal(bits(at), set)) return slot;
  }
}

IdealTable::Index IdealTable::insert(std::span<const Word> set, std::uint64_t hash, bool& added) {
  const std::size_t slot = slot_of(set, hash);
  added = slots_[slot] == kNone;
  if (!added) return slots_[slot];
  const Index index = static_cast<Index>(size());
  slots_[slot] = index;
  words_.insert(words_.end(), set.begin(), set.end());
  hashes_.push_back(hash);
  if (2 * size() > slots_.size()) grow();
  return index;
}

IdealTable::Index IdealTable::find(std::span<const Word> set, std::uint64_t hash) const {
  return slots_[slot_of(set, hash)];
}

void IdealTable::grow() {
  slots_.assign(slots_.size() * 2, kNone);
  const std::size_t mask = slots_.size() - 1;
  for (Index i = 0; i < size(); ++i) {
    std::size_t slot = hashes_[i] & mask;
    while (slots_[slot] != kNone) slot = (slot + 1) & mask;
    slots_[slot] = i;
  }
}

std::size_t IdealTable::bytes() const {
  return words_.capacity() * sizeof(Word) + hashes_.capacity() * sizeof(std::uint64_t) +
         slots_.capacity() * sizeof(Index);
}

}  // namespace partita::detail
