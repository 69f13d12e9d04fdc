// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/argument_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "partita/ask/option_names.h"

namespace partita::python {
namespace {

// Arguments have the names of options, but for these.
constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
    {"--dim", "dims"},
    {"--expert FILE", "expert"},
    {"--pin, --together or --apart", "pin, together or apart"},
    {"-o", "folder"},
};

std::string argument_for(std::string_view option) {
  for (const auto& [name, argument] : kOthers)
    if (option == name) return std::string(argument);
  std::string argument(option.substr(option.find_first_not_of('-')));
  const std::size_t space = argument.find(' ');
  std::replace(argument.begin(), argument.begin() + static_cast<std::ptrdiff_t>(std::min(space, argument.size())), '-',
               '_');
  if (space != std::string::npos) argument = argument.substr(0, space) + "=\"" + argument.substr(space + 1) + "\"";
  return argument;
}

// Puts the word behind " = " at `at` into quotes.
void quote_value(std::string& text, std::size_t at) {
  constexpr std::string_view kEquals = " = ";
  if (!std::string_view(text).substr(at).starts_with(kEquals)) return;
  const std::size_t begin = at + kEquals.size();
  const std::size_t end = std::min(text.find_first_of(" ,;:)", begin), text.size());
  text = text.substr(0, at) + "=\"" + text.substr(begin, end - begin) + "\"" + text.substr(end);
}

}  // namespace

std::string in_arguments(std::string text) {
  for (const auto& [field, option] : detail::field_options()) {
    const std::string argument = argument_for(option);
    for (std::size_t at = text.find(field); at != std::string::npos; at = text.find(field, at)) {
      text.replace(at, field.size(), argument);
      at += argument.size();
      quote_value(text, at);
    }
  }
  return text;
}

}  // namespace partita::python
