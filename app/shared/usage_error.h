// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command line, in one sentence that says what was probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace partita::app {

// "; did you mean staged?", or nothing where no name is near.
std::string did_you_mean(const std::string& given, const std::vector<std::string>& known);

// `command` is the program, or the one of its commands that was named. A misspelt option comes before whatever else is
// wrong, as that is often no more than what follows from it; it is named alone.
std::string usage_problem(const CLI::App& command, const CLI::ParseError& error);

}  // namespace partita::app
