// SPDX-License-Identifier: Apache-2.0
#include "partita/read/json_words.h"

namespace partita::detail {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

bool json_has_word(std::string_view beginning, std::string_view name) {
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  const std::size_t first = beginning.find_first_not_of(kBlanks);
  if (first == std::string_view::npos || beginning[first] != '{') return false;
  for (std::size_t at = beginning.find(name); at != std::string_view::npos; at = beginning.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (at == 0 || beginning[at - 1] != '"' || end >= beginning.size() || beginning[end] != '"') continue;
    const std::size_t colon = beginning.find_first_not_of(kBlanks, end + 1);
    if (colon != std::string_view::npos && beginning[colon] == ':') return true;
  }
  return false;
}

}  // namespace partita::detail
