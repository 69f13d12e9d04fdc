// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each add_* declares its options and, once the command line has been parsed and names it, leaves what
// is to be done in `action`.
#pragma once

#include <functional>

#include "app/shared/command_line.h"

namespace partita::detail::app {

using Action = std::function<int()>;  // returns the exit code; may throw InputError

void add_plan_command(Command& program, Action& action);
void add_check_command(Command& program, Action& action);
void add_compare_command(Command& program, Action& action);
void add_sweep_command(Command& program, Action& action);
void add_simulate_command(Command& program, Action& action);
void add_diff_command(Command& program, Action& action);
void add_export_command(Command& program, Action& action);
void add_split_command(Command& program, Action& action);
void add_bench_command(Command& program, Action& action);
void add_convert_command(Command& program, Action& action);
void add_calibrate_command(Command& program, Action& action);
void add_platforms_command(Command& program, Action& action);
void add_completion_command(Command& program, Action& action);
// After the others, which are what it can describe.
void add_help_command(Command& program, Action& action);

}  // namespace partita::detail::app
