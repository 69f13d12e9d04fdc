// SPDX-License-Identifier: Apache-2.0
// JSON, written as it comes, without a tree of values in memory: the one way in which files and pages get theirs.
// Numbers have the fewest digits that read back as the same double, and no point where they are whole; what is not finite
// becomes null. Text and keys may come from anywhere. Every member is written once: what is written stays.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "partita/util/ids.h"

namespace partita::detail {

enum class JsonLayout : std::uint8_t {
  // For programs, as short as it gets. What cannot be seen in a text is written out (visible_text.h), and '<' is always
  // escaped, so that no text can end the <script> element that the line is put into.
  Line,
  // For many things of one kind: a line for each item of a list that the outermost object holds, or an object in it, and
  // for each member of these objects. What is inside of such a line is as short as it gets.
  Rows,
  // For people and for diffs: two spaces of indent, but on one line lists of plain values, objects of up to three of
  // them, and objects of plain values in a list, which read like the rows of a table.
  Pretty,
};

template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

class JsonWriter {
 public:
  explicit JsonWriter(JsonLayout layout) : layout_(layout) {}

  // `body` writes the fields.
  template <class Body>
  void object(Body body) {
    open('{');
    body();
    close('}');
  }
  // `body` writes all values.
  template <std::invocable Body>
  void array(Body body) {
    open('[');
    body();
    close(']');
  }
  // `body` writes one value for each item.
  template <class Range, class Body>
  void array(const Range& items, Body body) {
    array([&] {
      for (const auto& item : items) body(item);
    });
  }

  // The name of the value that comes next.
  JsonWriter& key(std::string_view name);

  void null() { put("null"); }
  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  template <std::same_as<bool> T>
  void value(T flag) {
    put(flag ? "true" : "false");
  }
  template <class T>
  requires kIsNumber<T>
  void value(T number) {
    if constexpr (std::floating_point<T>) {
      put_number(number);
    } else if constexpr (std::is_signed_v<T>) {
      put_number(static_cast<long long>(number));
    } else {
      put_number(static_cast<unsigned long long>(number));
    }
  }
  // By number; null for one that names nothing.
  template <class Tag>
  void value(Id<Tag> id) {
    id.valid() ? value(id.index()) : null();
  }
  template <class T>
  void value(const std::optional<T>& item) {
    item ? value(*item) : null();
  }
  // A number whose digits somebody else has chosen, in JSON's notation.
  void digits(std::string_view number) { put(number); }

  template <class T>
  void field(std::string_view name, const T& item) {
    key(name).value(item);
  }
  // One value for each item: what `measure` makes of it.
  template <class Range, class Measure>
  void column(std::string_view name, const Range& items, Measure measure) {
    key(name).array(items, [&](const auto& item) { value(measure(item)); });
  }
  template <class Range>
  void column(std::string_view name, const Range& items) {
    key(name).array(items, [&](const auto& item) { value(item); });
  }
  // One object for each item, whose fields `body` writes.
  template <class Range, class Body>
  void rows(std::string_view name, const Range& items, Body body) {
    key(name).array(items, [&](const auto& item) { object([&] { body(item); }); });
  }

  // All that was written, for which everything must be closed; but for a Line with a line end behind it. The writer is
  // empty then.
  std::string take();

 private:
  // A list or an object that is not closed yet.
  struct Level {
    std::size_t begin = 0;  // where in the text its first item is, or will be
    std::size_t items = 0;
    bool list = false;
    bool broken = false;   // each item has a line of its own
    bool flat = true;      // no list and no object in it
    bool in_list = false;  // it is an item of a list itself
  };

  void open(char bracket);
  void close(char bracket);
  void begin_value();  // all that must stand before it
  void begin_item(Level& level);
  void begin_line();
  bool breaks(bool list) const;
  bool fits_one_line(const Level& level) const;
  void join_lines(const Level& level);
  void put(std::string_view raw);
  void put_text(std::string_view text);
  void put_number(double number);
  void put_number(long long number);
  void put_number(unsigned long long number);

  JsonLayout layout_;
  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace partita::detail
