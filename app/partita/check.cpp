// SPDX-License-Identifier: Apache-2.0
// `partita check WORKLOAD SPLIT`: the same as the separate program partita-check.
#include <memory>
#include <string>

#include "app/partita/commands.h"
#include "app/shared/check_command.h"

namespace partita::detail::app {

void add_check_command(Command& program, Action& action) {
  Command command = program.add_subcommand("check", "Say whether a split of a workload is legal and what it costs");
  auto arguments = std::make_shared<CheckArguments>();
  add_check_options(command, *arguments);
  command.footer("Example:\n  partita check model.json plan.json --shape staged\n");
  command.callback([&action, arguments] { action = [arguments] { return run_check(*arguments); }; });
}

}  // namespace partita::detail::app
