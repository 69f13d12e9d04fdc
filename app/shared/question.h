// SPDX-License-Identifier: Apache-2.0
// The options that state a problem, the same wherever one is stated: the workload, its platform, objective and shape,
// and what is asked for latency alone.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "partita/model/problem.h"
#include "partita/read/workload.h"

namespace partita::app {

struct Question {
  std::string workload;  // a path, or "-"
  PlatformOverrides platform;
  std::string objective = "throughput";
  std::string shape = "staged";
  std::string transfers = "sum";
  bool backward_shape = false;
  std::optional<int> subgraphs;           // latency only
  std::optional<std::string> host_cores;  // latency only
};

// The positional argument WORKLOAD is for the command to add, as it words it. `question` must outlive the parsing.
void add_question_options(CLI::App& command, Question& question);

// Reads the workload; throws InputError.
Problem read_problem(const Question& question);

}  // namespace partita::app
