// SPDX-License-Identifier: Apache-2.0
#include "partita/check/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/util/text_width.h"
#include "partita/util/visible_text.h"

namespace partita::detail {

std::string text_of(const std::string& cell) { return visible(cell.starts_with('<') ? cell.substr(1) : cell); }

std::string layout(const std::vector<Row>& rows) {
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> width(columns, 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], text_width(text_of(row[c])));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const bool left = rows.front()[c].starts_with('<');
      const std::string cell = text_of(row[c]);
      const std::string padding(width[c] - text_width(cell), ' ');
      if (c) line += "  ";
      line += left ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

TimeFormat::TimeFormat(double largest, int digits) {
  if (!(largest > 0) || !std::isfinite(largest)) return;
  const int before_point = static_cast<int>(std::floor(std::log10(largest))) + 1;
  constexpr int kMostDecimals = 9, kMostZeros = 6, kMostBeforePoint = 15;
  exponents_ = before_point < -kMostZeros || before_point > kMostBeforePoint;
  decimals_ = exponents_ ? digits - 1 : std::clamp(digits - before_point, 0, kMostDecimals);
}

std::string TimeFormat::operator()(double time) const {
  return exponents_ ? fmt::format("{:.{}e}", time, decimals_) : fmt::format("{:.{}f}", time, decimals_);
}

}  // namespace partita::detail
