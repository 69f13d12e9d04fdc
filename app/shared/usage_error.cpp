// SPDX-License-Identifier: Apache-2.0
#include "app/shared/usage_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/util/nearest_name.h"
#include "partita/util/visible_text.h"

namespace partita::app {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace

std::string did_you_mean(const std::string& given, const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = nearest_name(given, known);
  return nearest ? fmt::format("; did you mean {}?", *nearest) : "";
}

std::string usage_problem(const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> extras = command.remaining();
  const auto option =
      std::ranges::find_if(extras, [](const std::string& extra) { return extra.size() > 1 && extra.front() == '-'; });
  if (option != extras.end()) {
    const std::string name = option->substr(0, option->find('='));
    return fmt::format("{}: no such option{}", visible(name), did_you_mean(name, option_names(command)));
  }
  if (!extras.empty() && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
    return fmt::format("'{}' is one argument too many", visible(extras.front()));
  return error.what();
}

}  // namespace partita::app
