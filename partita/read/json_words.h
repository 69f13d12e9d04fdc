// SPDX-License-Identifier: Apache-2.0
// Telling formats apart by the beginning of a file, before any of it is parsed.
#pragma once

#include <string_view>

namespace partita::detail {

// Is it an object of JSON, as far as one can tell, in which a field has this name?
bool json_has_word(std::string_view beginning, std::string_view name);

}  // namespace partita::detail
