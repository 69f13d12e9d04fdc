// SPDX-License-Identifier: Apache-2.0
// The ideals met so far: their bits in one array, found again by hash and compared in full.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partita/util/bit_matrix.h"

namespace partita::detail {

class IdealTable {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = static_cast<Index>(-1);

  explicit IdealTable(std::size_t groups);

  // The hash of a set is the exclusive or of its members' keys, so it follows single changes in O(1).
  std::uint64_t key(std::size_t group) const { return keys_[group]; }
  std::span<const std::uint64_t> keys() const { return keys_; }

  // The set's index, new or old. `added` tells which.
  Index insert(std::span<const Word> bits, std::uint64_t hash, bool& added);
  Index find(std::span<const Word> bits, std::uint64_t hash) const;

  std::span<const Word> bits(Index ideal) const { return {words_.data() + ideal * words_per_ideal_, words_per_ideal_}; }
  std::uint64_t hash(Index ideal) const { return hashes_[ideal]; }
  std::size_t size() const { return hashes_.size(); }
  std::size_t bytes() const;

 private:
  std::size_t slot_of(std::span<const Word> bits, std::uint64_t hash) const;
  void grow();

  std::size_t words_per_ideal_;
  std::vector<std::uint64_t> keys_;
  std::vector<Word> words_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Index> slots_;  // open addressing, a power of two, at most half full
};

}  // namespace partita::detail
