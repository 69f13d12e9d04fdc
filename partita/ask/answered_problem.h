// SPDX-License-Identifier: Apache-2.0
// The problem that a plan answers: as the plan states it, where the options do not say otherwise.
#pragma once

#include <optional>
#include <string>

#include "partita/ask/question.h"
#include "partita/check/listed_split.h"
#include "partita/read/split.h"

namespace partita::detail {

// A plan as it was given, or another file with a split.
struct PlanFile {
  std::string bytes;
  std::string source;                     // for messages
  std::optional<PlanQuestion> says = {};  // nothing for a file that says nothing of its question
};

// `workload` and `plan` are the arguments of a command. With the first alone, it is the plan, and the plan names its model,
// by a path from here or from the folder of the plan; both are then set. Throws InputError.
PlanFile read_plan_file(std::string& workload, std::string& plan);

// Throws InputError where the plan says that it is for another graph than that of `workload`, a path.
void require_same_graph(const PlanFile& plan, const Graph& graph, const std::string& workload);

struct AnsweredProblem {
  Problem problem;
  ModelOptions model;  // how a model file was read: as the options say, and else the plan
  // Whoever believes the workload's file must know: the plan is for other devices than it names. Empty: it is not.
  std::string other_devices;
  // What the options change of the plan's question, in fields (option_names.h). Empty: nothing.
  std::string overridden;
};

// What the plan does not say is as the options and their defaults say. Throws InputError, also where the plan is for another
// graph than the workload's.
AnsweredProblem read_answered_problem(const QuestionOptions& options, const PlanFile& plan);

// The split of the plan, which is legal for the problem. Throws InputError.
ListedSplit planned_split(const Problem& problem, const PlanFile& plan);

}  // namespace partita::detail
