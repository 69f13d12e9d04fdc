// SPDX-License-Identifier: Apache-2.0
// The verifier on its own: `partita check` without the rest of the program.
#include <optional>

#include "app/shared/check_command.h"
#include "app/shared/command_line.h"
#include "app/shared/exit_codes.h"
#include "app/shared/memory_limit.h"
#include "app/shared/standard_streams.h"

namespace {

constexpr const char* kExample = R"(Example:
  partita-check model.json plan.json --shape staged
)";

int run(int argc, char** argv) {
  partita::detail::app::Program program("partita-check", partita::detail::app::kCheckSummary,
                                        partita::detail::app::exit_code_table());
  program.footer(kExample);

  partita::detail::app::CheckArguments arguments;
  partita::detail::app::add_check_options(program, arguments);
  if (const std::optional<int> code = program.parse(argc, argv)) return *code;
  partita::detail::app::limit_memory(partita::detail::app::default_memory_limit());
  return partita::detail::app::run_check(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  partita::detail::app::occupy_standard_streams();
  return partita::detail::app::run_guarded("partita-check", [&] { return run(argc, argv); });
}
