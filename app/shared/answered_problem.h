// SPDX-License-Identifier: Apache-2.0
// The problem that a plan answers: as the plan states it, where the options do not say otherwise.
#pragma once

#include <optional>
#include <string>

#include "app/shared/question.h"
#include "partita/read/split.h"

namespace partita::detail::app {

struct AnsweredProblem {
  Problem problem;
  // Whoever believes the workload's file must know: the plan is for other devices than it names. Empty: it is not.
  std::string other_devices;
  // What the options change of the plan's question. Empty: nothing.
  std::string overridden;
};

// `plan` is what the plan's file says of its question; nothing for a file that says none of it, which leaves the
// options and their defaults. Throws InputError.
AnsweredProblem read_answered_problem(const QuestionOptions& options, const std::optional<PlanQuestion>& plan);

}  // namespace partita::detail::app
