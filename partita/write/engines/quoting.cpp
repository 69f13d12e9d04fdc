// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/quoting.h"

#include <fmt/format.h>

#include <cctype>
#include "partita/util/json_writer.h"

#include "partita/util/visible_text.h"

namespace partita::detail {

std::string shell_word(std::string_view text) {
  constexpr std::string_view kSafe = "%+,-./:=@_";
  bool safe = !text.empty();
  for (const unsigned char c : text)
    safe = safe && c < 0x80 && (std::isalnum(c) != 0 || kSafe.find(static_cast<char>(c)) != std::string_view::npos);
  if (safe) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

// JSON's escapes are Python's too, but for pairs of surrogates: text beyond ASCII is left as it is.
std::string python_text(std::string_view text) {
  JsonWriter json(JsonLayout::Pretty);
  json.value(text);
  std::string quoted = json.take();
  quoted.pop_back();  // the line end
  return quoted;
}

std::string protobuf_text(std::string_view text) {
  std::string quoted = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += static_cast<char>(c);
    } else if (c < 0x20 || c >= 0x7f) {
      quoted += fmt::format("\\{:03o}", static_cast<unsigned>(c));
    } else {
      quoted += static_cast<char>(c);
    }
  }
  return quoted + "\"";
}

std::string regex_text(std::string_view text) {
  constexpr std::string_view kSpecial = R"(\^$.|?*+()[]{})";
  std::string quoted;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string comment_text(std::string_view text) { return visible(text); }

}  // namespace partita::detail
