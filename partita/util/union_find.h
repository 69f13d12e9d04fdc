// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <vector>

#include "partita/util/ids.h"

namespace partita::detail {

// Disjoint sets of ids, joined by pairs.
template <class IdT>
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) {
    for (IdT id : parent_.all()) parent_[id] = id;
  }

  IdT find(IdT id) const {
    while (parent_[id] != id) {
      parent_[id] = parent_[parent_[id]];
      id = parent_[id];
    }
    return id;
  }

  // True if the two were apart until now.
  bool join(IdT a, IdT b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    parent_[b] = a;
    ++joins_;
    return true;
  }

  bool together(IdT a, IdT b) const { return find(a) == find(b); }
  std::size_t joins() const { return joins_; }
  std::size_t size() const { return parent_.size(); }

 private:
  mutable IdVector<IdT, IdT> parent_;
  std::size_t joins_ = 0;
};

}  // namespace partita::detail
