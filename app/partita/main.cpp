// SPDX-License-Identifier: Apache-2.0
// The `partita` program: parses the command line and runs the one subcommand it names.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/partita/commands.h"
#include "app/partita/interrupt.h"
#include "app/shared/exit_codes.h"
#include "app/shared/help_formatter.h"
#include "app/shared/memory_limit.h"
#include "app/shared/options.h"
#include "app/shared/standard_streams.h"
#include "app/shared/usage_error.h"
#include "partita/util/error.h"
#include "partita/util/version.h"
#include "partita/util/visible_text.h"

namespace {

constexpr const char* kName = "partita";

constexpr const char* kExamples = R"(`partita help COMMAND` describes a command's options.

Examples:
  partita plan model.json --memory 16GiB -o plan.json
  partita check model.json plan.json
  partita simulate model.json plan.json --svg timeline.svg
)";

// CLI11 answers a mistyped command with "A subcommand is required", so that case is told apart here.
std::string command_problem(const CLI::App& program, const CLI::ParseError& error) {
  const auto commands = program.get_subcommands();
  if (!commands.empty()) return partita::app::usage_problem(*commands.front(), error);
  const std::vector<std::string> extras = program.remaining();
  if (!extras.empty() && extras.front().starts_with("-")) return partita::app::usage_problem(program, error);
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  const std::string expected = fmt::format("expected one of {}", fmt::join(names, ", "));
  if (extras.empty()) return "no command given; " + expected;
  const std::string meant = partita::app::did_you_mean(extras.front(), names);
  return fmt::format("'{}' is not a command; {}{}", partita::visible(extras.front()), expected, meant);
}

int fail_usage(const CLI::App& program, const CLI::ParseError& error) {
  const auto commands = program.get_subcommands();
  const std::string path = commands.empty() ? kName : fmt::format("{} {}", kName, commands.front()->get_name());
  partita::app::print_error(path, fmt::format("{}; see `{} --help`", command_problem(program, error), path));
  return static_cast<int>(partita::ErrorKind::Usage);
}

}  // namespace

int main(int argc, char** argv) {
  partita::app::occupy_standard_streams();
  partita::app::handle_signals();
  CLI::App program("Splits a neural network's computation graph over devices: optimally, with proof.", kName);
  program.set_version_flag("--version", fmt::format("{} {}", kName, partita::version()), "Print the version");
  program.set_help_flag("-h,--help", "Print this help");
  program.require_subcommand(1);
  program.footer(kExamples);
  partita::app::use_help_formatter(program, "Exit codes: `partita help exit-codes`");

  partita::app::Action action;
  partita::app::add_plan_command(program, action);
  partita::app::add_check_command(program, action);
  partita::app::add_compare_command(program, action);
  partita::app::add_sweep_command(program, action);
  partita::app::add_simulate_command(program, action);
  partita::app::add_bench_command(program, action);
  partita::app::add_convert_command(program, action);
  partita::app::add_completion_command(program, action);
  partita::app::add_help_command(program, action);

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return partita::app::run_guarded(kName, [&] { return partita::app::print_help(program, success); });
  } catch (const CLI::ParseError& error) {
    return fail_usage(program, error);
  }
  partita::app::limit_memory(partita::app::default_memory_limit());
  return partita::app::run_guarded(kName, action);
}
