// SPDX-License-Identifier: Apache-2.0
// Two classes of hosts more: random platforms seldom have several.
#pragma once

#include <cstdint>
#include <string>

#include "partita/model/workload.h"

namespace partita::detail::test {

// Each is faster for some nodes and slower for others, and runs nearly all of them.
inline void add_more_hosts(Workload& workload, std::uint64_t seed) {
  for (std::uint64_t i = 0; i < 2; ++i) {
    workload.platform.classes.push_back({"more" + std::to_string(i), DeviceKind::Host, 1 + static_cast<int>(seed % 2)});
    for (Node& node : workload.graph.nodes) {
      const std::uint64_t draw = seed * 31 + static_cast<std::uint64_t>(node.original_id) * 17 + i * 5;
      node.time.push_back(draw % 11 == 0 ? kCannotRun : static_cast<double>(draw % 7));
    }
  }
}

}  // namespace partita::detail::test
