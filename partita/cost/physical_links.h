// SPDX-License-Identifier: Apache-2.0
// A physical platform's links are in seconds per byte; those of a workload multiply the costs of its edges. The costs are made
// for the fastest link, so that its factor is 1 and those of the others say how many times slower they are.
#pragma once

#include "partita/model/platform.h"

namespace partita::detail {

inline constexpr double kUnitsPerSecond = 1e3;  // workloads made of networks are in ms

// In ms per byte, of the fastest link of an accelerator; 1 where there is none.
double cost_of_a_byte(const Platform& physical);

// The same devices with links as factors of that.
Platform with_relative_links(const Platform& physical);

}  // namespace partita::detail
