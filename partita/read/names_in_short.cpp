// SPDX-License-Identifier: Apache-2.0
#include "partita/read/names_in_short.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/read/fields.h"

namespace partita::detail {

std::string names_in_short(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + one_line(names[i], 60);
  return names.size() > kShown ? fmt::format("{} and {} more", text, names.size() - kShown) : text;
}

}  // namespace partita::detail
