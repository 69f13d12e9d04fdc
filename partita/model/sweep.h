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
  Result result;
  std::size_t devices_used = 0;
};

struct Sweep {
  SweepParameter parameter = SweepParameter::Accelerators;
  std::vector<SweepPoint> points;  // ascending by parameter
  // The first point that no later one beats by more than `worthwhile`; nothing where there is no split, or only one
  // point. The verdict says it in a sentence, and whether it is proved or only what was found.
  std::optional<std::size_t> enough;
  double worthwhile = 0.01;  // relative
  std::string verdict;
};

const char* to_string(SweepParameter parameter);
std::optional<SweepParameter> parse_sweep_parameter(std::string_view text);

}  // namespace partita
