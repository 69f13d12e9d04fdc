// SPDX-License-Identifier: Apache-2.0
// One algorithm on one problem, measured.
#pragma once

#include "partita/compare/algorithms.h"
#include "partita/model/comparison.h"

namespace partita::detail {

// Never throws for "no answer": see AlgorithmRun::outcome.
AlgorithmRun run_algorithm(const AlgorithmEntry& algorithm, const Problem& problem, const AlgorithmOptions& options,
                           Budget& budget, const Sink& sink = {});

}  // namespace partita::detail
