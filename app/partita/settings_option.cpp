// SPDX-License-Identifier: Apache-2.0
#include "app/partita/settings_option.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "partita/util/error.h"
#include "partita/util/text_width.h"

namespace partita::app {
namespace {

constexpr std::string_view kIndent = "      ";  // of what is said about a setting

// Before anything is read, so that a misspelt name is told at once.
std::string problem_with(const std::string& assignment) {
  Settings scratch;
  try {
    set(scratch, assignment);
  } catch (const InputError& error) {
    return error.problem();
  }
  return "";
}

}  // namespace

void add_settings_option(CLI::App& command, Settings& settings) {
  std::vector<std::string> words;
  for (const std::string& name : setting_names()) words.push_back(name + "=");
  CLI::Option* option = command.add_option_function<std::vector<std::string>>(
      "--set",
      [&settings](const std::vector<std::string>& given) {
        for (const std::string& assignment : given) set(settings, assignment);
      },
      "Change one setting of a solver, such as staged.annealing=false; may be given again. For research:\n"
      "partita help settings lists all");
  option->option_text("NAME=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator([](std::string& given) { return problem_with(given); }, ""));
  offers(option, Offer::Kind::Prefix, words);
}

std::string settings_page(std::size_t width) {
  std::string text = wrapped_page(
      "What research may change in the solvers, with --set NAME=VALUE (plan, compare, sweep). No setting can make an "
      "answer wrong: it may take longer, the split may be worse or the proof weaker. plan --stats shows what each "
      "technique takes and gives.\n",
      width);
  Settings defaults;
  for (const SettingGroup& group : describe(defaults)) {
    text += wrapped_page(fmt::format("\n{}: {}\n", group.solver, group.summary), width);
    for (const SettingField& field : group.fields) {
      text += fmt::format("  {}.{}={}\n", group.solver, field.name, field.value());
      const std::string help = fmt::format("{} Range: {}.", field.help, field.range());
      for (const std::string& line : broken_at_spaces(help, width - kIndent.size()))
        text += fmt::format("{}{}\n", kIndent, line);
    }
  }
  return text;
}

}  // namespace partita::app
