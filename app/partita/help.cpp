// SPDX-License-Identifier: Apache-2.0
// `partita help [TOPIC]`: a command's page, as its --help shows it, the table of exit codes or the list of settings.
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "app/partita/commands.h"
#include "app/partita/output.h"
#include "app/partita/settings_option.h"
#include "app/shared/exit_codes.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/terminal_width.h"

namespace partita::detail::app {
namespace {

constexpr const char* kExitCodes = "exit-codes";
constexpr const char* kSettings = "settings";

std::string page_of(const Command& program, const std::string& topic) {
  if (topic == kExitCodes) return wrapped_page(exit_code_table(), page_width(STDOUT_FILENO));
  if (topic == kSettings) return settings_page(page_width(STDOUT_FILENO));
  for (const Command& command : program.subcommands()) {
    if (command.name() == topic) return command.help();
  }
  return program.help();
}

}  // namespace

void add_help_command(Command& program, Action& action) {
  Command command = program.add_subcommand("help", "Describe a command, the exit codes or the settings");
  auto topic = std::make_shared<std::string>();
  std::vector<std::string> topics;
  for (const Command& other : program.subcommands()) topics.push_back(other.name());
  topics.emplace_back(kExitCodes);
  topics.emplace_back(kSettings);
  choices(
      command.add_option("TOPIC", *topic, "A command, exit-codes or settings; without one, the commands are listed"),
      topics);
  command.footer("Examples:\n  partita help plan\n  partita help exit-codes\n  partita help settings\n");
  command.callback([&program, &action, topic] {
    action = [&program, topic] {
      Output("-").write(page_of(program, *topic));
      return 0;
    };
  });
}

}  // namespace partita::detail::app
