// SPDX-License-Identifier: Apache-2.0
// Wishes by their definition, read literally, and random ones. Shares no code with `check`, `reduce` or `solve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "partita/model/problem.h"

namespace partita::detail {

// `device_of` by node index; a number that is none of the platform's devices: the node is nowhere yet, and keeps every wish.
// `original` by device: the one whose nodes it runs, itself if it is no copy; empty: there are no copies.
bool keeps_wishes(const Problem& problem, const std::vector<std::size_t>& device_of,
                  const std::vector<std::size_t>& original = {});

// One to four wishes of all kinds, often met and often not. Always the same for one seed.
Wishes random_wishes(const Workload& workload, std::uint64_t seed);

// For messages: by node and device index.
std::string describe(const Wishes& wishes);

}  // namespace partita::detail
