// SPDX-License-Identifier: Apache-2.0
// The options that state a problem, the same wherever one is stated: the workload, its platform, objective and shape,
// what is asked for latency alone, and what for pipelines alone: copies of stages, and memory of samples in flight.
#pragma once

#include "app/shared/command_line.h"
#include "partita/ask/question.h"

namespace partita::detail::app {

// The positional argument WORKLOAD is for the command to add, as it words it. `question` must outlive the parsing.
void add_question_options(Command& command, QuestionOptions& question);

// What is read may take half of the program's memory limit: the graph is not all that a search needs.
void read_within_memory_limit(QuestionOptions& question);

}  // namespace partita::detail::app
