// SPDX-License-Identifier: Apache-2.0
#include "app/shared/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "app/shared/standard_streams.h"

namespace partita::app {
namespace {

// The number that `text` starts with, and what follows it.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return std::pair{value, text.substr(static_cast<std::size_t>(rest - text.data()))};
}

std::optional<double> parse_number(std::string_view text) {
  const auto number = leading_number(text);
  if (!number || !number->second.empty()) return std::nullopt;
  return number->first;
}

std::optional<double> multiplier(std::string_view suffix) {
  static constexpr std::array kSuffixes{
      std::pair{"", 1.0},
      std::pair{"b", 1.0},
      std::pair{"kib", 1024.0},
      std::pair{"mib", 1048576.0},
      std::pair{"gib", 1073741824.0},
      std::pair{"tib", 1099511627776.0},
      std::pair{"kb", 1e3},
      std::pair{"mb", 1e6},
      std::pair{"gb", 1e9},
      std::pair{"tb", 1e12},
  };
  std::string lower(suffix);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [name, factor] : kSuffixes) {
    if (lower == name) return factor;
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "|") + name;
  return text;
}

// The check runs on the text, before CLI11 converts it: its own message for a bad number says neither what was expected
// nor the range. A good number is handed on as plain decimal text.
CLI::Option* checked(CLI::Option* option, const std::string& text, std::function<std::string(std::string&)> check) {
  CLI::Validator validator(std::move(check), "");
  return option->option_text(text)->transform(std::move(validator));
}

std::string check_path(std::string& given) { return given.empty() ? "the path is empty" : ""; }

}  // namespace

int print_help(const CLI::App& program, const CLI::Success& success) {
  std::ostringstream text;
  const int code = program.exit(success, text, text);
  write_stdout(text.str(), "there is nowhere else to write it");
  return code;
}

CLI::Option* choices(CLI::Option* option, const std::vector<std::string>& names) {
  const std::string text = joined(names);
  return checked(option, text, [names, text](std::string& given) {
    if (std::ranges::find(names, given) != names.end()) return std::string();
    return fmt::format("'{}' is not one of {}", given, text);
  });
}

CLI::Option* path(CLI::Option* option) { return checked(option, "FILE", check_path); }

CLI::Option* folder(CLI::Option* option) { return checked(option, "DIR", check_path); }

CLI::Option* number(CLI::Option* option, const std::string& text, double low, double high, bool or_infinite) {
  return checked(option, text, [=](std::string& given) {
    const std::optional<double> value = parse_number(given);
    const bool infinite = value && std::isinf(*value) && *value > 0;
    if (value && *value >= low && (infinite ? or_infinite : *value <= high)) return std::string();
    const std::string range =
        std::isinf(high) ? fmt::format("a number not below {}", low) : fmt::format("a number from {} to {}", low, high);
    return fmt::format("'{}' is not {}{}", given, range, or_infinite ? ", or inf" : "");
  });
}

CLI::Option* whole(CLI::Option* option, const std::string& text, long long low, long long high) {
  return checked(option, text, [=](std::string& given) {
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

CLI::Option* bytes(CLI::Option* option) {
  return checked(option, "BYTES", [](std::string& given) {
    const std::optional<double> value = parse_bytes(given);
    if (!value) return fmt::format("'{}' is not a number of bytes, such as 17179869184, 1.6e10, 16GiB or 16GB", given);
    given = fmt::format("{}", *value);
    return std::string();
  });
}

CLI::Option* bandwidth(CLI::Option* option) {
  return checked(option, "BYTES", [](std::string& given) {
    if (given == "inf") return std::string();
    const std::optional<double> value = parse_bytes(given);
    if (!value || *value == 0) {
      return fmt::format("'{}' is not a number of bytes above 0, such as 1.2e7, 12MiB or 12MB, or inf", given);
    }
    given = fmt::format("{}", *value);
    return std::string();
  });
}

std::optional<double> parse_bytes(std::string_view text) {
  auto number = leading_number(text);
  if (!number) return std::nullopt;
  auto [value, suffix] = *number;
  while (!suffix.empty() && suffix.front() == ' ') suffix.remove_prefix(1);
  const std::optional<double> factor = multiplier(suffix);
  if (!factor) return std::nullopt;
  value *= *factor;
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

}  // namespace partita::app
