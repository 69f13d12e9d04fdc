// SPDX-License-Identifier: Apache-2.0
#include "app/shared/help_formatter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "app/shared/terminal_width.h"
#include "partita/util/text_width.h"

namespace partita::detail::app {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kWideColumn = 26;    // where descriptions begin
constexpr std::size_t kNarrowColumn = 20;  // the same in a narrow terminal
constexpr std::size_t kNarrowTerminal = 72;

// `first` and then the text, whose lines all begin in the same column;
// on a line of their own where `first` is too long.
std::string hanging(const std::string& first, std::size_t column, const std::string& text, std::size_t width) {
  const bool fits = text_width(first) + kIndent <= column;
  std::string result = fits ? first + std::string(column - text_width(first), ' ') : first + "\n";
  bool beside = fits;
  for (const std::string& line : broken_at_spaces(text, std::max<std::size_t>(width, column + 20) - column)) {
    if (!beside) result.append(column, ' ');
    beside = false;
    result += line + "\n";
  }
  return result;
}

std::string filled(std::string_view paragraph, std::size_t width) {
  std::string result;
  for (const std::string& line : broken_at_spaces(paragraph, width)) result += line + "\n";
  return result;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string list_line(std::string_view line, std::size_t width) {
  const std::size_t indent = indent_of(line);
  const std::string_view text = line.substr(indent);
  const bool command = text.starts_with("partita") || text.starts_with("source ");
  if (command || text_width(line) <= width) return std::string(line) + "\n";
  const std::size_t gap = text.find("  ");
  if (gap == std::string_view::npos)
    return hanging(std::string(indent, ' '), indent + kIndent, std::string(text), width);
  const std::size_t begin = line.find_first_not_of(' ', indent + gap);
  return hanging(std::string(line.substr(0, indent + gap)), begin, std::string(line.substr(begin)), width);
}

}  // namespace

std::string wrapped_page(std::string_view text, std::size_t width) {
  std::string result, paragraph;  // the paragraph, or line of a list, that is being read
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) result += paragraph.front() == ' ' ? list_line(paragraph, width) : filled(paragraph, width);
    paragraph.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const bool goes_on = !paragraph.empty() && !line.empty() &&
                         (paragraph.front() == ' ' ? indent_of(line) > indent_of(paragraph) : line.front() != ' ');
    if (!goes_on) end_paragraph();
    if (line.empty()) result += "\n";
    if (goes_on) paragraph.append(" ").append(line.substr(indent_of(line)));
    if (!goes_on) paragraph = line;
    if (line.ends_with(':') && line.front() != ' ') end_paragraph();  // a heading
  }
  end_paragraph();
  return result;
}

namespace {

class HelpFormatter : public CLI::Formatter {
 public:
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

HelpFormatter::HelpFormatter(std::size_t width, std::string end) : width_(width), end_(std::move(end)) {
  label("Positionals", "Arguments");
  label("SUBCOMMAND", "COMMAND");
}

std::string HelpFormatter::entry(const std::string& name, const std::string& description) const {
  const std::size_t column = width_ < kNarrowTerminal ? kNarrowColumn : kWideColumn;
  return hanging(std::string(kIndent, ' ') + name, column, on_one_line(description), width_);
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  const std::string value = is_positional ? "" : make_option_opts(option);
  return entry(make_option_name(option, is_positional) + value, make_option_desc(option));
}

// As CLI11's own, but for the groups, whose order it does not leave to others.
std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) + option_groups(*app) +
         make_subcommands(app, mode) + "\n" + make_footer(app);
}

std::string HelpFormatter::option_groups(const CLI::App& app) const {
  const std::string unnamed = "Options";  // what CLI11 calls the group of those that have none
  std::vector<std::string> groups = app.get_groups();
  std::ranges::stable_partition(groups, [&](const std::string& group) { return group != unnamed; });
  std::string text;
  for (const std::string& group : groups) {
    const auto options = app.get_options(
        [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
    if (group.empty() || options.empty()) continue;
    text += make_group(group == unnamed && groups.size() > 1 ? "Other" : group, false, options);
  }
  return text;
}

std::string HelpFormatter::make_subcommands(const CLI::App* app, CLI::AppFormatMode) const {
  const std::vector<const CLI::App*> commands = app->get_subcommands({});
  if (commands.empty()) return "";
  std::string text = "\nCommands:\n";
  for (const CLI::App* command : commands) text += entry(command->get_name(), command->get_description());
  return text;
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return wrapped_page(app->get_description(), width_);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  return wrapped_page(app->get_footer() + "\n" + end_, width_);
}

}  // namespace

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void use_help_formatter(CLI::App& program, const std::string& end) {
  program.formatter(std::make_shared<HelpFormatter>(page_width(STDOUT_FILENO), end));
}

}  // namespace partita::detail::app
