// SPDX-License-Identifier: Apache-2.0
#include "partita/check/knapsack.h"

#include <algorithm>

namespace partita::detail {

WideInt most_that_fits(std::vector<std::pair<std::int64_t, std::int64_t>> items, std::int64_t limit) {
  WideInt total = 0;
  std::erase_if(items, [&](const auto& item) {
    if (item.first == 0) total += item.second;
    return item.first == 0;
  });
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    return static_cast<WideInt>(a.second) * b.first > static_cast<WideInt>(b.second) * a.first;
  });
  for (const auto& [load, worth] : items) {
    if (load >= limit) return total + (static_cast<WideInt>(worth) * limit + load - 1) / load;
    total += worth;
    limit -= load;
  }
  return total;
}

}  // namespace partita::detail
