// SPDX-License-Identifier: Apache-2.0
#include "app/partita/settings_option.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <vector>

#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "partita/util/error.h"
#include "partita/util/text_width.h"

namespace partita::detail::app {
namespace {

constexpr std::string_view kIndent = "      ";  // of what is said about a setting

// What is wrong with it, or nothing.
std::string complaint_about(Settings& settings, const std::string& assignment) {
  try {
    set(settings, assignment);
  } catch (const InputError& error) {
    return error.problem();
  }
  return "";
}

}  // namespace

void add_settings_option(Command& command, Settings& settings) {
  std::vector<std::string> words;
  for (const std::string& name : setting_names()) words.push_back(name + "=");
  const auto given = std::make_shared<std::vector<std::string>>();  // lives as long as the check, and so the option
  command
      .add_option("--set", *given,
                  "Change one setting of a solver, such as staged.annealing=false; may be given again. For research:\n"
                  "partita help settings lists all")
      .checked("NAME=VALUE", [&settings, given](std::string& one) { return complaint_about(settings, one); })
      .allow_extra_args(false)
      .offers(Offer::Kind::Prefix, words);
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

}  // namespace partita::detail::app
