// SPDX-License-Identifier: Apache-2.0
// `partita completion SHELL`: a completion script made from the option tables themselves, so it cannot fall behind
// them. What is offered for a value is declared with its option, see Offer in app/shared/command_line.h.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/partita/commands.h"
#include "app/partita/output.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"

namespace partita::detail::app {
namespace {

std::vector<std::string> dashed_names(const OptionDescription& entry) {
  std::vector<std::string> names;
  for (const std::string& name : entry.short_names) names.push_back("-" + name);
  for (const std::string& name : entry.long_names) names.push_back("--" + name);
  return names;
}

// What there is to complete of a command.
struct Offers {
  std::string name;
  std::string description;
  std::vector<OptionDescription> entries;  // each described on one line
};

std::string replaced(const std::string& text, char from, const std::string& to) {
  std::string result;
  for (const char c : text) {
    if (c == from) {
      result += to;
    } else {
      result += c;
    }
  }
  return result;
}

// `text` as one word of bash or zsh.
std::string quoted(const std::string& text) { return "'" + replaced(text, '\'', "'\\''") + "'"; }

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

Offers offers_of(const Command& command) {
  Offers offers{command.name(), on_one_line(command.description()), command.options()};
  // What follows the default explains the choices, and is too long for a menu.
  for (OptionDescription& entry : offers.entries) {
    entry.description = on_one_line(entry.description);
    entry.description = entry.description.substr(0, entry.description.find(" (default"));
  }
  return offers;
}

std::vector<std::string> all_names(const Offers& command) {
  std::vector<std::string> names;
  for (const OptionDescription& entry : command.entries) {
    for (const std::string& name : dashed_names(entry)) names.push_back(name);
  }
  return names;
}

// What bash runs to complete the value of an option or a positional.
std::string bash_offer(const OptionDescription& entry) {
  const std::string words = quoted(joined(entry.offer.words, " "));
  switch (entry.offer.kind) {
    case Offer::Kind::Nothing: return ":";
    case Offer::Kind::Path: return "compopt -o default";
    case Offer::Kind::Word: return fmt::format(R"(COMPREPLY=($(compgen -W {} -- "$current")))", words);
    case Offer::Kind::Prefix:
      return fmt::format(R"(COMPREPLY=($(compgen -W {} -- "$current")); compopt -o nospace)", words);
    case Offer::Kind::List:  // what stands before the last comma stays
      return fmt::format(R"(before="${{current%"${{current##*,}}"}}"; )"
                         R"(COMPREPLY=($(compgen -P "$before" -W {} -- "${{current##*,}}")); compopt -o nospace)",
                         words);
  }
  return ":";
}

std::string bash_script(const Offers& program, const std::vector<Offers>& commands) {
  std::vector<std::string> first = all_names(program);
  std::string values;
  std::string names;
  std::string positionals;
  for (const Offers& command : commands) {
    first.push_back(command.name);
    names += fmt::format("      {}) COMPREPLY=($(compgen -W {} -- \"$current\")) ;;\n", command.name,
                         quoted(joined(all_names(command), " ")));
    bool positional_seen = false;
    for (const OptionDescription& entry : command.entries) {
      if (entry.positional && !positional_seen) {
        positionals += fmt::format("    {}) {} ;;\n", command.name, bash_offer(entry));
        positional_seen = true;
      }
      if (entry.positional || entry.value_name.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : dashed_names(entry)) patterns.push_back(quoted(command.name + " " + name));
      values += fmt::format("    {}) {}; return ;;\n", joined(patterns, " | "), bash_offer(entry));
    }
  }
  return fmt::format(R"(# bash completion for {0}; load it with: source <({0} completion bash)
_{0}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}" before
  COMPREPLY=()
  # bash takes --option=value for three words
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = && $COMP_CWORD -gt 2 ]]; then
    previous="${{COMP_WORDS[COMP_CWORD-2]}}"
  fi
  [[ ${{COMP_WORDS[COMP_CWORD]}} == = || ${{COMP_WORDS[COMP_CWORD-1]}} == = ]] && [[ $previous != -* ]] && return
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W {1} -- "$current"))
    return
  fi
  case "$command $previous" in
{2}  esac
  if [[ $current == -* ]]; then
    case "$command" in
{3}    esac
    return
  fi
  case "$command" in
{4}  esac
}}
complete -F _{0} {0}
)",
                     program.name, quoted(joined(first, " ")), values, names, positionals);
}

// A description inside a specification of zsh's _arguments or _describe, where brackets and colons have a meaning.
std::string zsh_description(const std::string& text) {
  return replaced(replaced(replaced(replaced(text, '\\', "\\\\"), '[', "\\["), ']', "\\]"), ':', "\\:");
}

