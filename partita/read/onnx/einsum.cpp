// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/einsum.h"

#include <map>
#include <string>

namespace partita::detail::onnx {

namespace {

constexpr std::string_view kEllipsis = "...";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The letters of one operand; '.' stands for an ellipsis. None: something else is in it.
std::optional<std::string> letters_of(std::string_view term) {
  std::string letters;
  while (!term.empty()) {
    if (term.starts_with(kEllipsis)) {
      if (letters.find('.') != std::string::npos) return std::nullopt;
      letters += '.';
      term.remove_prefix(kEllipsis.size());
      continue;
    }
    if (!is_letter(term.front())) return std::nullopt;
    letters += term.front();
    term.remove_prefix(1);
  }
  return letters;
}

}  // namespace

std::optional<EinsteinSum> einstein_sum(std::string_view equation, const std::vector<Shape>& operands) {
  std::string text;
  for (char c : equation) {
    if (c != ' ') text += c;
  }
  const std::size_t arrow = text.find("->");
  std::string_view left = std::string_view(text).substr(0, arrow);

  std::map<char, std::int64_t> extents;
  std::map<char, int> uses;
  Shape stack = std::vector<std::int64_t>();  // what the ellipses stand for
  const auto meet = [&extents](char letter, std::int64_t extent) {
    std::int64_t& known = extents.emplace(letter, extent).first->second;
    if (!is_known(known) || known == 1) known = extent;
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::size_t comma = left.find(',');
    const std::optional<std::string> letters = letters_of(left.substr(0, comma));
    if (!letters || (comma == std::string_view::npos) != (i + 1 == operands.size())) return std::nullopt;
    left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
    for (char letter : *letters) ++uses[letter];
    if (!operands[i]) {
      for (char letter : *letters) {
        if (letter == '.') {
          stack.reset();
        } else {
          meet(letter, kUnknownExtent);
        }
      }
      continue;
    }
    const std::vector<std::int64_t>& shape = *operands[i];
    const bool has_stack = letters->find('.') != std::string::npos;
    const std::size_t named = letters->size() - (has_stack ? 1 : 0);
    if (shape.size() < named || (!has_stack && shape.size() != named)) return std::nullopt;
    std::size_t axis = 0;
    for (char letter : *letters) {
      if (letter != '.') {
        meet(letter, shape[axis++]);
        continue;
      }
      const std::size_t count = shape.size() - named;
      const auto first = shape.begin() + static_cast<std::ptrdiff_t>(axis);
      stack = broadcast(stack, std::vector<std::int64_t>(first, first + static_cast<std::ptrdiff_t>(count)));
      axis += count;
    }
  }
  std::optional<std::string> out;
  if (arrow != std::string::npos) {
    out = letters_of(std::string_view(text).substr(arrow + 2));
  } else {
    out = std::string(uses.contains('.') ? "." : "");
    for (const auto& [letter, count] : uses) {
      if (letter != '.' && count == 1) *out += letter;
    }
  }
  if (!out) return std::nullopt;

  EinsteinSum sum;
  sum.operands = operands.size();
  sum.shape = std::vector<std::int64_t>();
  for (char letter : *out) {
    if (letter != '.') {
      const auto at = extents.find(letter);
      if (at == extents.end()) return std::nullopt;
      if (sum.shape) sum.shape->push_back(at->second);
    } else if (!stack) {
      sum.shape.reset();
    } else if (sum.shape) {
      sum.shape->insert(sum.shape->end(), stack->begin(), stack->end());
    }
  }
  sum.points = elements(stack);
  for (const auto& [letter, extent] : extents) {
    sum.points = times(sum.points, extent);
    sum.sums |= out->find(letter) == std::string::npos;
  }
  return sum;
}

}  // namespace partita::detail::onnx
