// SPDX-License-Identifier: Apache-2.0
// Scotch as a baseline [Pellegrini-Roman-HPCN'96]: the groups mapped onto the accelerators, balanced by compute time,
// with little traffic between them. partition.h says what the graph is.
//
// The library is called as the paper calls the program `gpart`: a complete target architecture with one vertex per
// accelerator, and the default strategy; with several classes its vertices are weighted by their speed. Its versions
// differ in their choices, so values come near the paper's but do not equal them. One thread and the deterministic
// mode: a seed gives the same split each time.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// Whether this build has Scotch.
bool scotch_available();

// Nothing as in partition.h. The split may be illegal: ask `check`. Throws InputError(Unsupported) without Scotch.
std::optional<Split> scotch_split(const Problem& problem, std::uint64_t seed);

}  // namespace partita::detail
