// SPDX-License-Identifier: Apache-2.0
// What moves over the shared links of a platform, read off the definition of docs/formats.md, for the brute forces. Shares
// no code with `check`, `reduce` or `solve`.
#pragma once

#include <cstddef>
#include <vector>

#include "partita/model/problem.h"
#include "tests/support/transfers.h"

namespace partita::detail {

struct LinkLoad {
  double forward = 0;
  double backward = 0;
};

// One for each link, and for each cluster where it is a level's. `device_of` by node; `runs` by device: whose nodes it
// runs, its own number if its own.
std::vector<LinkLoad> shared_link_loads(const Problem& problem, const std::vector<std::size_t>& device_of,
                                        const std::vector<std::size_t>& runs);

}  // namespace partita::detail
