// SPDX-License-Identifier: Apache-2.0
// The verifier on its own: `partita check` without the rest of the program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/shared/check_command.h"
#include "app/shared/exit_codes.h"
#include "app/shared/help_formatter.h"
#include "app/shared/memory_limit.h"
#include "app/shared/options.h"
#include "app/shared/standard_streams.h"
#include "app/shared/usage_error.h"
#include "partita/util/error.h"
#include "partita/util/version.h"

namespace {

constexpr const char* kName = "partita-check";

constexpr const char* kExample = R"(Example:
  partita-check model.json plan.json --shape staged
)";

}  // namespace

int main(int argc, char** argv) {
  partita::app::occupy_standard_streams();
  CLI::App program(partita::app::kCheckSummary, kName);
  program.set_version_flag("--version", fmt::format("{} {}", kName, partita::version()), "Print the version");
  program.set_help_flag("-h,--help", "Print this help");
  program.footer(kExample);
  partita::app::use_help_formatter(program, partita::app::exit_code_table());

  partita::app::CheckArguments arguments;
  partita::app::add_check_options(program, arguments);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return partita::app::run_guarded(kName, [&] { return partita::app::print_help(program, success); });
  } catch (const CLI::ParseError& error) {
    partita::app::print_error(kName,
                              fmt::format("{}; see `{} --help`", partita::app::usage_problem(program, error), kName));
    return static_cast<int>(partita::ErrorKind::Usage);
  }
  partita::app::limit_memory(partita::app::default_memory_limit());
  return partita::app::run_guarded(kName, [&] { return partita::app::run_check(arguments); });
}
