// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace partita::detail {

// How often something stands in a text.
inline std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace partita::detail
