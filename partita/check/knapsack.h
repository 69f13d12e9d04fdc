// SPDX-License-Identifier: Apache-2.0
// The most that fits, if things may be divided: never less than what fits whole.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "partita/util/wide_int.h"

namespace partita::detail {

// Of items (load, worth), neither of them negative: the most worth of any part of them whose load is at most `limit`,
// rounded up.
WideInt most_that_fits(std::vector<std::pair<std::int64_t, std::int64_t>> items, std::int64_t limit);

}  // namespace partita::detail
