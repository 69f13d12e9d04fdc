// SPDX-License-Identifier: Apache-2.0
// nlohmann::json::parse would do, but it forgets where a number overflows, keeps the last of two equal keys in silence
// and does not say to which field a syntax error belongs. So its parser drives a tree builder of our own, which knows
// the path of the value being read. The parser and the tree's destructor are iterative: depth is no danger.
#include "partita/read/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/util/error.h"

namespace partita {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 500;  // our formats need 5; the rest is for whatever people keep beside them

// "line 3, column 17" of the byte at `offset`.
std::string line_and_column(std::string_view bytes, std::size_t offset) {
  const std::string_view before = bytes.substr(0, std::min(offset, bytes.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return fmt::format("line {}, column {}", line, column);
}

// The word around `offset`: what Python writes for numbers that JSON does not have is one, "-Infinity".
std::string_view word_at(std::string_view bytes, std::size_t offset) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '+'; };
  std::size_t begin = std::min(offset, bytes.size());
  while (begin > 0 && in_word(bytes[begin - 1])) --begin;
  std::size_t end = begin;
  while (end < bytes.size() && in_word(bytes[end])) ++end;
  return bytes.substr(begin, end - begin);
}

bool is_number_beyond_json(std::string_view word) {
  std::string lower(word.starts_with('-') || word.starts_with('+') ? word.substr(1) : word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

// The parser's own words without the parts that we say better: "[json...] parse error at line 1, column 2: syntax error
// while parsing value - invalid literal; last read: '...'; expected ...".
std::string syntax_problem(const std::string& what) {
  std::string text = what;
  const std::size_t lead = text.find("syntax error");
  if (lead != std::string::npos) text.erase(0, lead);
  const std::size_t last_read = text.find("; last read:");
  if (last_read != std::string::npos) {
    const std::size_t expected = text.rfind("; expected ");
    const std::string tail = expected != std::string::npos && expected > last_read ? text.substr(expected) : "";
    text = text.substr(0, last_read) + tail;
  }
  return one_line(text);
}

class TreeBuilder final : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // only in formats other than JSON
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    const auto [entry, is_new] = level.container->emplace(name, nullptr);
    if (!is_new) {
      level.key = &entry.key();
      throw InputError(ErrorKind::BadField, source_ + ": " + path(), "is given twice; keep one");
    }
    level.key = &entry.key();
    level.slot = &*entry;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    const std::size_t offset = position > 0 ? position - 1 : 0;  // of the last byte read
    const std::string field = path();
    const std::string where =
        fmt::format("{}: {}{}{}", source_, line_and_column(bytes_, offset), field.empty() ? "" : ", in ", field);
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) {
      throw InputError(
          ErrorKind::BadNumber, where,
          fmt::format("{} is too large; expected a finite number (at most about 1.8e308)", one_line(token)));
    }
    if (const std::string_view word = word_at(bytes_, offset); is_number_beyond_json(word)) {
      throw InputError(ErrorKind::BadNumber, where,
                       fmt::format("found {}; expected a finite number (where a node cannot run on a device, leave its "
                                   "latency out and set supportedOnFpga or supportedOnCpu to false)",
                                   word));
    }
    throw InputError(ErrorKind::NotJson, where, "not JSON: " + syntax_problem(error.what()));
  }

 private:
  struct Level {
    json* container;
    const std::string* key = nullptr;  // of the member being read; lives in the tree
    json* slot = nullptr;              // where its value goes
  };

  // The path of the value being read.
  std::string path() const {
    std::string text;
    for (const Level& level : levels_) {
      if (level.container->is_array()) {
        const std::size_t open_below = &level == &levels_.back() ? 0 : 1;
        text += fmt::format("[{}]", level.container->size() - open_below);
      } else if (level.key) {
        text += (text.empty() ? "" : ".") + *level.key;
      }
    }
    return one_line(text);
  }

  template <class T>
  json* place(T&& value) {
    if (levels_.empty()) {
      root_ = std::forward<T>(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.container->is_array()) {
      level.container->push_back(std::forward<T>(value));
      return &level.container->back();
    }
    *level.slot = std::forward<T>(value);
    return level.slot;
  }

  template <class T>
  bool add(T&& value) {
    place(std::forward<T>(value));
    return true;
  }

  // A container never moves while it is open: its parent adds nothing until it is closed.
  bool open(json container) {
    if (levels_.size() == kMaxDepth) {
      throw InputError(ErrorKind::NotJson, source_, fmt::format("is nested deeper than {} levels", kMaxDepth));
    }
    levels_.push_back({place(std::move(container))});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view bytes_;
  const std::string& source_;
  json root_;
  std::vector<Level> levels_;
};

void refuse_what_cannot_be_json(std::string_view bytes, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    throw InputError(ErrorKind::NotJson, source, "is empty; expected JSON, plain or gzipped");
  }
  const auto byte = static_cast<unsigned char>(bytes[first]);
  if (byte < 0x20 || byte >= 0x7f) {
    throw InputError(
        ErrorKind::NotJson, source,
        fmt::format("is not JSON: it begins with byte 0x{:02x}; expected JSON text (UTF-8), plain or gzipped", byte));
  }
}

}  // namespace

json parse_json(std::string_view bytes, const std::string& source) {
  std::string unpacked;
  if (is_gzip(bytes)) {
    unpacked = gunzip(bytes, source);
    bytes = unpacked;
  }
  refuse_what_cannot_be_json(bytes, source);
  TreeBuilder builder(bytes, source);
  json::sax_parse(bytes.begin(), bytes.end(), &builder);
  return builder.take();
}

}  // namespace partita
