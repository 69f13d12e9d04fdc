// SPDX-License-Identifier: Apache-2.0
// What people must know before they believe the numbers of a split.
#pragma once

#include <string>
#include <vector>

#include "partita/check/check.h"

namespace partita {

// A line each, without a full stop at the end: what the reader found odd in the input.
std::vector<std::string> warnings(const Problem& problem, const CheckReport& report);

}  // namespace partita
