// SPDX-License-Identifier: Apache-2.0
// The library speaks of fields ("Question::shape = free"), the command line of options ("--shape free").
#pragma once

#include <string>

#include "partita/model/result.h"

namespace partita::detail::app {

// The text with every field that has an option named by it.
std::string in_options(std::string text);

// The same for what a result says to people.
void put_in_options(Result& result);

}  // namespace partita::detail::app
