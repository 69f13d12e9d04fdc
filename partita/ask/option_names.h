// SPDX-License-Identifier: Apache-2.0
// The library speaks of fields ("Question::shape = free"), the command line of options ("--shape free").
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "partita/model/result.h"

namespace partita::detail {

// Fields of the library that its texts name, and the options of the command line that set them; a field may stand with a
// value behind " = ". No field begins like one before it. For programs that call them something else.
std::span<const std::pair<std::string_view, std::string_view>> field_options();

// The text with every field that has an option named by it.
std::string in_options(std::string text);

// The same for what a result says to people.
void put_in_options(Result& result);

}  // namespace partita::detail
