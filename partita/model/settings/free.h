// SPDX-License-Identifier: Apache-2.0
// What can be set about free splits. Meaning, range and when to touch each: describe(), and docs/options.md made of it.
#pragma once

#include "partita/model/settings/field.h"

namespace partita {

struct FreeSettings {
  bool volume_bound = true;
  bool configuration_lp = true;
  bool shrink = true;
  bool dives = true;
  bool pair_resplit = true;
  double pair_share = 0.2;  // ticks for pairs, for each proposal of the last run
  double split_share = 2;   // turns of the search, to those of the bound
  double share_when_stagnating = 0.5;
  std::uint64_t first_turn = 50'000;  // ticks: a hundredth of a second or so
  double turn_growth = 1.3;
  std::uint64_t widest_layer = 20'000;    // of the trellis
  std::uint64_t most_states = 4'000'000;  // of the trellis
};

SettingFields describe(FreeSettings& settings);

}  // namespace partita
