// SPDX-License-Identifier: Apache-2.0
// Bytes to a JSON tree, with errors that say where.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace partita {

// Gzip is recognised by content; a UTF-8 byte order mark is skipped. Throws InputError: NotJson with line and column
// for a syntax error, BadNumber for NaN, Infinity and numbers beyond a double, BadField for a key given twice.
nlohmann::json parse_json(std::string_view bytes, const std::string& source);

}  // namespace partita
