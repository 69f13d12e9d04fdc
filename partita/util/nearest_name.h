// SPDX-License-Identifier: Apache-2.0
// What somebody may have meant who misspelt a name: a field of a file, an option.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::detail {

// The one of `known` that `given` differs least from, where it is near enough to be meant: up to three letters left
// out, added, changed or swapped with their neighbour, fewer in short names. Capital letters count as small ones, so a
// name that differs in these alone is the nearest of all. The first of those that are equally near. O(names *
// length^2).
std::optional<std::string> nearest_name(std::string_view given, const std::vector<std::string>& known);

}  // namespace partita::detail
