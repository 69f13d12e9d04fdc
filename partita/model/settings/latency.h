// SPDX-License-Identifier: Apache-2.0
// What can be set about splits for latency. Meaning, range and when to touch each: describe(), and docs/options.md made
// of it.
#pragma once

#include "partita/model/settings/field.h"

namespace partita {

struct LatencySettings {
  bool annealing = true;
  bool spines = true;
  bool spine_suggestions = true;
  bool labels = true;
  bool tolls = true;
  bool packing = true;
  bool pairs = true;
  bool branching = true;
  std::uint64_t most_orders = 400;
  std::uint64_t longest_run = 2'000'000;
  double run_growth = 1.25;
  std::uint64_t spine_states = 400;    // of one module
  std::uint64_t spine_detail = 4'000;  // the same where nothing else helps
  std::uint64_t split_share = 2;       // where proofs are out of reach, splits still get better
  double turn_growth = 1.3;
};

SettingFields describe(LatencySettings& settings);

}  // namespace partita
