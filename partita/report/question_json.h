// SPDX-License-Identifier: Apache-2.0
// The part of a question that only pipelines have, as fields of a plan or a comparison (docs/formats.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "partita/model/problem.h"

namespace partita {

// Adds replicas, memory_model, microbatches and recompute to an object, each where it is not the default.
void add_pipeline_question(const Problem& problem, nlohmann::ordered_json& object);

}  // namespace partita
