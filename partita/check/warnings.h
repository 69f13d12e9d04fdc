// SPDX-License-Identifier: Apache-2.0
// What people must know before they believe the numbers of a split.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "partita/check/check.h"

namespace partita::detail {

// A line each, without a full stop at the end: what the reader found odd in the input, times that are mostly guessed,
// and memory that the question counts but the input does not tell.
std::vector<std::string> warnings(const Problem& problem, const CheckReport& report);

// The same for a split at work, with at most so many samples in flight at once on some device: also memory that the
// question does not count.
std::vector<std::string> simulation_warnings(const Problem& problem, const CheckReport& report,
                                             std::size_t most_in_flight);

}  // namespace partita::detail
