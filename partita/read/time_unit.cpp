// SPDX-License-Identifier: Apache-2.0
#include "partita/read/time_unit.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace partita::detail {
namespace {

// The unit that a word means; empty for words that go with one, nothing for any other word.
std::optional<std::string> meaning(const std::string& word) {
  struct TimeUnit {
    const char* name;
    std::initializer_list<const char*> words;
  };
  static const TimeUnit kUnits[] = {
      {"ns", {"ns", "nsec", "nanosecond", "nanoseconds"}},
      {"us", {"us", "\xc2\xb5s", "\xce\xbcs", "usec", "microsecond", "microseconds"}},
      {"ms", {"ms", "msec", "millisecond", "milliseconds"}},
      {"s", {"s", "sec", "second", "seconds"}},
      {"", {"and", "b", "byte", "bytes"}},
  };
  for (const TimeUnit& unit : kUnits) {
    if (std::ranges::any_of(unit.words, [&word](const char* one) { return word == one; })) return unit.name;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> time_unit(std::string_view text) {
  constexpr std::string_view kBetween = " \t,;/";
  std::string unit;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
    if (text.empty()) break;
    std::string word(text.substr(0, text.find_first_of(kBetween)));
    text.remove_prefix(word.size());
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::optional<std::string> found = meaning(word);
    if (!found || (!found->empty() && !unit.empty() && *found != unit)) return std::nullopt;
    if (!found->empty()) unit = *found;
  }
  if (unit.empty()) return std::nullopt;
  return unit;
}

}  // namespace partita::detail
