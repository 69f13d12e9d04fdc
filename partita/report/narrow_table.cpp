// SPDX-License-Identifier: Apache-2.0
#include "partita/report/narrow_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/util/visible_text.h"

namespace partita {
namespace {

constexpr std::size_t kNarrowest = 24;  // of a column of text: two or three words

std::string text_of(const std::string& cell) { return visible(cell.starts_with('<') ? cell.substr(1) : cell); }

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    widest = std::max(widest, end - begin);
    begin = end + 1;
  }
  return widest;
}

// Lines of at most `width`, broken at spaces; a longer word has a line of its own.
std::vector<std::string> broken(const std::string& text, std::size_t width) {
  std::vector<std::string> lines{""};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    std::string& line = lines.back();
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
    begin = end + 1;
  }
  return lines;
}

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
    for (const std::string& part : broken(text_of(row.back()), left)) {
      line.back() = fmt::format("{}{}", header ? "<" : "", part);
      lines.push_back(line);
      line.assign(row.size(), "");
    }
  }
  return layout(lines);
}

std::string layout_folded(const std::vector<Row>& rows, std::size_t width) {
  std::string text;
  const std::size_t columns = rows.front().size();
  const auto part = [&](std::size_t begin, std::size_t end) {
    std::vector<Row> part_rows;
    for (const Row& row : rows) {
      Row part_row{row.front()};
      part_row.insert(part_row.end(), row.begin() + static_cast<std::ptrdiff_t>(begin),
                      row.begin() + static_cast<std::ptrdiff_t>(end));
      part_rows.push_back(std::move(part_row));
    }
    return layout(part_rows);
  };
  for (std::size_t begin = 1; begin < columns;) {
    std::size_t end = begin + 1;
    while (end < columns && (width == kAnyWidth || widest_line(part(begin, end + 1)) <= width)) ++end;
    if (!text.empty()) text += '\n';
    text += part(begin, end);
    begin = end;
  }
  return text;
}

std::string wrapped_text(const std::string& text, std::size_t width) {
  const std::string shown = visible(text);
  if (width == kAnyWidth || shown.size() <= width) return shown + "\n";
  return fmt::format("{}\n", fmt::join(broken(shown, std::max(kNarrowest, width - 2)), "\n  "));
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

}  // namespace partita
