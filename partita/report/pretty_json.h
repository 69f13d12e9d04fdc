// SPDX-License-Identifier: Apache-2.0
// JSON laid out for people and for diffs: two spaces of indent, but on one line lists of plain values, objects of up to
// three of them, and objects of plain values in a list, which read like the rows of a table. Numbers keep round-trip
// precision; what is not finite becomes null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace partita::detail {

// Ends with a line end. Text that is not UTF-8 (a name made from a file's name) is mended, never refused.
std::string pretty_json(const nlohmann::ordered_json& value);

// A number of bytes or the like: written without ".0" where it is whole.
nlohmann::ordered_json whole_if_exact(double value);

}  // namespace partita::detail
