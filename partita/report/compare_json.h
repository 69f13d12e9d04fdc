// SPDX-License-Identifier: Apache-2.0
// Comparisons as versioned JSON (docs/formats.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partita/model/comparison.h"

namespace partita {

struct CompareJsonOptions {
  double time_limit = 0;  // seconds for each algorithm; infinite: none
  std::uint64_t seed = 1;
  bool times = true;
};

// Precondition: there is a comparison, and all are of one question but for the workload, which is that of `question`.
std::string compare_json(const Problem& question, const std::vector<Comparison>& comparisons,
                         const CompareJsonOptions& options);

}  // namespace partita
