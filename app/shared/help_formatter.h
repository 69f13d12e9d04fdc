// SPDX-License-Identifier: Apache-2.0
// How --help is laid out: everything wrapped at the terminal's width, options in groups, examples last.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace partita::app {

// The headings under which --help shows options; what names none of them is shown last.
inline constexpr const char* kQuestionGroup = "Question";
inline constexpr const char* kDevicesGroup = "Devices";
inline constexpr const char* kSearchGroup = "Search";
inline constexpr const char* kOutputGroup = "Output";

class HelpFormatter : public CLI::Formatter {
 public:
  // `end` is the last line of each page.
  HelpFormatter(std::size_t width, std::string end);

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string option_groups(const CLI::App& app) const;
  std::string entry(const std::string& name, const std::string& description) const;

  std::size_t width_;
  std::string end_;
};

// Gives every page of `program` and of the commands that are added to it later this layout.
void use_help_formatter(CLI::App& program, const std::string& end);

// Descriptions of options have line ends where their sources do.
std::string on_one_line(std::string text);

// Text with paragraphs broken at spaces. Lines that begin with a space are those of a list: what they say after two
// spaces stays below itself when it is broken, and lines indented further go on with what came before. Command lines in
// them, which begin with the program's name, are never broken, so that they can be copied.
std::string wrapped_page(std::string_view text, std::size_t width);

}  // namespace partita::app
