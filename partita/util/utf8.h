// SPDX-License-Identifier: Apache-2.0
// Text from outside may be no UTF-8 at all: this tells, character by character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace partita::detail {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no valid UTF-8 starts here
};

// The character that the text starts with. As in the Unicode standard, table 3-7: no overlong forms, no surrogates.
// Precondition: the text is not empty.
Character first_character(std::string_view text);

}  // namespace partita::detail
