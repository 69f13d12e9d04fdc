// SPDX-License-Identifier: Apache-2.0
// What a workload or a network is called that has no name of its own.
#pragma once

#include <string>

namespace partita::detail {

// "dir/bert.json.gz" is called "bert".
std::string label_of(const std::string& source);

}  // namespace partita::detail
