// SPDX-License-Identifier: Apache-2.0
#include "partita/read/quantity.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace partita::detail {

namespace {

// The number that `text` starts with, and what follows it and the spaces behind it.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return std::pair{value, text};
}

struct Unit {
  const char* name;
  double factor;
};

constexpr double kKibi = 1024;

constexpr std::array kSizes{
    Unit{"", 1},
    Unit{"b", 1},
    Unit{"k", kKibi},
    Unit{"m", kKibi* kKibi},
    Unit{"g", kKibi* kKibi* kKibi},
    Unit{"t", kKibi* kKibi* kKibi* kKibi},
    Unit{"kib", kKibi},
    Unit{"mib", kKibi* kKibi},
    Unit{"gib", kKibi* kKibi* kKibi},
    Unit{"tib", kKibi* kKibi* kKibi* kKibi},
    Unit{"kb", 1e3},
    Unit{"mb", 1e6},
    Unit{"gb", 1e9},
    Unit{"tb", 1e12},
};

constexpr std::array kTimes{Unit{"", 1},           Unit{"s", 1},     Unit{"sec", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6},
                            Unit{"\u00b5s", 1e-6}, Unit{"ns", 1e-9}, Unit{"m", 60},  Unit{"min", 60},  Unit{"h", 3600}};

constexpr std::array kFractions{Unit{"", 1}, Unit{"%", 0.01}};

constexpr std::array kBandwidths{
    Unit{"", 1},
    Unit{"B/s", 1},
    Unit{"KB/s", 1e3},
    Unit{"kB/s", 1e3},
    Unit{"MB/s", 1e6},
    Unit{"GB/s", 1e9},
    Unit{"TB/s", 1e12},
    Unit{"KiB/s", kKibi},
    Unit{"MiB/s", kKibi* kKibi},
    Unit{"GiB/s", kKibi* kKibi* kKibi},
    Unit{"b/s", 0.125},
    Unit{"kb/s", 125},
    Unit{"Kb/s", 125},
    Unit{"Mb/s", 125e3},
    Unit{"Gb/s", 125e6},
    Unit{"Tb/s", 125e9},
    Unit{"bit/s", 0.125},
    Unit{"kbit/s", 125},
    Unit{"Mbit/s", 125e3},
    Unit{"Gbit/s", 125e6},
    Unit{"Tbit/s", 125e9},
    Unit{"Mbps", 125e3},
    Unit{"Gbps", 125e6},
};

constexpr std::array kPrefixes{Unit{"", 1},    Unit{"k", 1e3},  Unit{"m", 1e6},
                               Unit{"g", 1e9}, Unit{"t", 1e12}, Unit{"p", 1e15}};

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

std::optional<double> times_unit(double value, std::string_view name, std::span<const Unit> units) {
  const auto unit = std::ranges::find_if(units, [&](const Unit& u) { return name == u.name; });
  if (unit == units.end()) return std::nullopt;
  value *= unit->factor;
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

// A number that is neither negative nor infinite, with one of the units behind it, in any case.
std::optional<double> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  const auto number = leading_number(text);
  return number ? times_unit(number->first, in_small_letters(number->second), units) : std::nullopt;
}

}  // namespace

std::optional<double> parse_bytes(std::string_view text) { return parse_with_unit(text, kSizes); }

std::optional<double> parse_seconds(std::string_view text) { return parse_with_unit(text, kTimes); }

std::optional<double> parse_fraction(std::string_view text) { return parse_with_unit(text, kFractions); }

std::optional<double> parse_bandwidth(std::string_view text) {
  const auto number = leading_number(text);
  return number ? times_unit(number->first, number->second, kBandwidths) : std::nullopt;
}

std::optional<double> parse_flops(std::string_view text) {
  const auto number = leading_number(text);
  if (!number) return std::nullopt;
  std::string unit = in_small_letters(number->second);
  for (const char* name : {"flop/s", "flops", "op/s", "ops"}) {
    if (unit.ends_with(name)) {
      unit.resize(unit.size() - std::string_view(name).size());
      return times_unit(number->first, unit, kPrefixes);
    }
  }
  return unit.empty() ? times_unit(number->first, "", kPrefixes) : std::nullopt;
}

}  // namespace partita::detail
