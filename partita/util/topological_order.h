// SPDX-License-Identifier: Apache-2.0
// An order in which every edge goes forward [Kahn-CACM'62].
#pragma once

#include <vector>

#include "partita/util/csr.h"

namespace partita::detail {

// First the rows that no edge leads to, then each as soon as the last row before it has been passed. Rows on circles,
// and those behind them, are left out. An edge may be there twice. O(rows + edges).
template <class RowId>
std::vector<RowId> topological_order(const Csr<RowId, RowId>& successors) {
  IdVector<RowId, std::size_t> waiting(successors.rows(), 0);
  for (RowId u : waiting.all()) {
    for (RowId v : successors[u]) ++waiting[v];
  }
  std::vector<RowId> order;
  order.reserve(waiting.size());
  for (RowId v : waiting.all()) {
    if (waiting[v] == 0) order.push_back(v);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (RowId v : successors[order[i]]) {
      if (--waiting[v] == 0) order.push_back(v);
    }
  }
  return order;
}

}  // namespace partita::detail
