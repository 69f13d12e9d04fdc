// SPDX-License-Identifier: Apache-2.0
// Which numbers of devices an ideal can be held by: sets of vectors (how many of each member of a cluster are in use),
// as bits, so that one step of the search serves all of them at once.
#pragma once

#include <span>
#include <vector>

#include "partita/reduce/setup_instance.h"
#include "partita/util/bit_matrix.h"

namespace partita::detail {

class DeviceCounts {
 public:
  // More vectors than this are refused by whoever makes the problem.
  static constexpr std::size_t kMost = 16384;
  static std::size_t vectors(const ClusterType& cluster);

  explicit DeviceCounts(const ClusterType& cluster);

  std::size_t size() const { return size_; }
  std::size_t words() const { return words_for(size_); }
  int used(std::size_t vector, std::size_t member) const {
    return static_cast<int>(vector / stride_[member]) % (count_[member] + 1);
  }
  int used(std::size_t vector) const { return total_[vector]; }
  int most_used() const { return total_.back(); }
  int count(std::size_t member) const { return count_[member]; }
  std::size_t members() const { return count_.size(); }

  // The vectors of `from` with `more` of one member in use, as far as there are so many.
  void add(std::span<const Word> from, std::size_t member, int more, std::span<Word> to) const;
  std::size_t with(std::size_t vector, std::size_t member, int more) const {
    return vector + stride_[member] * static_cast<std::size_t>(more);
  }
  std::size_t without(std::size_t vector, std::size_t member, int fewer) const {
    return vector - stride_[member] * static_cast<std::size_t>(fewer);
  }
  // Vectors with at most so many members in use in all.
  std::span<const Word> at_most(int members) const;

 private:
  std::vector<int> count_;
  std::vector<std::size_t> stride_;
  std::size_t size_ = 1;
  std::vector<int> total_;
  std::vector<BitMatrix> room_;  // by member: row r: vectors with room for r more
  BitMatrix at_most_;
};

// Throws InputError(Unsupported) where some cluster has more vectors than DeviceCounts::kMost.
void refuse_too_many_vectors(const SetupRules& rules);

}  // namespace partita::detail
