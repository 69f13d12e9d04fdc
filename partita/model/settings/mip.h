// SPDX-License-Identifier: Apache-2.0
// What can be set about integer programs. Meaning, range and when to touch each: describe(), and docs/options.md made
// of it.
#pragma once

#include "partita/model/settings/field.h"

namespace partita {

struct MipSettings {
  std::string backend = "auto";
  bool preprocessing = true;
  bool cuts = true;
  bool heuristics = true;
  bool start = true;
  bool objective_limit = true;
  int ordered_ranks = 3;  // with symmetry rows, for each device of a class
  std::uint64_t largest_program = 200'000;
};

SettingFields describe(MipSettings& settings);

}  // namespace partita
