// SPDX-License-Identifier: Apache-2.0
// What `plan --stats` prints: the techniques, those that took longest first.
#pragma once

#include <string>

#include "partita/util/statistics.h"

namespace partita::detail::app {

// Shares are of `seconds`, the whole search.
std::string statistics_table(const Statistics& statistics, double seconds);

}  // namespace partita::detail::app
