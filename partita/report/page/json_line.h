// SPDX-License-Identifier: Apache-2.0
// JSON as short as it gets, for programs: one line, written as it comes, without a tree of values in memory. Numbers
// have the fewest digits that read back as the same double; what is not finite becomes null. Text may come from
// anywhere: what cannot be seen in it is written out (visible_text.h), and '<' is always escaped, so that no text can
// end the <script> element that the line is put into.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "partita/util/ids.h"

namespace partita::detail {

template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

class JsonLine {
 public:
  // `body` writes the fields.
  template <class Body>
  void object(Body body) {
    open('{');
    body();
    close('}');
  }
  // `body` writes one value for each item.
  template <class Range, class Body>
  void array(const Range& items, Body body) {
    open('[');
    for (const auto& item : items) body(item);
    close(']');
  }

  // The name of the value that comes next: text that needs no escaping.
  JsonLine& key(std::string_view name);

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

  const std::string& text() const { return text_; }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();  // from what is before, where there is something
  void put(std::string_view raw);
  void put_number(double number);
  void put_number(long long number);
  void put_number(unsigned long long number);

  std::string text_;
  bool first_ = true;  // nothing is before the next item
};

// To two decimals: what a drawing needs of a coordinate.
double to_hundredths(double coordinate);

}  // namespace partita::detail
