// SPDX-License-Identifier: Apache-2.0
// The options that say how to search, the same for every command that asks for plans.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "partita/portfolio/plan.h"

namespace partita::app {

struct Solving {
  std::string algorithm = "auto";
  double time_limit = 60;
  PlanOptions options;  // but for the algorithm

  PlanOptions plan_options() const;
};

// Behind the message that a limit was reached before any split was found.
inline constexpr const char* kGiveMoreTime = "; more time, with --time-limit, may find one";

// `limit_help` says what --time-limit limits. `solving` must outlive the parsing.
void add_solving_options(CLI::App& command, Solving& solving, const std::string& limit_help);

}  // namespace partita::app
