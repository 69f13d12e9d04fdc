// SPDX-License-Identifier: Apache-2.0
// The `partita` program: parses the command line and runs the one subcommand it names.
#include <optional>

#include "app/partita/commands.h"
#include "app/partita/interrupt.h"
#include "app/shared/command_line.h"
#include "app/shared/exit_codes.h"
#include "app/shared/memory_limit.h"
#include "app/shared/standard_streams.h"

namespace {

constexpr const char* kExamples = R"(`partita help COMMAND` describes a command's options.

Examples:
  partita plan model.json --memory 16GiB -o plan.json
  partita check model.json plan.json
  partita simulate model.json plan.json --svg timeline.svg
  partita export model.json plan.json --to vllm
)";

int run(int argc, char** argv) {
  partita::detail::app::Program program(
      "partita", "Splits a neural network's computation graph over devices: optimally, with proof.",
      "Exit codes: `partita help exit-codes`");
  program.footer(kExamples);

  partita::detail::app::Action action;
  partita::detail::app::add_plan_command(program, action);
  partita::detail::app::add_check_command(program, action);
  partita::detail::app::add_compare_command(program, action);
  partita::detail::app::add_sweep_command(program, action);
  partita::detail::app::add_simulate_command(program, action);
  partita::detail::app::add_diff_command(program, action);
  partita::detail::app::add_export_command(program, action);
  partita::detail::app::add_split_command(program, action);
  partita::detail::app::add_bench_command(program, action);
  partita::detail::app::add_convert_command(program, action);
  partita::detail::app::add_calibrate_command(program, action);
  partita::detail::app::add_platforms_command(program, action);
  partita::detail::app::add_completion_command(program, action);
  partita::detail::app::add_help_command(program, action);

  if (const std::optional<int> code = program.parse(argc, argv)) return *code;
  partita::detail::app::keep_freed_memory();
  partita::detail::app::limit_memory(partita::detail::app::default_memory_limit());
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  partita::detail::app::occupy_standard_streams();
  partita::detail::app::handle_signals();
  return partita::detail::app::run_guarded("partita", [&] { return run(argc, argv); });
}
