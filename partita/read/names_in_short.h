// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace partita::detail {

// "a, b, c and 12 more": names from files for a one-line message, of which there may be thousands.
std::string names_in_short(const std::vector<std::string>& names);

}  // namespace partita::detail
