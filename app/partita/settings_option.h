// SPDX-License-Identifier: Apache-2.0
// --set solver.name=value, and the page that lists what can be set.
#pragma once

#include <cstddef>
#include <string>

#include "app/shared/command_line.h"
#include "partita/model/settings.h"

namespace partita::detail::app {

// `settings` must outlive the parsing.
void add_settings_option(Command& command, Settings& settings);

// Every setting with its default, range and help: `partita help settings`. No line is wider than this, but for names.
std::string settings_page(std::size_t width);

}  // namespace partita::detail::app
