// SPDX-License-Identifier: Apache-2.0
#include "partita/report/page/json_line.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

// The longest double, "-2.2250738585072014e-308", and room to spare.
constexpr std::size_t kNumberLength = 40;

template <class T>
std::string shortest(T number) {
  char digits[kNumberLength];
  return std::string(digits, std::to_chars(digits, digits + kNumberLength, number).ptr);
}

}  // namespace

void JsonLine::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

void JsonLine::put(std::string_view raw) {
  separate();
  text_ += raw;
}

void JsonLine::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
}

void JsonLine::close(char bracket) {
  text_ += bracket;
  first_ = false;
}

JsonLine& JsonLine::key(std::string_view name) {
  separate();
  text_.append(1, '"').append(name).append("\":");
  first_ = true;
  return *this;
}

void JsonLine::value(std::string_view text) {
  using Json = nlohmann::json;
  separate();
  for (const char c : Json(visible(text)).dump()) {
    if (c == '<') {
      text_ += "\\u003c";
    } else {
      text_ += c;
    }
  }
}

void JsonLine::put_number(double number) { put(std::isfinite(number) ? shortest(number) : "null"); }
void JsonLine::put_number(long long number) { put(shortest(number)); }
void JsonLine::put_number(unsigned long long number) { put(shortest(number)); }

double to_hundredths(double coordinate) { return std::round(coordinate * 100) / 100; }

}  // namespace partita::detail
