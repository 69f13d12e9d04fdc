// SPDX-License-Identifier: Apache-2.0
// What research may want to change in the solvers: switches that turn one technique off, shares of the time, sizes.
// Each solver has a struct of its own in settings/, whose defaults are what is best known; nobody needs to touch any of
// it to get an answer, and no setting can make an answer wrong, only slower, or its proof weaker.
//
// From describe() come `--set solver.name=value`, `partita help settings`, what a plan records, and docs/options.md.
// Tests: tests/model/settings_test.cpp, tests/property/plan_test.cpp, tests/cli/test_settings.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partita/model/settings/free.h"
#include "partita/model/settings/latency.h"
#include "partita/model/settings/mip.h"
#include "partita/model/settings/portfolio.h"
#include "partita/model/settings/presolve.h"
#include "partita/model/settings/setups.h"
#include "partita/model/settings/staged.h"

namespace partita {

struct Settings {
  PresolveSettings presolve;
  StagedSettings staged;
  SetupSettings setups;
  FreeSettings free;
  LatencySettings latency;
  MipSettings mip;
  PortfolioSettings portfolio;
};

struct SettingGroup {
  std::string solver;   // "staged"
  std::string summary;  // what it is about, in one line
  SettingFields fields;
};

// All that there is, with the values of `settings`, which must outlive what is returned.
std::vector<SettingGroup> describe(Settings& settings);

// The full names: "staged.annealing".
std::vector<std::string> setting_names();

// Sets one, given as "staged.annealing=false". Throws InputError(Usage), whose problem() names the nearest setting or
// the range.
void set(Settings& settings, std::string_view assignment);

// Those that differ from their defaults, under their full names. The fields point into `settings`.
SettingFields changed(Settings& settings);

}  // namespace partita
