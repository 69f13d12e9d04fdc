// SPDX-License-Identifier: Apache-2.0
// What users say of where nodes are to be, in their words: pinned, together, apart (docs/wishes.md).
#pragma once

#include <string>
#include <vector>

#include "partita/model/problem.h"

namespace partita::detail {

struct WishOptions {
  std::vector<std::string> pins;      // "NODE=DEVICE"
  std::vector<std::string> together;  // "NODE,NODE,..."
  std::vector<std::string> apart;     // the same
};

// What they say of the workload, which messages call `source`. Throws InputError(Usage) for nodes and devices that it does
// not have.
Wishes read_wishes(const WishOptions& options, const Workload& workload, const std::string& source);

}  // namespace partita::detail
