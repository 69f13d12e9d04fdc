// SPDX-License-Identifier: Apache-2.0
// Sets of small integers as bits: one set, or one set per row of a matrix.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace partita::detail {

using Word = std::uint64_t;
inline constexpr std::size_t kWordBits = 64;

inline std::size_t words_for(std::size_t bits) { return (bits + kWordBits - 1) / kWordBits; }
inline bool test_bit(std::span<const Word> words, std::size_t bit) {
  return words[bit / kWordBits] >> (bit % kWordBits) & 1;
}
inline void set_bit(std::span<Word> words, std::size_t bit) { words[bit / kWordBits] |= Word{1} << (bit % kWordBits); }
inline void reset_bit(std::span<Word> words, std::size_t bit) {
  words[bit / kWordBits] &= ~(Word{1} << (bit % kWordBits));
}

// Adds the bits of another set of the same size.
inline void join_bits(std::span<Word> into, std::span<const Word> from) {
  for (std::size_t w = 0; w < into.size(); ++w) into[w] |= from[w];
}

// Calls visit(bit) for each bit that is set, in rising order.
template <class Visit>
void for_each_bit(std::span<const Word> words, Visit visit) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (Word rest = words[w]; rest != 0; rest &= rest - 1) {
      visit(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
}

class BitMatrix {
 public:
  BitMatrix() = default;
  BitMatrix(std::size_t rows, std::size_t bits) : words_(words_for(bits)), data_(rows * words_, 0) {}

  std::span<Word> row(std::size_t r) { return {data_.data() + r * words_, words_}; }
  std::span<const Word> row(std::size_t r) const { return {data_.data() + r * words_, words_}; }
  bool test(std::size_t r, std::size_t bit) const { return test_bit(row(r), bit); }
  void set(std::size_t r, std::size_t bit) { set_bit(row(r), bit); }
  void reset(std::size_t r, std::size_t bit) { reset_bit(row(r), bit); }
  void join_row(std::size_t into, std::size_t from) { join_bits(row(into), row(from)); }
  void clear() { std::fill(data_.begin(), data_.end(), 0); }
  std::size_t words_per_row() const { return words_; }
  bool empty() const { return data_.empty(); }

 private:
  std::size_t words_ = 0;
  std::vector<Word> data_;
};

}  // namespace partita::detail
