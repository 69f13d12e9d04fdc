// SPDX-License-Identifier: Apache-2.0
#include "partita/report/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/check/claims.h"
#include "partita/check/describe.h"
#include "partita/check/names.h"
#include "partita/check/narrow_table.h"
#include "partita/check/times.h"

namespace partita::detail {
namespace {

// Six digits of the best value: the others have as many decimals.
TimeFormat value_format(const Sweep& sweep) {
  double least = kUnlimited, largest_bound = 0;
  for (const SweepPoint& point : sweep.points) {
    if (point.result.split) least = std::min(least, point.result.value);
    largest_bound = std::max(largest_bound, point.result.bound);
  }
  return TimeFormat(std::isfinite(least) ? least : largest_bound);
}

std::string times_text(const std::optional<double>& ratio) {
  return ratio && std::isfinite(*ratio) ? fmt::format("{:.2f}x", *ratio) : "-";
}

std::string gain_text(const std::optional<double>& gain) {
  if (!gain || !std::isfinite(*gain)) return "-";
  return fmt::format("{:+.2f} %", 100 * (std::abs(*gain) <= 2 * kOptimalGap ? 0.0 : *gain));
}

Row header(const Problem& problem, const Sweep& sweep, const SweepTextOptions& options) {
  Row row{to_string(sweep.parameter),
          time_heading("value", problem.workload->time_unit),
          "bound",
          "gap",
          "<status",
          "speed-up",
          "gain"};
  if (sweep.parameter == SweepParameter::Accelerators) row.emplace_back("efficiency");
  row.emplace_back("devices used");
  if (options.times) row.emplace_back("time");
  row.emplace_back("<");
  return row;
}

Row point_row(const Sweep& sweep, std::size_t place, const TimeFormat& format, const SweepTextOptions& options) {
  const SweepPoint& point = sweep.points[place];
  const Result& result = point.result;
  const bool split = result.split.has_value();
  Row row{point.label,
          split ? format(result.value) : "-",
          result.bound > 0 ? format(result.bound) : "-",
          split ? percent_text(result.status == Status::Optimal ? 0 : result.gap()) : "-",
          to_string(result.status),
          times_text(sweep.speed_up(place)),
          gain_text(sweep.step_gain(place))};
  if (sweep.parameter == SweepParameter::Accelerators) {
    const std::optional<double> efficiency = sweep.efficiency(place);
    row.push_back(efficiency && std::isfinite(*efficiency) ? fmt::format("{:.1f} %", 100 * *efficiency) : "-");
  }
  row.push_back(split ? std::to_string(point.devices_used) : "-");
  // A point that its neighbours answered took no time at all.
  if (options.times) row.push_back(result.seconds > 0 ? seconds_text(result.seconds) : "-");
  row.emplace_back(sweep.enough == place ? "<<- enough" : "<");
  return row;
}

// Those with one reason together.
std::string reasons(const Sweep& sweep, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < sweep.points.size();) {
    const Result& result = sweep.points[i].result;
    std::size_t end = i + 1;
    while (end < sweep.points.size() && sweep.points[end].result.reason == result.reason) ++end;
    if (!result.split) {
      const std::string labels = end == i + 1
                                     ? sweep.points[i].label
                                     : fmt::format("{} to {}", sweep.points[i].label, sweep.points[end - 1].label);
      text += wrapped_text(
          fmt::format("{} {}: {}: {}", to_string(sweep.parameter), labels, to_string(result.status), result.reason),
          width);
    }
    i = end;
  }
  return text;
}

}  // namespace

std::string sweep_range(const Sweep& sweep) {
  if (sweep.points.empty()) return to_string(sweep.parameter);
  if (sweep.points.size() == 1) return fmt::format("{} {}", to_string(sweep.parameter), sweep.points.front().label);
  return fmt::format("{} from {} to {}", to_string(sweep.parameter), sweep.points.front().label,
                     sweep.points.back().label);
}

std::string sweep_text(const Problem& problem, const Sweep& sweep, const SweepTextOptions& options) {
  const TimeFormat format = value_format(sweep);
  std::vector<Row> rows{header(problem, sweep, options)};
  for (std::size_t i = 0; i < sweep.points.size(); ++i) rows.push_back(point_row(sweep, i, format, options));
  std::string text = wrapped_text(describe_workload(problem), options.width);
  text += wrapped_text(fmt::format("{}; {}.", describe_question(problem.objective, problem.shape), sweep_range(sweep)),
                       options.width);
  if (!sweep.points.empty()) text.append("\n").append(layout_folded(rows, options.width));
  const auto bounded = [](const SweepPoint& point) { return point.result.bound > 0; };
  if (std::ranges::any_of(sweep.points, bounded)) {
    const std::string splits = split_kind(problem.objective, problem.shape);
    text.append("\n").append(
        wrapped_text(fmt::format("bound: no {} is below it on that platform", splits), options.width));
  }
  const std::string why = reasons(sweep, options.width);
  if (!why.empty()) text.append("\n").append(why);
  return text + "\n" + wrapped_text(sweep.verdict, options.width);
}

}  // namespace partita::detail
