// SPDX-License-Identifier: Apache-2.0
// How wide text may be where it is shown.
#pragma once

#include <cstddef>
#include <optional>

namespace partita::detail::app {

bool is_terminal(int descriptor);

// In columns; nothing if it is no terminal.
std::optional<std::size_t> terminal_width(int descriptor);

// What tables and help are laid out for: the terminal's width, but not less than tables can be read in; where there is
// no terminal, that of a usual one.
std::size_t page_width(int descriptor);

}  // namespace partita::detail::app
