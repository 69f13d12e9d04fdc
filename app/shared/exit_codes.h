// SPDX-License-Identifier: Apache-2.0
// One table of exit codes for both programs, and the one place where an exception becomes a line and a code.
#pragma once

#include <functional>
#include <string>

namespace partita::app {

// The table as help shows it: a heading and one line per code.
std::string exit_code_table();

// The text on one line: line ends and tabs become spaces, as messages quote file names and the like.
std::string one_line(const std::string& text);

// Writes "PROGRAM: message" as one line on stderr.
void print_error(const std::string& program, const std::string& message);

// Runs `body` and returns its exit code; what it throws becomes one line on stderr and the code of its kind.
int run_guarded(const std::string& program, const std::function<int()>& body);

}  // namespace partita::app
