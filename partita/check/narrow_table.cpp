// SPDX-License-Identifier: Apache-2.0
#include "partita/check/narrow_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace partita::detail {
namespace {

constexpr std::size_t kNarrowest = 24;      // of a column of text: two or three words
constexpr std::size_t kNarrowestName = 16;  // of a column of names

// The columns but the last, then a line for each cell of the last.
std::string layout_below(const std::vector<Row>& rows, std::size_t width) {
  std::vector<Row> others = rows;
  for (Row& row : others) row.pop_back();
  std::string text = layout_folded(others, width);
  std::string lines;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!rows[i].back().empty())
      lines += wrapped_text(fmt::format("{}: {}", text_of(rows[i].front()), text_of(rows[i].back())), width);
  }
  return lines.empty() ? text : text.append("\n").append(lines);
}

std::size_t widest_cell(const std::vector<Row>& rows, std::size_t column) {
  std::size_t widest = 0;
  for (const Row& row : rows) widest = std::max(widest, text_width(text_of(row[column])));
  return widest;
}

// The names among the keys, narrower by as much as is to be saved, but never so narrow that nobody knows them.
std::vector<Row> with_short_names(std::vector<Row> rows, std::size_t keys, std::size_t save) {
  for (std::size_t c = 0; c < keys && save > 0; ++c) {
    if (!rows.front()[c].starts_with('<')) continue;
    const std::size_t widest = widest_cell(rows, c);
    const std::size_t width = std::max(kNarrowestName, widest - std::min(widest, save));
    if (widest <= width) continue;
    save -= std::min(save, widest - width);
    for (std::size_t i = 1; i < rows.size(); ++i) rows[i][c] = shortened_inside(text_of(rows[i][c]), width);
  }
  return rows;
}

std::string folded(const std::vector<Row>& rows, std::size_t width, std::size_t keys) {
  const bool remarks = text_of(rows.front().back()).empty();
  const std::size_t columns = rows.front().size() - (remarks ? 1 : 0);
  const auto part = [&](std::size_t begin, std::size_t end, bool with_remarks) {
    std::vector<Row> part_rows;
    for (const Row& row : rows) {
      const auto at = [&row](std::size_t place) { return row.begin() + static_cast<std::ptrdiff_t>(place); };
      Row part_row(row.begin(), at(keys));
      part_row.insert(part_row.end(), at(begin), at(end));
      if (with_remarks) part_row.push_back(row.back());
      part_rows.push_back(std::move(part_row));
    }
    return layout(part_rows);
  };
  std::string text;
  bool remarks_wait = remarks;
  for (std::size_t begin = keys; begin < columns || remarks_wait;) {
    std::size_t end = std::min(begin + 1, columns);
    const bool with_remarks = remarks_wait && (begin == columns || widest_line(part(begin, end, true)) <= width);
    while (end < columns && widest_line(part(begin, end + 1, with_remarks)) <= width) ++end;
    if (!text.empty()) text += '\n';
    text += part(begin, end, with_remarks);
    if (with_remarks) remarks_wait = false;
    begin = end;
  }
  return text;
}

}  // namespace

std::string layout_wrapped(const std::vector<Row>& rows, std::size_t width) {
  const std::string whole = layout(rows);
  if (width == kAnyWidth || widest_line(whole) <= width) return whole;
  std::vector<Row> others = rows;  // with a last column that is never empty, so that it tells where that one begins
  for (Row& row : others) row.back() = "<.";
  const std::size_t before = widest_line(layout(others)) - 1;
  if (before + kNarrowest > width) return layout_below(rows, width);
  const std::size_t left = width - before;
  std::vector<Row> lines;
  for (const Row& row : rows) {
    const bool header = lines.empty();
    Row line = row;
    for (const std::string& part : broken_at_spaces(text_of(row.back()), left)) {
      line.back() = fmt::format("{}{}", header ? "<" : "", part);
      lines.push_back(line);
      line.assign(row.size(), "");
    }
  }
  return layout(lines);
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    widest = std::max(widest, text_width(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return widest;
}

std::string layout_folded(const std::vector<Row>& rows, std::size_t width, std::size_t keys) {
  const std::string whole = layout(rows);
  const std::size_t needed = widest_line(whole);
  if (width == kAnyWidth || needed <= width) return whole;
  const std::vector<Row> short_rows = with_short_names(rows, keys, needed - width);
  const std::string short_whole = layout(short_rows);
  if (widest_line(short_whole) <= width) return short_whole;
  // There is room for longer names where the columns are folded anyway.
  std::size_t longest = 0;
  for (std::size_t c = 0; c < keys; ++c) {
    if (rows.front()[c].starts_with('<')) longest = std::max(longest, widest_cell(rows, c));
  }
  return folded(with_short_names(rows, keys, longest - std::min(longest, width / 3)), width, keys);
}

std::string markdown_table(const std::vector<Row>& rows) {
  const auto cell = [](const std::string& text) {
    std::string escaped;
    for (const char c : text_of(text)) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
    return escaped;
  };
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> width(columns, 3);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], cell(row[c]).size());
  }
  std::string text;
  for (const Row& row : rows) {
    const bool header = &row == &rows.front();
    std::string rule = "|";
    text += "|";
    for (std::size_t c = 0; c < columns; ++c) {
      const bool left = rows.front()[c].starts_with('<');
      text +=
          left ? fmt::format(" {:<{}} |", cell(row[c]), width[c]) : fmt::format(" {:>{}} |", cell(row[c]), width[c]);
      rule += left ? fmt::format(" {:-<{}} |", "", width[c]) : fmt::format(" {:-<{}}: |", "", width[c] - 1);
    }
    text += '\n';
    if (header) text.append(rule).append("\n");
  }
  return text;
}

}  // namespace partita::detail
