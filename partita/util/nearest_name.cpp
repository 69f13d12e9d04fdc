// SPDX-License-Identifier: Apache-2.0
#include "partita/util/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace partita::detail {
namespace {

constexpr std::size_t kMostMistakes = 3;
constexpr std::size_t kLettersPerMistake = 4;
constexpr std::size_t kLongestName = 100;  // nobody misspells longer ones, and a file may hold a name of megabytes

std::string small_letters(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// The edit distance that counts neighbours swapped as one mistake ("optimal string alignment"), row by row.
std::size_t mistakes_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view given, const std::vector<std::string>& known) {
  if (given.empty() || given.size() > kLongestName) return std::nullopt;
  const std::string wanted = small_letters(given);
  const std::size_t allowed = std::min(kMostMistakes, 1 + given.size() / kLettersPerMistake);
  std::optional<std::string> nearest;
  std::size_t fewest = allowed + 1;
  for (const std::string& name : known) {
    const std::size_t difference = name.size() > given.size() ? name.size() - given.size() : given.size() - name.size();
    if (difference >= fewest) continue;
    const std::size_t mistakes = mistakes_between(wanted, small_letters(name));
    // All letters changed is another name.
    if (mistakes < fewest && mistakes < name.size()) {
      fewest = mistakes;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace partita::detail
