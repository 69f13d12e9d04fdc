// SPDX-License-Identifier: Apache-2.0
// Settings of engines, for the commands that write or show them.
#pragma once

#include <string>
#include <vector>

#include "app/shared/model_options.h"
#include "partita/write/engines/engine.h"

namespace partita::detail::app {

// For --to and --for.
std::vector<std::string> engine_names();

// "vLLM: environment and command line", a line each, for --help.
std::string engine_lines();

// What the model's file calls the weights of each node; empty where the input is no model.
WeightNames weight_names(const std::string& path, const ModelOptions& model, const Workload& workload);

// What a plan that was made for an engine ends with: its settings where they are short, else the command that writes
// them. `input` is the model's file, `plan` the one that the plan goes to, which may be empty.
std::string settings_text(const Engine& engine, const std::string& input, const std::string& plan,
                          const ExportRequest& request);

}  // namespace partita::detail::app
