// SPDX-License-Identifier: Apache-2.0
#include "partita/check/times.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "partita/util/visible_text.h"

namespace partita::detail {

std::string time_text(double time, const std::string& unit) {
  return unit.empty() ? fmt::format("{:.6g}", time) : fmt::format("{:.6g} {}", time, visible(unit));
}

std::string time_heading(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, visible(unit));
}

std::string throughput_text(double time_per_sample, const std::string& unit) {
  const std::optional<double> seconds = seconds_in(unit);
  if (!seconds || !(time_per_sample > 0)) return "";
  const double rate = 1 / (time_per_sample * *seconds);
  if (!std::isfinite(rate) || rate == 0) return "";
  return rate >= 99.95 && rate < 1e9 ? fmt::format("{:.0f} samples/s", rate) : fmt::format("{:.3g} samples/s", rate);
}

std::string per_sample_text(double time_per_sample, const std::string& unit) {
  const std::string time = time_text(time_per_sample, unit);
  if (unit.empty()) return time + " per sample (in the file's unit of time)";
  const std::string rate = throughput_text(time_per_sample, unit);
  return rate.empty() ? time + " per sample" : fmt::format("{} per sample, {}", time, rate);
}

std::optional<double> seconds_in(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  for (const auto& [name, seconds] : kUnits) {
    if (name == unit) return seconds;
  }
  return std::nullopt;
}

}  // namespace partita::detail
