// SPDX-License-Identifier: Apache-2.0
// A question, asked so that the answer keeps an engine's rules. What is left to the planner: whole layers and their ends
// (PlanOptions::contract_layers and layer_ends).
#pragma once

#include "partita/model/platform_spec.h"
#include "partita/model/problem.h"
#include "partita/write/engines/engine.h"

namespace partita::detail {

// Leaves out the hosts where the engine has no use for them, or only in the first place, which cannot be asked for; in
// the problem and in `devices`, which describes its platform. Throws InputError(Usage) where the question contradicts the engine's rules: another shape, copies of stages,
// training, more accelerators than it has.
void ask_for_engine(const Engine& engine, Problem& problem, PlatformSpec& devices);

// The ends to ask for. In a row of stages each end is on one device even where the engine would have it otherwise: what
// is computed there costs little, and a device for a mask alone would be none for the engine. Where the graph does not
// say of all weights which layer they are of, the ends are with the layers: parts of these may be among them.
LayerEnds ends_to_ask_for(const EngineRules& rules, const Graph& graph, const WeightNames& weights = {});

}  // namespace partita::detail
