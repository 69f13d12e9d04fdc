// SPDX-License-Identifier: Apache-2.0
// The sum of a weight over a row of bits, eight bits at a time: eight times faster than bit by bit, and such sums are
// most of the work of what looks at the ancestors of many thousand groups.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "partita/util/bit_matrix.h"

namespace partita::detail {

template <class Value>
class RowSums {
 public:
  // weight_of(bit) for bits below `count`.
  template <class Weight>
  RowSums(std::size_t count, Weight weight_of) : table_(words_for(count) * 8 * 256, Value{}) {
    for (std::size_t b = 0; b * 8 < count; ++b) {
      Value* sums = &table_[b * 256];
      for (std::size_t bit = 0; bit < 8 && b * 8 + bit < count; ++bit) {
        const Value weight = weight_of(b * 8 + bit);
        for (std::size_t low = 0; low < (std::size_t{1} << bit); ++low)
          sums[low | std::size_t{1} << bit] = sums[low] + weight;
      }
    }
  }

  Value operator()(std::span<const Word> row) const {
    Value total{};
    for (std::size_t w = 0; w < row.size(); ++w) {
      const Value* sums = &table_[w * 8 * 256];
      for (Word rest = row[w]; rest != 0; rest >>= 8, sums += 256) total += sums[rest & 255];
    }
    return total;
  }

 private:
  std::vector<Value> table_;
};

}  // namespace partita::detail
