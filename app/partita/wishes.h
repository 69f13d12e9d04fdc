// SPDX-License-Identifier: Apache-2.0
// Options by which users say where nodes are to be: --pin, --together, --apart (docs/wishes.md).
#pragma once

#include "app/shared/command_line.h"
#include "partita/ask/wishes.h"

namespace partita::detail::app {

// `wishes` must outlive the parsing.
void add_wish_options(Command& command, WishOptions& wishes);

}  // namespace partita::detail::app
