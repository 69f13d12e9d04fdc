// SPDX-License-Identifier: Apache-2.0
// The options that say what a model file leaves open, and what its operators cost: the same wherever a workload is asked for.
#pragma once

#include "app/shared/command_line.h"
#include "partita/ask/model_options.h"

namespace partita::detail::app {

// `options` must outlive the parsing.
void add_model_options(Command& command, ModelOptions& options);

}  // namespace partita::detail::app
