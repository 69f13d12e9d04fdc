// SPDX-License-Identifier: Apache-2.0
// Checking a split, as `partita check` and as the program `partita-check`.
#pragma once

#include <string>

#include "app/shared/command_line.h"
#include "app/shared/question.h"

namespace partita::detail::app {

struct CheckArguments {
  QuestionOptions question;
  std::string split;        // a path, or "-"
  std::string certificate;  // a path; empty: none
  double certificate_seconds = 60;
  bool ignore_claimed_value = false;
  bool quiet = false;
};

inline constexpr const char* kCheckSummary =
    "Says whether a split of a workload is legal and what it costs, recomputed from the files alone.";

// `arguments` must outlive the parsing.
void add_check_options(Command& command, CheckArguments& arguments);

// Prints the table of devices and the verdict (nothing with `quiet`). Returns 0 for a legal split and a certificate
// that holds, if there is one; the code of ErrorKind::NoSplitFound for a certificate that a limit kept from being
// verified; the code of ErrorKind::IllegalSplit otherwise. Throws InputError where a file or option cannot be used.
int run_check(CheckArguments arguments);

}  // namespace partita::detail::app
