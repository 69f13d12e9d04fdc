// SPDX-License-Identifier: Apache-2.0
// What --vary says: "accelerators=1..8", "memory=4GiB..32GiB:4GiB", "bandwidth=0.5,1,2".
#pragma once

#include <string>
#include <vector>

#include "partita/model/sweep.h"

namespace partita::detail::app {

struct Variation {
  SweepParameter parameter = SweepParameter::Accelerators;
  std::vector<double> values;  // ascending, each once
};

// Throws InputError(Usage), which says what was found and what is expected.
Variation parse_variation(const std::string& text);

}  // namespace partita::detail::app
