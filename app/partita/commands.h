// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each add_* declares its options and, once the command line has been parsed and names it, leaves what
// is to be done in `action`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace partita::app {

using Action = std::function<int()>;  // returns the exit code; may throw InputError

void add_plan_command(CLI::App& program, Action& action);
void add_check_command(CLI::App& program, Action& action);
void add_compare_command(CLI::App& program, Action& action);
void add_sweep_command(CLI::App& program, Action& action);
void add_simulate_command(CLI::App& program, Action& action);
void add_bench_command(CLI::App& program, Action& action);
void add_convert_command(CLI::App& program, Action& action);
void add_completion_command(CLI::App& program, Action& action);
// After the others, which are what it can describe.
void add_help_command(CLI::App& program, Action& action);

}  // namespace partita::app
