// SPDX-License-Identifier: Apache-2.0
// The order that makes sets convex: points, and arcs along which the labels before, in and after never fall.
//
// A set S of points is convex if no path leaves it and comes back. Then label each point: 1 in S, 2 outside of S but
// reached from it, 0 elsewhere. Labels never fall along an arc: an arc from 2 to 1 would close a path that leaves S and
// comes back, and all else that 1 or 2 leads to is 1 or 2. Conversely, where labels never fall, a path that leaves the
// points of label 1 goes on with label 2, and does not come back. So S is convex if and only if such labels exist with
// S the points of label 1; what holds for all labels that never fall holds for all convex sets. Labels do not fall
// along paths either, whatever points they lead through.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "partita/util/bit_matrix.h"

namespace partita::detail {

class PointOrder {
 public:
  using Arc = std::pair<std::size_t, std::size_t>;

  PointOrder() = default;
  // Arcs may form cycles. Keeps which points reach which in at most `most_bytes`, or else looks at single arcs alone,
  // which is weaker and never wrong.
  PointOrder(std::size_t points, const std::vector<Arc>& arcs, std::size_t most_bytes);

  std::size_t size() const { return after_.size(); }
  const std::vector<std::size_t>& after(std::size_t point) const { return after_[point]; }  // by one arc, sorted
  const std::vector<std::size_t>& before(std::size_t point) const { return before_[point]; }
  // The label of `to` is known to be at least that of `from`, another point.
  bool leads_to(std::size_t from, std::size_t to) const;

 private:
  std::vector<std::vector<std::size_t>> after_, before_;
  std::vector<std::size_t> component_of_;
  BitMatrix reached_;  // by component; empty where it would be too large
};

}  // namespace partita::detail
