// SPDX-License-Identifier: Apache-2.0
// How --help is laid out: everything wrapped at the terminal's width, options in groups, examples last.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace partita::detail::app {

// The headings under which --help shows options; what names none of them is shown last.
inline constexpr const char* kQuestionGroup = "Question";
inline constexpr const char* kDevicesGroup = "Devices";
inline constexpr const char* kModelGroup = "Model files";
inline constexpr const char* kSearchGroup = "Search";
inline constexpr const char* kOutputGroup = "Output";

// Gives every page of `program` and of the commands that are added to it later this layout; `end` is the last line of
// each.
void use_help_formatter(CLI::App& program, const std::string& end);

// Descriptions of options have line ends where their sources do.
std::string on_one_line(std::string text);

// Text with paragraphs broken at spaces. Lines that begin with a space are those of a list: what they say after two
// spaces stays below itself when it is broken, and lines indented further go on with what came before. Command lines in
// them, which begin with the program's name, are never broken, so that they can be copied.
std::string wrapped_page(std::string_view text, std::size_t width);

}  // namespace partita::detail::app
