// SPDX-License-Identifier: Apache-2.0
// The command line as the commands describe it: their options, and what is said of them in --help and in completions.
// CLI11 parses it. Every file that includes CLI11 takes seconds longer to compile, so that only command_line.cpp and
// help_formatter.cpp do; all others know these classes, whose members do what those of the same name do in CLI11.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace partita::detail::app {

// What shell completion offers for the value of an option.
struct Offer {
  enum class Kind {
    Nothing,
    Word,    // one of the words
    List,    // any of them, with commas between
    Prefix,  // one of them, after which the value goes on
    Path,
  };
  Kind kind = Kind::Nothing;
  std::vector<std::string> words;
};

// An option of a command, or an argument without a name; copies are the same option. Members return it again.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required();
  Option needs(Option other);          // to be given together with the other
  Option optional_value();             // may be given without one, which is then empty
  Option delimiter(char between);      // of several values
  Option allow_extra_args(bool many);  // several values after one name
  Option description(const std::string& text);
  Option option_text(const std::string& text);  // behind the name in --help; completion offers paths for FILE and DIR

  // The check runs on the text, before CLI11 converts it: its own message for a bad number says neither what was expected
  // nor the range. It may change the text, and returns what is wrong with it, or nothing.
  Option checked(const std::string& text, std::function<std::string(std::string&)> check);

  // Completion will offer these words; nothing checks that one of them is given.
  Option offers(Offer::Kind kind, const std::vector<std::string>& words);

 private:
  CLI::Option* option_;
};

// What was declared of an option.
struct OptionDescription {
  std::vector<std::string> short_names;  // without dashes
  std::vector<std::string> long_names;
  std::string description;
  std::string value_name;  // as in --help; empty for a flag
  Offer offer;
  bool positional = false;
  bool repeated = false;  // takes any number of values
};

// The program, or one of its commands; copies are the same command.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  // `value` must outlive the parsing. For numbers, text, lists of text, and each as std::optional: see the list at the
  // end of command_line.cpp.
  template <class Value>
  Option add_option(const std::string& names, Value& value, const std::string& description);
  Option add_flag(const std::string& names, bool& value, const std::string& description);
  Option get_option(const std::string& name);
  Command add_subcommand(const std::string& name, const std::string& description);

  // The heading in --help of the options that are added from here on.
  void group(const std::string& heading);
  // What --help ends with.
  void footer(const std::string& text);
  // Called when the command line has been parsed and names this command.
  void callback(std::function<void()> parsed);

  bool is_given(const std::string& option) const;

  std::string name() const;
  std::string description() const;
  std::string help() const;  // the whole page
  std::vector<OptionDescription> options() const;
  std::vector<Command> subcommands() const;

 protected:
  CLI::App* app_;
};

class Program : public Command {
 public:
  // `end` is the last line of each page of help.
  Program(const std::string& name, const std::string& description, const std::string& end);
  ~Program();

  // The exit code, where the program is at its end: help or the version was asked for and has been printed, or the
  // command line is wrong, and what is wrong and what was probably meant has been said. A misspelt option comes before
  // whatever else is wrong, as that is often no more than what follows from it; it is named alone.
  std::optional<int> parse(int argc, const char* const* argv);

 private:
  explicit Program(std::unique_ptr<CLI::App> root);

  std::unique_ptr<CLI::App> root_;
};

// "; did you mean staged?", or nothing where no name is near.
std::string did_you_mean(const std::string& given, const std::vector<std::string>& known);

}  // namespace partita::detail::app
