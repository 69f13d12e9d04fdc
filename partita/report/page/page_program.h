// SPDX-License-Identifier: Apache-2.0
// The program that shows a report: web/dist/page.html, which the build turns into a C++ source.
#pragma once

#include <string_view>

namespace partita::detail {

std::string_view page_program();

}  // namespace partita::detail
