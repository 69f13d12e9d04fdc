// SPDX-License-Identifier: Apache-2.0
// A sweep as versioned JSON (docs/formats.md).
#pragma once

#include <cstdint>
#include <string>

#include "partita/model/sweep.h"

namespace partita::detail {

struct SweepJsonOptions {
  double time_limit = 0;  // seconds for each point; infinite: none
  std::uint64_t seed = 1;
};

// `problem` as it was before anything was varied.
std::string sweep_json(const Problem& problem, const Sweep& sweep, const SweepJsonOptions& options);

}  // namespace partita::detail
