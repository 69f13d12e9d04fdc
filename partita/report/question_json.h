// SPDX-License-Identifier: Apache-2.0
// Questions as fields of plans, comparisons and simulations (docs/formats.md).
#pragma once

#include "partita/model/problem.h"
#include "partita/util/json_writer.h"

namespace partita::detail {

// Adds what is asked to an object: for latency objective, subgraphs and host_cores; else objective and the fields of
// add_throughput_question.
void add_question(const Problem& problem, JsonWriter& json);

// Adds shape, transfers and backward_shape; replicas, memory_model, microbatches and recompute, each where it is not the
// default.
void add_throughput_question(const Problem& problem, JsonWriter& json);

}  // namespace partita::detail
