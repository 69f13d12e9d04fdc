// SPDX-License-Identifier: Apache-2.0
// What can be set about staged splits on any devices. Meaning, range and when to touch each: describe(), and
// docs/options.md made of it.
#pragma once

#include "partita/model/settings/field.h"

namespace partita {

struct SetupSettings {
  bool relaxation = true;
  bool both_ends = true;
  bool windows = true;  // of the exact search; those of presolve are switched there
  int first_orders = 8;
  int orders_per_failure = 2;
  int bisections = 12;  // 0: none
  int search_buckets = 256;
  std::uint64_t first_slice = 10'000'000;  // ticks
  std::uint64_t line_ticks = 20'000'000;
};

SettingFields describe(SetupSettings& settings);

}  // namespace partita
