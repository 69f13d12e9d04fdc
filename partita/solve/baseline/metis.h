// SPDX-License-Identifier: Apache-2.0
// METIS as a baseline [Karypis-Kumar-JPDC'98]: multilevel k-way partitioning of the groups, balanced by compute time to
// within 3 % (with several classes, by the speed of their devices), with the least sum of edges cut. partition.h says
// what the graph is. The paper does not compare with it; others place models with it. A seed gives the same split each
// time.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// Whether this build has METIS.
bool metis_available();

// Nothing as in partition.h. The split may be illegal: ask `check`. Throws InputError(Unsupported) without METIS.
std::optional<Split> metis_split(const Problem& problem, std::uint64_t seed);

}  // namespace partita::detail
