// SPDX-License-Identifier: Apache-2.0
// How an engine says that it cannot run a plan: the reason, and the option that makes one that it can.
#pragma once

#include <string>

#include "partita/write/engines/engine.h"

namespace partita::detail {

// Throws InputError(Unsupported). `problem` says what is in the way and, behind a semicolon, what to do about it.
[[noreturn]] void refuse_export(const Engine& engine, const std::string& problem);

// The same, with the advice to let the planner keep the engine's rules: "; `partita plan --for vllm` does". `field` is
// what does it too, as in "PlanOptions::contract_layers"; it may be empty.
[[noreturn]] void refuse_plan(const Engine& engine, const std::string& problem, const std::string& field);

}  // namespace partita::detail
