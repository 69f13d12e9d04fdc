// SPDX-License-Identifier: Apache-2.0
#include "app/shared/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

// The number that `text` starts with, and what follows it.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return std::pair{value, text.substr(static_cast<std::size_t>(rest - text.data()))};
}

struct Unit {
  const char* name;
  double factor;
};

constexpr std::array kSizes{
    Unit{"", 1},
    Unit{"b", 1},
    Unit{"k", 1024},
    Unit{"m", 1048576},
    Unit{"g", 1073741824},
    Unit{"t", 1099511627776},
    Unit{"kib", 1024},
    Unit{"mib", 1048576},
    Unit{"gib", 1073741824},
    Unit{"tib", 1099511627776},
    Unit{"kb", 1e3},
    Unit{"mb", 1e6},
    Unit{"gb", 1e9},
    Unit{"tb", 1e12},
};

constexpr std::array kTimes{Unit{"", 1},   Unit{"s", 1},    Unit{"sec", 1}, Unit{"ms", 1e-3},
                            Unit{"m", 60}, Unit{"min", 60}, Unit{"h", 3600}};

constexpr std::array kFractions{Unit{"", 1}, Unit{"%", 0.01}};

// A number that is neither negative nor infinite, with one of the units behind it, in any case.
std::optional<double> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  auto number = leading_number(text);
  if (!number) return std::nullopt;
  auto [value, rest] = *number;
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  std::string name(rest);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto unit = std::ranges::find_if(units, [&](const Unit& u) { return name == u.name; });
  if (unit == units.end()) return std::nullopt;
  value *= unit->factor;
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

std::string check_path(std::string& given) { return given.empty() ? "the path is empty" : ""; }

}  // namespace

Option choices(Option option, const std::vector<std::string>& names) {
  const std::string text = fmt::format("{}", fmt::join(names, "|"));
  option.checked(text, [names, text](std::string& given) {
    if (std::ranges::find(names, given) != names.end()) return std::string();
    return fmt::format("'{}' is not one of {}{}", visible(given), text, did_you_mean(given, names));
  });
  return option.offers(Offer::Kind::Word, names);
}

Option path(Option option) { return option.checked("FILE", check_path); }

Option folder(Option option) { return option.checked("DIR", check_path); }

Option whole(Option option, const std::string& text, long long low, long long high) {
  return option.checked(text, [=](std::string& given) {
    long long value = 0;
    const char* end = given.data() + given.size();
    const auto [rest, error] = std::from_chars(given.data(), end, value);
    if (error == std::errc() && rest == end && value >= low && value <= high) {
      given = fmt::format("{}", value);  // "010" must not become an octal number
      return std::string();
    }
    return fmt::format("'{}' is not a whole number from {} to {}", given, low, high);
  });
}

Option seconds(Option option) {
  return option.checked("TIME", [](std::string& given) {
    if (given == "inf") return std::string();
    const std::optional<double> value = parse_seconds(given);
    if (!value) return fmt::format("'{}' is not a time, such as 10 (seconds), 10s, 500ms, 2min, 1h or inf", given);
    given = fmt::format("{}", *value);
    return std::string();
  });
}

Option fraction(Option option, double high) {
  return option.checked("FRACTION", [high](std::string& given) {
    const std::optional<double> value = parse_with_unit(given, kFractions);
    if (!value || *value > high) {
      return fmt::format("'{}' is not a fraction from 0 to {}, such as 0.01 or 1%", given, high);
    }
    given = fmt::format("{}", *value);
    return std::string();
  });
}

Option bytes(Option option) {
  return option.checked("SIZE", [](std::string& given) {
    const std::optional<double> value = parse_bytes(given);
    if (!value)
      return fmt::format("'{}' is not a number of bytes, such as 17179869184, 1.6e10, 16G, 16GiB or 16GB", given);
    given = fmt::format("{}", *value);
    return std::string();
  });
}

Option bandwidth(Option option) {
  return option.checked("SIZE", [](std::string& given) {
    if (given == "inf") return std::string();
    const std::optional<double> value = parse_bytes(given);
    if (!value || *value == 0) {
      return fmt::format("'{}' is not a number of bytes above 0, such as 1.2e7, 12MiB or 12MB, or inf", given);
    }
    given = fmt::format("{}", *value);
    return std::string();
  });
}

std::optional<double> parse_bytes(std::string_view text) { return parse_with_unit(text, kSizes); }

std::optional<double> parse_seconds(std::string_view text) { return parse_with_unit(text, kTimes); }

}  // namespace partita::detail::app
