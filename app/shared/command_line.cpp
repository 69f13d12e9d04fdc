// SPDX-License-Identifier: Apache-2.0
#include "app/shared/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "app/shared/exit_codes.h"
#include "app/shared/help_formatter.h"
#include "app/shared/standard_streams.h"
#include "partita/util/error.h"
#include "partita/util/nearest_name.h"
#include "partita/util/version.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

// CLI11 has no place for what completion offers; an option's type name is free, as --help shows the option text.
constexpr char kBetween = '|';
constexpr std::string_view kKinds = "-wlp";  // in the order of Offer::Kind, but for paths, which the option text tells

Offer offer_of(const CLI::Option& option) {
  const std::string& shown = option.get_option_text();
  if (shown == "FILE" || shown == "DIR") return {Offer::Kind::Path, {}};
  const std::string declared = option.get_type_name();
  const std::size_t kind = shown.empty() || declared.empty() ? std::string::npos : kKinds.find(declared.front());
  if (kind == std::string::npos) return {};
  return {static_cast<Offer::Kind>(kind), CLI::detail::split(declared.substr(1), kBetween)};
}

OptionDescription describe(const CLI::Option& option) {
  OptionDescription described;
  described.short_names = option.get_snames();
  described.long_names = option.get_lnames();
  described.description = option.get_description();
  described.positional = !option.nonpositional();
  described.repeated = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) described.value_name = option.get_option_text();
  if (!described.value_name.empty()) described.offer = offer_of(option);
  return described;
}

std::vector<std::string> dashed_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// `command` is the program, or the one of its commands that was named.
std::string usage_problem(const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> extras = command.remaining();
  const auto option =
      std::ranges::find_if(extras, [](const std::string& extra) { return extra.size() > 1 && extra.front() == '-'; });
  if (option != extras.end()) {
    const std::string name = option->substr(0, option->find('='));
    return fmt::format("{}: no such option{}", visible(name), did_you_mean(name, dashed_names(command)));
  }
  if (!extras.empty() && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
    return fmt::format("'{}' is one argument too many", visible(extras.front()));
  return error.what();
}

// CLI11 answers a mistyped command with "A subcommand is required", so that case is told apart here.
std::string command_problem(const CLI::App& program, const CLI::ParseError& error) {
  const auto named = program.get_subcommands();
  if (!named.empty()) return usage_problem(*named.front(), error);
  const std::vector<std::string> extras = program.remaining();
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (names.empty() || (!extras.empty() && extras.front().starts_with("-"))) return usage_problem(program, error);
  const std::string expected = fmt::format("expected one of {}", fmt::join(names, ", "));
  if (extras.empty()) return "no command given; " + expected;
  const std::string meant = did_you_mean(extras.front(), names);
  return fmt::format("'{}' is not a command; {}{}", visible(extras.front()), expected, meant);
}

}  // namespace

std::string did_you_mean(const std::string& given, const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = nearest_name(given, known);
  return nearest ? fmt::format("; did you mean {}?", *nearest) : "";
}

Option Option::required() { return Option(*option_->required()); }
Option Option::needs(Option other) { return Option(*option_->needs(other.option_)); }
Option Option::optional_value() { return Option(*option_->expected(0, 1)->default_str("")); }
Option Option::delimiter(char between) { return Option(*option_->delimiter(between)); }
Option Option::allow_extra_args(bool many) { return Option(*option_->allow_extra_args(many)); }
Option Option::description(const std::string& text) { return Option(*option_->description(text)); }
Option Option::option_text(const std::string& text) { return Option(*option_->option_text(text)); }

Option Option::checked(const std::string& text, std::function<std::string(std::string&)> check) {
  CLI::Validator validator(std::move(check), "");
  return Option(*option_->option_text(text)->transform(std::move(validator)));
}

Option Option::offers(Offer::Kind kind, const std::vector<std::string>& words) {
  const std::string joined = fmt::format("{}", fmt::join(words, std::string(1, kBetween)));
  return Option(*option_->type_name(kKinds[static_cast<std::size_t>(kind)] + joined));
}

template <class Value>
Option Command::add_option(const std::string& names, Value& value, const std::string& description) {
  return Option(*app_->add_option(names, value, description));
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& description) {
  return Option(*app_->add_flag(names, value, description));
}

Option Command::get_option(const std::string& name) { return Option(*app_->get_option(name)); }

Command Command::add_subcommand(const std::string& name, const std::string& description) {
  app_->require_subcommand(1);
  return Command(*app_->add_subcommand(name, description));
}

void Command::group(const std::string& heading) { app_->option_defaults()->group(heading); }
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::callback(std::function<void()> parsed) { app_->callback(std::move(parsed)); }
bool Command::is_given(const std::string& option) const { return app_->count(option) > 0; }
std::string Command::name() const { return app_->get_name(); }
std::string Command::description() const { return app_->get_description(); }

std::string Command::help() const {
  const CLI::App* parent = app_->get_parent();
  const std::string called = parent ? parent->get_name() + " " + app_->get_name() : app_->get_name();
  return app_->get_formatter()->make_help(app_, called, CLI::AppFormatMode::Normal);
}

std::vector<OptionDescription> Command::options() const {
  std::vector<OptionDescription> options;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) options.push_back(describe(*option));
  return options;
}

std::vector<Command> Command::subcommands() const {
  std::vector<Command> commands;
  for (CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; })) commands.emplace_back(*command);
  return commands;
}

Program::Program(std::unique_ptr<CLI::App> root) : Command(*root), root_(std::move(root)) {}

Program::Program(const std::string& name, const std::string& description, const std::string& end)
    : Program(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", fmt::format("{} {}", name, version()), "Print the version");
  app_->set_help_flag("-h,--help", "Print this help");
  use_help_formatter(*app_, end);
}

Program::~Program() = default;

std::optional<int> Program::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& success) {
    return run_guarded(name(), [&] {
      std::ostringstream text;
      const int code = app_->exit(success, text, text);
      write_stdout(text.str(), "there is nowhere else to write it");
      return code;
    });
  } catch (const CLI::ParseError& error) {
    const auto named = app_->get_subcommands();
    const std::string called = named.empty() ? name() : fmt::format("{} {}", name(), named.front()->get_name());
    print_error(called, fmt::format("{}; see `{} --help`", command_problem(*app_, error), called));
    return static_cast<int>(ErrorKind::Usage);
  }
}

template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, unsigned long&, const std::string&);
template Option Command::add_option(const std::string&, unsigned long long&, const std::string&);
template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::string>&, const std::string&);

}  // namespace partita::detail::app
