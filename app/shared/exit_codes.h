// SPDX-License-Identifier: Apache-2.0
// One table of exit codes for both programs, and the one place where an exception becomes a line and a code.
#pragma once

#include <functional>
#include <string>

namespace partita::detail::app {

// The table as help shows it: a heading and one line per code.
std::string exit_code_table();

// Writes "PROGRAM: message" as one line on stderr, whatever names the message quotes.
void print_error(const std::string& program, const std::string& message);

// Runs `body` and returns its exit code; what it throws becomes one line on stderr and the code of its kind.
int run_guarded(const std::string& program, const std::function<int()>& body);

}  // namespace partita::detail::app
