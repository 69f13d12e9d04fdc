// SPDX-License-Identifier: Apache-2.0
#include "app/partita/vary_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "app/shared/options.h"
#include "partita/read/platform.h"
#include "partita/read/quantity.h"
#include "partita/util/error.h"

namespace partita::detail::app {
namespace {

constexpr const char* kExpected =
    "PARAMETER=RANGE, such as accelerators=1..8, hosts=0..4, memory=8GiB,16GiB,24GiB, memory=4GiB..32GiB:4GiB or "
    "bandwidth=0.25,0.5,1,2,4";
constexpr std::size_t kMostPoints = 256;
constexpr double kRounding = 1e-9;  // of a step: 0.1 three times is a little more than 0.3

[[noreturn]] void refuse(const std::string& problem) { throw InputError(ErrorKind::Usage, "--vary", problem); }

class Reader {
 public:
  explicit Reader(SweepParameter parameter) : parameter_(parameter) {}

  void read(std::string_view text) {
    for (const std::string_view part : split_at_commas(text)) {
      const std::size_t dots = part.find("..");
      if (dots == std::string_view::npos) {
        add(value_of(part));
      } else {
        read_range(part, part.substr(0, dots), part.substr(dots + 2));
      }
    }
    std::ranges::sort(values_);
    const auto repeated = std::ranges::unique(values_);
    values_.erase(repeated.begin(), repeated.end());
  }

  std::vector<double> take() { return std::move(values_); }

 private:
  static std::vector<std::string_view> split_at_commas(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
      const std::size_t comma = text.find(',');
      parts.push_back(text.substr(0, comma));
      if (comma == std::string_view::npos) return parts;
      text.remove_prefix(comma + 1);
    }
  }

  const char* expected_value() const {
    if (counts_devices(parameter_)) return "a whole number from 0 to 1000000";
    return parameter_ == SweepParameter::Memory ? "a number of bytes, such as 17179869184, 1.6e10, 16GiB or 16GB"
                                                : "a number above 0, such as 0.5: how many times as fast the links are";
  }

  double value_of(std::string_view text) const {
    std::optional<double> value;
    if (parameter_ == SweepParameter::Memory) {
      value = parse_bytes(text);
    } else {
      double number = 0;
      const char* end = text.data() + text.size();
      const auto [rest, error] = std::from_chars(text.data(), end, number);
      const bool good =
          error == std::errc() && rest == end && std::isfinite(number) &&
          (counts_devices(parameter_) ? number >= 0 && number <= kMaxDevicesOfAKind && number == std::floor(number)
                                      : number > 0);
      if (good) value = number;
    }
    if (!value) {
      refuse(text.empty()
                 ? fmt::format("a value of {} is missing; expected {}", to_string(parameter_), expected_value())
                 : fmt::format("'{}' is no value of {}; expected {}", text, to_string(parameter_), expected_value()));
    }
    return *value;
  }

  void read_range(std::string_view whole, std::string_view first_text, std::string_view rest) {
    const std::size_t colon = rest.find(':');
    const std::string_view last_text = rest.substr(0, colon);
    const double first = value_of(first_text), last = value_of(last_text);
    if (last < first)
      refuse(fmt::format("the range '{}' ends before it begins; did you mean {}..{}?", whole, last_text, first_text));
    double step = 1;
    if (colon != std::string_view::npos) {
      step = value_of(rest.substr(colon + 1));
      if (!(step > 0)) refuse(fmt::format("the range '{}' has a step of 0; expected one above 0", whole));
    } else if (!counts_devices(parameter_)) {
      refuse(fmt::format("the range '{0}' of {1} needs a step: {0}:STEP, such as {2}", whole, to_string(parameter_),
                         parameter_ == SweepParameter::Memory ? "4GiB..32GiB:4GiB" : "0.5..4:0.5"));
    }
    for (std::size_t i = 0; first + static_cast<double>(i) * step <= last + kRounding * step; ++i)
      add(first + static_cast<double>(i) * step);
  }

  void add(double value) {
    if (values_.size() == kMostPoints)
      refuse(fmt::format("more than {} points; expected fewer: a larger step makes fewer of a range", kMostPoints));
    values_.push_back(value);
  }

  SweepParameter parameter_;
  std::vector<double> values_;
};

}  // namespace

Variation parse_variation(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) refuse(fmt::format("'{}' has no '='; expected {}", text, kExpected));
  const std::string name = text.substr(0, equals);
  const std::optional<SweepParameter> parameter = parse_sweep_parameter(name);
  if (!parameter) {
    refuse(
        fmt::format("'{}' cannot be varied; expected accelerators, hosts, memory or bandwidth, as in "
                    "accelerators=1..8",
                    name));
  }
  Reader reader(*parameter);
  reader.read(std::string_view(text).substr(equals + 1));
  return {*parameter, reader.take()};
}

}  // namespace partita::detail::app
