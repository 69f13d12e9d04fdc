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

}  // namespace

int main(int argc, char** argv) {
  partita::app::occupy_standard_streams();
  partita::app::Program program("partita-check", partita::app::kCheckSummary, partita::app::exit_code_table());
  program.footer(kExample);

  partita::app::CheckArguments arguments;
  partita::app::add_check_options(program, arguments);
  if (const std::optional<int> code = program.parse(argc, argv)) return *code;
  partita::app::limit_memory(partita::app::default_memory_limit());
  return partita::app::run_guarded(program.name(), [&] { return partita::app::run_check(arguments); });
}
