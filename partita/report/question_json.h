// SPDX-License-Identifier: Apache-2.0
// Questions as fields of plans, comparisons and simulations (docs/formats.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "partita/model/problem.h"

namespace partita::detail {

// Adds what is asked to an object: for latency objective, subgraphs and host_cores; else objective, shape, transfers,
// backward_shape and what pipelines have.
void add_question(const Problem& problem, nlohmann::ordered_json& object);

// Adds time_unit to an object, where the workload says it.
void add_time_unit(const Problem& problem, nlohmann::ordered_json& object);

// Adds replicas, memory_model, microbatches and recompute to an object, each where it is not the default.
void add_pipeline_question(const Problem& problem, nlohmann::ordered_json& object);

}  // namespace partita::detail
