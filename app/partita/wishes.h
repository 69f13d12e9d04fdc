// SPDX-License-Identifier: Apache-2.0
// Options by which users say where nodes are to be: --pin, --together, --apart (docs/wishes.md).
#pragma once

#include <string>
#include <vector>

#include "app/shared/command_line.h"
#include "partita/model/problem.h"

namespace partita::detail::app {

struct WishOptions {
  std::vector<std::string> pins;      // "NODE=DEVICE"
  std::vector<std::string> together;  // "NODE,NODE,..."
  std::vector<std::string> apart;     // the same
};

// `wishes` must outlive the parsing.
void add_wish_options(Command& command, WishOptions& wishes);

// What they say of the workload, which messages call `source`. Throws InputError(Usage) for nodes and devices that it does
// not have.
Wishes read_wishes(const WishOptions& options, const Workload& workload, const std::string& source);

}  // namespace partita::detail::app
