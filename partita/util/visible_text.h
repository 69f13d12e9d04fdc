// SPDX-License-Identifier: Apache-2.0
// Text from files and arguments, made safe to print. A name may hold anything: an escape sequence that repaints the
// terminal, a line end that forges a second message, bytes that are no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace partita::detail {

// The text with everything that is not a printable character written out: "\n", "\t", "\x1b" for control characters and
// for bytes that are no valid UTF-8, "\u202e" for characters that break lines or turn the direction of writing. All
// other text stays as it is, so the result is one line of valid UTF-8. Linear.
std::string visible(std::string_view text);

// Longer names are cut where they are shown among others.
inline constexpr std::size_t kLongestShownName = 48;

// The same, cut behind its first `longest` bytes or a little before, between characters; "..." then follows.
std::string visible(std::string_view text, std::size_t longest);

}  // namespace partita::detail
