// SPDX-License-Identifier: Apache-2.0
// The best split as one property of the platform changes: how many devices, how much memory, how fast the links.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/result.h"

namespace partita {

enum class SweepParameter {
  Accelerators,  // how many of the (only) class of accelerators
  Hosts,         // how many of the (only) class of hosts
  Memory,        // bytes of each accelerator
  Bandwidth,     // how many times as fast the links are: transfers cost so many times less
};

struct SweepPoint {
  double parameter = 0;
  std::string label;  // the parameter for people: "4", "16 GiB", "0.5"
  Result result;
  std::size_t devices_used = 0;
};

struct Sweep {
  SweepParameter parameter = SweepParameter::Accelerators;
  std::vector<SweepPoint> points;  // ascending by parameter
  // The first point that no later one beats by more than `worthwhile`. Nothing where that is the last point, as none
  // after it was tried, or where there is no split. The verdict says it in a sentence, and whether it is proved or only
  // what was found.
  std::optional<std::size_t> enough;
  double worthwhile = 0.01;  // a gain, see below
  std::string verdict;

  // By how much time `better` is less than time `worse`, in terms of speed: worse / better - 1. Infinite where there
  // was no split before, 0 where neither has one.
  static double gain(double worse, double better);

  // Speed relative to the first point with a split. Nothing for a point without one.
  std::optional<double> speed_up(std::size_t point) const;
  // Gain over the point before. Nothing for the first, and where one of the two has no split.
  std::optional<double> step_gain(std::size_t point) const;
  // Accelerators: the speed of each of them, relative to those of the first point with a split and at least one of
  // them. 1: twice the devices are twice as fast.
  std::optional<double> efficiency(std::size_t point) const;
};

// Whether more of the parameter never makes the best split worse; see portfolio/sweep.cpp for why.
bool never_hurts(const Problem& problem, SweepParameter parameter);

// Accelerators and hosts: a whole number of devices.
bool counts_devices(SweepParameter parameter);

const char* to_string(SweepParameter parameter);
std::optional<SweepParameter> parse_sweep_parameter(std::string_view text);

}  // namespace partita
