// SPDX-License-Identifier: Apache-2.0
// Text in a terminal: how much room it takes there, and how it is made to fit. Text is UTF-8; a broken byte counts as
// one character. All is linear.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace partita::detail {

inline constexpr std::size_t kAnyWidth = 0;  // where text is not to be made to fit

// In columns: one for each character, two for the wide ones of East Asia and emoji, none for combining marks.
std::size_t text_width(std::string_view text);

// The text, or as much of its beginning as has room before the ellipsis.
std::string shortened(std::string_view text, std::size_t width, std::string_view ellipsis = "...");

// The same with the ellipsis in the middle: the end of a name often tells it from its neighbours, "accel... 12".
std::string shortened_inside(std::string_view text, std::size_t width, std::string_view ellipsis = "...");

// Lines of at most `width`, broken at spaces; a longer word has a line of its own. At least one line.
std::vector<std::string> broken_at_spaces(std::string_view text, std::size_t width);

// A sentence made visible() and broken at spaces, each line but the first indented by two. Ends with a newline.
std::string wrapped_text(const std::string& text, std::size_t width);

}  // namespace partita::detail
