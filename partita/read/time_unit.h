// SPDX-License-Identifier: Apache-2.0
// The unit of a file's times, where the file says it: "ms", or "ms and bytes" as in measured graphs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace partita::detail {

// "ns", "us", "ms" or "s", from any usual way to write it, with units of sizes beside it or not. Nothing for anything
// else, and for two units of time that differ.
std::optional<std::string> time_unit(std::string_view text);

}  // namespace partita::detail
