// SPDX-License-Identifier: Apache-2.0
// Writing to the terminal, if there is one.
#pragma once

#include <string>

namespace partita::detail::app {

// A terminal whose cursor can be sent back.
bool can_rewrite_lines(int descriptor);

// On standard error, at once.
void put_error(const std::string& text);

// Rewrites the line that the cursor of standard error is on; what has no room in it is cut, with an ellipsis. An empty
// text takes the line away.
void put_live_line(const std::string& text);

}  // namespace partita::detail::app
