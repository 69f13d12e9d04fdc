// SPDX-License-Identifier: Apache-2.0
// The kinds of options, so that every command words, checks and completes them alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/shared/command_line.h"

namespace partita::detail::app {

// The option takes one of these words.
Option choices(Option option, const std::vector<std::string>& names);

// The option takes the name of a type of numbers that operators compute in.
Option arithmetic_type(Option option);

// The option takes a path ("-" where the command allows standard input or output).
Option path(Option option);

// The option takes the path of a folder.
Option folder(Option option);

// The option takes a whole number in [low, high], shown as `text`.
Option whole(Option option, const std::string& text, long long low, long long high);

// The option takes a time as parse_seconds() reads it (partita/read/quantity.h), also "inf"; its variable is a double.
Option seconds(Option option);

// The option takes a fraction in [0, high], "0.01" or "1%"; its variable is a double.
Option fraction(Option option, double high);

// The option takes an amount of memory as parse_bytes() reads it; the option's variable is a double.
Option bytes(Option option);

// The option takes bytes per unit of time: an amount of bytes above 0, or "inf"; its variable is a double.
Option bandwidth(Option option);

}  // namespace partita::detail::app
