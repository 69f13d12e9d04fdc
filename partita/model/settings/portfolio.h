// SPDX-License-Identifier: Apache-2.0
// What can be set about the portfolios: who is asked, and for how much of the time. Meaning, range and when to touch
// each: describe(), and docs/options.md made of it.
#pragma once

#include "partita/model/settings/field.h"

namespace partita {

struct PortfolioSettings {
  bool staged_start = true;
  bool convex_bound = true;
  bool free_bound = true;
  bool every_split = true;
  bool integer_program = true;
  bool simpler_question = true;
  double start_share = 0.25;  // all shares: of the time that is left
  double latency_start_share = 0.05;
  double contiguous_share = 0.3;
  double convex_bound_share = 0.85;
  double free_bound_share = 0.25;
  double flat_clusters_share = 0.25;
  double few_samples_share = 0.5;
  double ip_start_share = 0.25;
};

SettingFields describe(PortfolioSettings& settings);

}  // namespace partita