std::string zsh_value(const OptionDescription& entry) {
  if (entry.value_name.empty()) return "";
  const std::string label =
      entry.offer.kind == Offer::Kind::Word ? std::string("value") : zsh_description(entry.value_name);
  const std::string words = joined(entry.offer.words, " ");
  switch (entry.offer.kind) {
    case Offer::Kind::Nothing: return fmt::format(":{}: ", label);
    case Offer::Kind::Path: return fmt::format(":{}:_files", label);
    case Offer::Kind::Word: return fmt::format(":{}:({})", label, words);
    // A space before the action: zsh is to run it as it stands.
    case Offer::Kind::Prefix: return fmt::format(":{}: compadd -S \"\" -- {}", label, words);
    case Offer::Kind::List: return fmt::format(":{}: _values -s , value {}", label, words);
  }
  return "";
}

std::string zsh_script(const Offers& program, const std::vector<Offers>& commands) {
  std::string described;
  std::string cases;
  for (const Offers& command : commands) {
    described += "    " + quoted(command.name + ":" + zsh_description(command.description)) + "\n";
    std::string specs;
    for (const OptionDescription& entry : command.entries) {
      if (entry.positional) {
        specs += " \\\n        " + quoted((entry.repeated ? "*" : "") + zsh_value(entry));
        continue;
      }
      const std::vector<std::string> names = dashed_names(entry);
      for (const std::string& name : names) {
        const std::string spec =
            fmt::format("({}){}[{}]{}", joined(names, " "), name, zsh_description(entry.description), zsh_value(entry));
        specs += " \\\n        " + quoted(spec);
      }
    }
    cases += fmt::format("    {})\n      _arguments{}\n      ;;\n", command.name, specs);
  }
  return fmt::format(R"(#compdef {0}
# zsh completion for {0}; load it with: source <({0} completion zsh), or save it as _{0} in a folder of $fpath
_{0}() {{
  local -a commands
  commands=(
{1}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{2}  esac
}}
if [ "$funcstack[1]" = "_{0}" ]; then
  _{0} "$@"
else
  compdef _{0} {0}
fi
)",
                     program.name, described, cases);
}

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, '\\', "\\\\"), '\'', "\\'") + "'";
}

std::string fish_value(const OptionDescription& entry) {
  if (entry.value_name.empty()) return "";
  const std::string words = joined(entry.offer.words, " ");
  switch (entry.offer.kind) {
    case Offer::Kind::Nothing: return " -x";
    case Offer::Kind::Path: return " -r -F";
    case Offer::Kind::Word:
    case Offer::Kind::Prefix: return " -x -a " + fish_quoted(words);
    case Offer::Kind::List:
      return " -x -a " + fish_quoted(fmt::format("(__fish_complete_list , \"string split ' ' '{}'\")", words));
  }
  return "";
}

std::string fish_script(const Offers& program, const std::vector<Offers>& commands) {
  const std::string start = "complete -c " + program.name;
  std::string script = fmt::format("# fish completion for {0}; load it with: {0} completion fish | source\n{1} -f\n",
                                   program.name, start);
  for (const Offers& command : commands) {
    script +=
        fmt::format("{} -n __fish_use_subcommand -a {} -d {}\n", start, command.name, fish_quoted(command.description));
    const std::string here = fmt::format("{} -n '__fish_seen_subcommand_from {}'", start, command.name);
    for (const OptionDescription& entry : command.entries) {
      if (entry.positional) {
        if (entry.offer.kind == Offer::Kind::Path) script += here + " -F\n";
        if (!entry.offer.words.empty()) script += here + " -a " + fish_quoted(joined(entry.offer.words, " ")) + "\n";
        continue;
      }
      script += here;
      for (const std::string& name : entry.short_names) script += " -s " + name;
      for (const std::string& name : entry.long_names) script += " -l " + name;
      script += fish_value(entry) + " -d " + fish_quoted(entry.description) + "\n";
    }
  }
  return script;
}

std::string completion_script(const Command& app, const std::string& shell) {
  const Offers program = offers_of(app);
  std::vector<Offers> commands;
  for (const Command& command : app.subcommands()) commands.push_back(offers_of(command));
  if (shell == "bash") return bash_script(program, commands);
  if (shell == "zsh") return zsh_script(program, commands);
  return fish_script(program, commands);
}

}  // namespace

void add_completion_command(Command& program, Action& action) {
  Command command = program.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  choices(command.add_option("SHELL", *shell, "The shell to complete in").required(), {"bash", "zsh", "fish"});
  command.footer(
      "Examples:\n  source <(partita completion bash)\n  source <(partita completion zsh)\n"
      "  partita completion fish | source\n");
  command.callback([&program, &action, shell] {
    action = [&program, shell] {
      Output("-").write(completion_script(program, *shell));
      return 0;
    };
  });
}

}  // namespace partita::detail::app
