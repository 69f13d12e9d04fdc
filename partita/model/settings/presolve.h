// SPDX-License-Identifier: Apache-2.0
// What can be set about presolve. Meaning, range and when to touch each: describe(), and docs/options.md made of it.
#pragma once

#include "partita/model/settings/field.h"

namespace partita {

struct PresolveSettings {
  bool cheap_neighbour = true;
  bool unaffordable_pair = true;
  bool unaffordable_cut = true;
  bool windows = true;       // needs the closure
  bool window_flows = true;  // minimum cuts between windows
  int window_buckets = 64;   // at first; refined up to kMostRefined times as many
  int window_rounds = 8;     // at most; each costs as much as all other rules together

  static constexpr int kMostRefined = 4;
};

SettingFields describe(PresolveSettings& settings);

}  // namespace partita
