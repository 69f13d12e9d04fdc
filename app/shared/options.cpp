// SPDX-License-Identifier: Apache-2.0
#include "app/shared/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "partita/read/quantity.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

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

Option arithmetic_type(Option option) {
  return choices(option, {"fp32", "tf32", "fp16", "bf16", "fp8", "int8", "int4"});
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
    const std::optional<double> value = parse_fraction(given);
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

}  // namespace partita::detail::app
