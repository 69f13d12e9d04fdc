// SPDX-License-Identifier: Apache-2.0
#include "partita/model/sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace partita {
namespace {

constexpr std::array kParameters{std::pair{SweepParameter::Accelerators, "accelerators"},
                                 std::pair{SweepParameter::Hosts, "hosts"}, std::pair{SweepParameter::Memory, "memory"},
                                 std::pair{SweepParameter::Bandwidth, "bandwidth"}};

}  // namespace

double Sweep::gain(double worse, double better) {
  if (worse == better) return 0;  // both infinite, or both 0
  return better > 0 && std::isfinite(worse) ? worse / better - 1 : std::numeric_limits<double>::infinity();
}

std::optional<double> Sweep::speed_up(std::size_t point) const {
  const auto first = std::ranges::find_if(points, [](const SweepPoint& p) { return p.result.split.has_value(); });
  if (first == points.end() || !points[point].result.split) return std::nullopt;
  return 1 + gain(first->result.value, points[point].result.value);
}

std::optional<double> Sweep::step_gain(std::size_t point) const {
  if (point == 0 || !points[point].result.split || !points[point - 1].result.split) return std::nullopt;
  return gain(points[point - 1].result.value, points[point].result.value);
}

std::optional<double> Sweep::efficiency(std::size_t point) const {
  const SweepPoint& here = points[point];
  if (parameter != SweepParameter::Accelerators || !here.result.split || here.parameter < 1) return std::nullopt;
  const auto first =
      std::ranges::find_if(points, [](const SweepPoint& p) { return p.result.split.has_value() && p.parameter >= 1; });
  return (1 + gain(first->result.value, here.result.value)) * first->parameter / here.parameter;
}

bool never_hurts(const Problem& problem, SweepParameter parameter) {
  const auto contends = [](const DeviceClass& c) { return c.contention != 1; };
  if (counts_devices(parameter) && std::ranges::any_of(problem.workload->platform.classes, contends)) return false;
  const bool by_rule = problem.objective == Objective::Latency && problem.strict_host_cores;
  return !by_rule || parameter == SweepParameter::Accelerators || parameter == SweepParameter::Memory;
}

bool counts_devices(SweepParameter parameter) {
  return parameter == SweepParameter::Accelerators || parameter == SweepParameter::Hosts;
}

const char* to_string(SweepParameter parameter) {
  return std::ranges::find(kParameters, parameter, &std::pair<SweepParameter, const char*>::first)->second;
}

std::optional<SweepParameter> parse_sweep_parameter(std::string_view text) {
  for (const auto& [parameter, name] : kParameters) {
    if (text == name) return parameter;
  }
  return std::nullopt;
}

}  // namespace partita
