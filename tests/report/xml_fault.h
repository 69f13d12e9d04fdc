// SPDX-License-Identifier: Apache-2.0
// Is this well-formed XML? As much of the grammar as our pictures use: elements, quoted attributes, the entities that
// svg_escaped makes.
#pragma once

#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace partita::detail {

// Empty, or what is wrong and where.
inline std::string xml_fault(std::string_view text) {
  std::vector<std::string> open;
  bool root_seen = false;
  const auto fault = [](std::size_t at, const std::string& what) { return what + " at " + std::to_string(at); };
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ':'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < ' ' && c != '\n') return fault(i, "control character");
    if (c == '&') {
      bool known = false;
      for (const std::string_view entity : std::array{"&lt;", "&gt;", "&amp;", "&quot;"}) {
        known = known || text.substr(i).starts_with(entity);
      }
      if (!known) return fault(i, "bare &");
    }
    if (c != '<') {
      if (open.empty() && c != '\n') return fault(i, "text outside the root");
      continue;
    }
    const bool closes = text.substr(i + 1).starts_with("/");
    std::size_t at = i + 1 + closes;
    std::string name;
    while (at < text.size() && is_name(text[at])) name += text[at++];
    if (name.empty()) return fault(i, "bare <");
    if (closes) {
      if (open.empty() || open.back() != name || at >= text.size() || text[at] != '>') return fault(i, "wrong end");
      open.pop_back();
      i = at;
      continue;
    }
    if (open.empty() && root_seen) return fault(i, "second root");
    root_seen = true;
    std::vector<std::string> attributes;
    while (at < text.size() && text[at] == ' ') {
      std::string attribute;
      ++at;
      while (at < text.size() && is_name(text[at])) attribute += text[at++];
      if (attribute.empty() || text.substr(at, 2) != "=\"") return fault(at, "bad attribute");
      for (const std::string& other : attributes) {
        if (other == attribute) return fault(at, "attribute twice");
      }
      attributes.push_back(attribute);
      const std::size_t end = text.find_first_of("\"<", at + 2);
      if (end == std::string_view::npos || text[end] != '"') return fault(at, "attribute does not end");
      at = end + 1;
    }
    if (text.substr(at).starts_with("/>")) {
      i = at + 1;
    } else if (text.substr(at).starts_with(">")) {
      open.push_back(name);
      i = at;
    } else {
      return fault(at, "tag does not end");
    }
  }
  return !open.empty() ? "unclosed " + open.back() : root_seen ? "" : "no root";
}

}  // namespace partita::detail
