// SPDX-License-Identifier: Apache-2.0
// What can be set about staged splits. Meaning, range and when to touch each: describe(), and docs/options.md made of
// it.
#pragma once

#include "partita/model/settings/field.h"

namespace partita {

struct StagedSettings {
  bool annealing = true;
  bool window_search = true;
  bool two_orders = true;
  bool coarse_splits = true;
  bool windows = true;  // of the exact search; those of presolve are switched there
  bool shrink = true;
  bool boundaries = true;
  bool host_cases = true;
  bool convex_sets = true;
  int first_orders = 16;
  int orders_per_failure = 4;
  int bisections = 12;                    // 0: none
  int search_buckets = 256;               // finer than presolve's: the search looks through the windows at every step
  std::uint64_t first_moves = 200'000;    // of the first annealing
  std::uint64_t first_slice = 5'500'000;  // ticks: a second or so
};

SettingFields describe(StagedSettings& settings);

}  // namespace partita
