// SPDX-License-Identifier: Apache-2.0
// Strongly connected components in linear time, without recursion [Tarjan-SICOMP'72].
#pragma once

#include <algorithm>
#include <vector>

#include "partita/util/csr.h"

namespace partita::detail {

struct Components {
  std::vector<std::size_t> component_of;  // by row; numbered so that edges between components go to smaller numbers
  std::size_t count = 0;
};

template <class RowId>
Components strong_components(const Csr<RowId, RowId>& successors) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  const std::size_t n = successors.rows();
  Components result{std::vector<std::size_t>(n, kNone), 0};
  std::vector<std::size_t> low(n), number(n, kNone), next_edge(n, 0), open, path;
  std::size_t counter = 0;

  const auto enter = [&](std::size_t v) {
    number[v] = low[v] = counter++;
    open.push_back(v);
    path.push_back(v);
  };
  for (std::size_t root = 0; root < n; ++root) {
    if (number[root] != kNone) continue;
    enter(root);
    while (!path.empty()) {
      const std::size_t v = path.back();
      const auto out = successors[RowId(v)];
      if (next_edge[v] < out.size()) {
        const std::size_t w = out[next_edge[v]++].index();
        if (number[w] == kNone) {
          enter(w);
        } else if (result.component_of[w] == kNone) {
          low[v] = std::min(low[v], number[w]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
      if (low[v] != number[v]) continue;
      for (bool last = false; !last;) {
        const std::size_t w = open.back();
        open.pop_back();
        result.component_of[w] = result.count;
        last = w == v;
      }
      ++result.count;
    }
  }
  return result;
}

}  // namespace partita::detail
