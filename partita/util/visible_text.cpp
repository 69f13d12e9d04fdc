// SPDX-License-Identifier: Apache-2.0
#include "partita/util/visible_text.h"

#include <cstddef>
#include <cstdint>

#include "partita/util/utf8.h"

namespace partita::detail {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

void append_hex(std::string& text, std::uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += kHexDigits[(value >> shift) & 0xf];
}

void append_byte(std::string& text, unsigned char byte) {
  switch (byte) {
    case '\n': text += "\\n"; return;
    case '\r': text += "\\r"; return;
    case '\t': text += "\\t"; return;
    default: break;
  }
  text += "\\x";
  append_hex(text, byte, 2);
}

bool is_hidden(std::uint32_t code) {
  return (code >= 0x80 && code < 0xa0) ||       // control characters too, for many terminals
         (code >= 0x200b && code <= 0x200f) ||  // no width, or a change of direction
         (code >= 0x2028 && code <= 0x202e) ||  // ends of lines and paragraphs, direction
         (code >= 0x2060 && code <= 0x206f) ||  // direction
         code == 0xfeff ||                      // a mark of byte order
         (code & 0xfffe) == 0xfffe;             // no characters at all, and an error in XML
}

}  // namespace

std::string visible(std::string_view text) { return visible(text, static_cast<std::size_t>(-1)); }

std::string visible(std::string_view text, std::size_t longest) {
  std::string result;
  std::size_t cut = 0;  // the end of the last character that leaves it short enough
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    if (character.bytes == 0 || character.code < 0x20 || character.code == 0x7f) {
      append_byte(result, static_cast<unsigned char>(text.front()));
    } else if (is_hidden(character.code)) {
      result += "\\u";
      append_hex(result, character.code, 4);
    } else {
      result += text.substr(0, bytes);
    }
    if (result.size() > longest) return result.substr(0, cut) + "...";
    cut = result.size();
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace partita::detail
