// SPDX-License-Identifier: Apache-2.0
// What is known about the terminal, if there is one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace partita::app {

bool is_terminal(int descriptor);

// In characters; nothing if it is no terminal.
std::optional<std::size_t> terminal_width(int descriptor);

// On standard error, at once.
void put_error(const std::string& text);

// Rewrites the line that the cursor of standard error is on, cut to its width. An empty text takes the line away.
void put_live_line(const std::string& text);

}  // namespace partita::app
