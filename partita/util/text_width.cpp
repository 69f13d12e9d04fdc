// SPDX-License-Identifier: Apache-2.0
#include "partita/util/text_width.h"

#include <algorithm>
#include <array>
#include <utility>

#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Where the character that begins at `begin` ends.
std::size_t character_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  if (static_cast<unsigned char>(text[begin]) < 0xc0) return end;
  while (end < text.size() && end < begin + 4 && continues(text[end])) ++end;
  return end;
}

char32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  char32_t code = lead & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

using Range = std::pair<char32_t, char32_t>;

template <std::size_t Count>
bool in_one_of(const std::array<Range, Count>& ranges, char32_t code) {
  return std::ranges::any_of(ranges, [code](const Range& r) { return r.first <= code && code <= r.second; });
}

std::size_t character_width(std::string_view character) {
  // Whole blocks: what terminals show does not differ inside them by much, and names seldom hold any of it.
  static constexpr std::array kWide{Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0xa4cf},
                                    Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
                                    Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f},
                                    Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};
  static constexpr std::array kNone{Range{0x0300, 0x036f}, Range{0x200b, 0x200f}, Range{0xfe00, 0xfe0f}};
  const char32_t code = code_point(character);
  if (code < 0x300) return 1;
  if (in_one_of(kNone, code)) return 0;
  return in_one_of(kWide, code) ? 2 : 1;
}

// As many characters from the beginning as fit.
std::string_view beginning(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = character_end(text, begin);
    used += character_width(text.substr(begin, end - begin));
    if (used > width) return text.substr(0, begin);
    begin = end;
  }
  return text;
}

// As many characters from the end as fit.
std::string_view ending(std::string_view text, std::size_t width) {
  const std::size_t all = text_width(text);
  std::size_t dropped = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    if (all - dropped <= width) return text.substr(begin);
    const std::size_t end = character_end(text, begin);
    dropped += character_width(text.substr(begin, end - begin));
    begin = end;
  }
  return {};
}

}  // namespace

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = character_end(text, begin);
    width += character_width(text.substr(begin, end - begin));
    begin = end;
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width, std::string_view ellipsis) {
  if (text_width(text) <= width) return std::string(text);
  const std::size_t dots = text_width(ellipsis);
  if (dots >= width) return std::string(beginning(ellipsis, width));
  return std::string(beginning(text, width - dots)).append(ellipsis);
}

std::string shortened_inside(std::string_view text, std::size_t width, std::string_view ellipsis) {
  if (text_width(text) <= width) return std::string(text);
  const std::size_t dots = text_width(ellipsis);
  if (dots >= width) return std::string(beginning(ellipsis, width));
  const std::size_t tail = (width - dots) / 2;
  std::string result(beginning(text, width - dots - tail));
  return result.append(ellipsis).append(ending(text, tail));
}

std::vector<std::string> broken_at_spaces(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  std::size_t used = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t room = text_width(word);
    begin = end + 1;
    if (!lines.back().empty() && used + 1 + room > width) {
      lines.emplace_back(word);
      used = room;
      continue;
    }
    if (!lines.back().empty()) {
      lines.back() += ' ';
      ++used;
    }
    lines.back() += word;
    used += room;
  }
  return lines;
}

std::string wrapped_text(const std::string& text, std::size_t width) {
  constexpr std::size_t kIndent = 2, kNarrowest = 24;
  const std::string shown = visible(text);
  if (width == kAnyWidth || text_width(shown) <= width) return shown + "\n";
  std::string result;
  for (const std::string& line : broken_at_spaces(shown, std::max(kNarrowest, width - kIndent)))
    result.append(result.empty() ? 0 : kIndent, ' ').append(line).append("\n");
  return result;
}

}  // namespace partita::detail
