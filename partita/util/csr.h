// SPDX-License-Identifier: Apache-2.0
// Compressed sparse rows: for each row id a short list of entries, all lists in one array.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "partita/util/ids.h"

namespace partita::detail {

template <class RowId, class Entry>
class Csr {
 public:
  Csr() = default;

  // Entries of a row keep the order in which their pairs come. O(rows + pairs).
  Csr(std::size_t rows, const std::vector<std::pair<RowId, Entry>>& pairs)
      : start_(rows + 1, 0), entries_(pairs.size()) {
    for (const auto& [row, entry] : pairs) ++start_[row.index() + 1];
    for (std::size_t r = 0; r < rows; ++r) start_[r + 1] += start_[r];
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (const auto& [row, entry] : pairs) entries_[next[row.index()]++] = entry;
  }

  std::span<const Entry> operator[](RowId row) const {
    return {entries_.data() + start_[row.index()], entries_.data() + start_[row.index() + 1]};
  }
  std::size_t rows() const { return start_.empty() ? 0 : start_.size() - 1; }
  std::size_t entry_count() const { return entries_.size(); }

 private:
  std::vector<std::size_t> start_;
  std::vector<Entry> entries_;
};

}  // namespace partita::detail
