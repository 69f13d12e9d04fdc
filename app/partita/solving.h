// SPDX-License-Identifier: Apache-2.0
// The options that say how to search, the same for every command that asks for plans.
#pragma once

#include <string>

#include "app/shared/command_line.h"
#include "app/shared/memory_limit.h"
#include "partita/portfolio/plan.h"
#include "partita/util/budget.h"

namespace partita::detail::app {

// How many threads the machine can run at once, as far as this process may use it.
int all_cores();

struct Solving {
  std::string algorithm = "auto";
  double time_limit = 60;
  double memory_limit = default_memory_limit();    // bytes
  PlanOptions options = {.threads = all_cores()};  // but for the algorithm

  PlanOptions plan_options() const;
  Budget::Limits limits() const;
};

// Behind the message that a limit was reached before any split was found.
inline constexpr const char* kGiveMoreTime = "; more time, with --time-limit, may find one";

inline constexpr const char* kGiveMoreMemory = "; more memory, with --memory-limit, may find one";

// Of the whole program, in bytes: what a search's tables may take of it.
std::size_t search_memory(double memory_limit);

// "the memory limit of 4 GiB was reached: " and what came of it.
std::string out_of_memory_text(const char* consequence);

// --memory-limit; `bytes` must outlive the parsing.
void add_memory_option(Command& command, double& bytes);

// `limit_help` says what --time-limit limits. `solving` must outlive the parsing.
void add_solving_options(Command& command, Solving& solving, const std::string& limit_help);

}  // namespace partita::detail::app
