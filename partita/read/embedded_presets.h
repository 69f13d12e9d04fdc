// SPDX-License-Identifier: Apache-2.0
// The files of platforms/, as they were when the program was built.
#pragma once

#include <string_view>

namespace partita::detail {

std::string_view embedded_devices();
std::string_view embedded_links();
std::string_view embedded_servers();

}  // namespace partita::detail
