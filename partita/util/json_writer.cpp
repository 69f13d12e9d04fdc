// SPDX-License-Identifier: Apache-2.0
// Whether a list or an object fits on one line is known only when it ends. So the pretty layout gives every item a line
// at first, and joins these lines again where they were not needed. No text holds a line end (it is escaped), and what is
// joined holds no list and no object, so that each line end in it is one between its items. Each character is moved at
// most once, and what is written takes time in proportion to its length.
//
// Tests: tests/util/json_writer_test.cpp.
#include "partita/util/json_writer.h"

#include <fmt/format.h>

#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "partita/util/utf8.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr std::size_t kIndentOfLevel = 2;  // of each level
constexpr std::size_t kInlineMembers = 3;  // an object of so many plain values fits on a line
constexpr std::size_t kRowLevels = 2;      // of objects whose members are rows

// The longest double, "-2.2250738585072014e-308", and room to spare.
constexpr std::size_t kNumberLength = 40;
constexpr double kExactIntegers = 9007199254740992;  // 2^53: up to here every whole double is an exact integer
constexpr double kSmallestFixed = 1e-4;              // as most programs do; below, zeros would hide the digits

constexpr std::string_view kMended = "\xef\xbf\xbd";  // U+FFFD, which stands for what was no text

// What stands for a character of one byte, where it cannot stand for itself; else nothing.
std::string_view escape_of(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return {};
  }
}

bool needs_care(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\' || c == '<';
}

}  // namespace

std::string JsonWriter::take() {
  assert(levels_.empty() && !after_key_);
  if (layout_ != JsonLayout::Line) text_ += '\n';
  return std::exchange(text_, {});
}

JsonWriter& JsonWriter::key(std::string_view name) {
  assert(!levels_.empty() && !levels_.back().list && !after_key_);
  begin_item(levels_.back());
  put_text(name);
  text_ += levels_.back().broken ? ": " : ":";
  after_key_ = true;
  return *this;
}

void JsonWriter::value(std::string_view text) {
  begin_value();
  put_text(layout_ == JsonLayout::Line ? visible(text) : text);
}

void JsonWriter::open(char bracket) {
  const bool list = bracket == '[';
  begin_value();
  const bool in_list = !levels_.empty() && levels_.back().list;
  const bool broken = breaks(list);
  if (!levels_.empty()) levels_.back().flat = false;
  text_ += bracket;
  levels_.push_back({.begin = text_.size(), .list = list, .broken = broken, .in_list = in_list});
}

void JsonWriter::close(char bracket) {
  assert(!levels_.empty() && levels_.back().list == (bracket == ']') && !after_key_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.broken && level.items > 0) {
    if (fits_one_line(level)) {
      join_lines(level);
    } else {
      begin_line();
    }
  }
  text_ += bracket;
}

void JsonWriter::begin_value() {
  if (std::exchange(after_key_, false) || levels_.empty()) return;
  assert(levels_.back().list);
  begin_item(levels_.back());
}

void JsonWriter::begin_item(Level& level) {
  if (level.items++ > 0) text_ += ',';
  if (level.broken) begin_line();
}

void JsonWriter::begin_line() {
  text_ += '\n';
  if (layout_ == JsonLayout::Pretty) text_.append(kIndentOfLevel * levels_.size(), ' ');
}

bool JsonWriter::breaks(bool list) const {
  if (layout_ != JsonLayout::Rows) return layout_ == JsonLayout::Pretty;
  if (levels_.empty()) return true;
  return levels_.back().broken && !levels_.back().list && (list || levels_.size() < kRowLevels);
}

bool JsonWriter::fits_one_line(const Level& level) const {
  return layout_ == JsonLayout::Pretty && level.flat && (level.list || level.in_list || level.items <= kInlineMembers);
}

// Precondition: the level is no longer among levels_, and flat.
void JsonWriter::join_lines(const Level& level) {
  const std::size_t line_begin = 1 + kIndentOfLevel * (levels_.size() + 1);  // the line end and the indent
  char* to = text_.data() + level.begin;
  const char* from = to + line_begin;
  const char* const end = text_.data() + text_.size();
  while (from < end) {
    const auto* line_end = static_cast<const char*>(std::memchr(from, '\n', static_cast<std::size_t>(end - from)));
    const auto length = static_cast<std::size_t>((line_end ? line_end : end) - from);
    std::memmove(to, from, length);
    to += length;
    if (!line_end) break;
    *to++ = ' ';
    from = line_end + line_begin;
  }
  text_.resize(static_cast<std::size_t>(to - text_.data()));
}

void JsonWriter::put(std::string_view raw) {
  begin_value();
  text_ += raw;
}

// Most text needs no care, and is appended in one piece.
void JsonWriter::put_text(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && !needs_care(text[plain])) ++plain;
    text_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character character = first_character(text);
    const char first = text.front();
    if (character.bytes > 1) {
      text_ += text.substr(0, character.bytes);
    } else if (character.bytes == 0) {
      text_ += kMended;
    } else if (const std::string_view escape = escape_of(first); !escape.empty()) {
      text_ += escape;
    } else if (first == '<' && layout_ != JsonLayout::Line) {
      text_ += first;
    } else {
      fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<unsigned char>(first));
    }
    text.remove_prefix(character.bytes == 0 ? 1 : character.bytes);
  }
  text_ += '"';
}

void JsonWriter::put_number(double number) {
  if (!std::isfinite(number)) return null();
  const double size = std::abs(number);
  if (size <= kExactIntegers && std::trunc(number) == number) {
    if (number == 0 && std::signbit(number)) return put("-0.0");  // readers take "-0" for an integer, without a sign
    return put_number(static_cast<long long>(number));
  }
  const auto format =
      size >= kSmallestFixed && size <= kExactIntegers ? std::chars_format::fixed : std::chars_format::scientific;
  char text[kNumberLength];
  put(std::string_view(text, std::to_chars(text, text + kNumberLength, number, format).ptr));
}

void JsonWriter::put_number(long long number) {
  char text[kNumberLength];
  put(std::string_view(text, std::to_chars(text, text + kNumberLength, number).ptr));
}

void JsonWriter::put_number(unsigned long long number) {
  char text[kNumberLength];
  put(std::string_view(text, std::to_chars(text, text + kNumberLength, number).ptr));
}

}  // namespace partita::detail
