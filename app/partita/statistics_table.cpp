// SPDX-License-Identifier: Apache-2.0
#include "app/partita/statistics_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "partita/check/text_table.h"

namespace partita::detail::app {

std::string statistics_table(const Statistics& statistics, double seconds) {
  std::vector<Statistics::Row> techniques = statistics.rows();
  if (techniques.empty()) return "No technique was used.\n";
  std::ranges::stable_sort(techniques, std::ranges::greater(), &Statistics::Row::seconds);
  std::vector<Row> rows{{"<technique", "calls", "seconds", "share", "<yield"}};
  for (const Statistics::Row& one : techniques) {
    const std::string yield = one.unit.empty() ? "" : fmt::format("{:.15g} {}", one.yield, one.unit);
    const double share = seconds > 0 ? 100 * one.seconds / seconds : 0;
    rows.push_back({one.technique, fmt::format("{}", one.calls), fmt::format("{:.3f}", one.seconds),
                    fmt::format("{:.1f}%", share), yield});
  }
  return layout(rows);
}

}  // namespace partita::detail::app
