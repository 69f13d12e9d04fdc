// SPDX-License-Identifier: Apache-2.0
// How options are declared here, so that every command words, checks and completes them alike. What shell completion
// offers is declared with them: the words of an option, or paths where --help shows FILE or DIR behind its name.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::app {

// Prints the help or the version that parsing ended with, and returns 0. Throws as write_stdout() does.
int print_help(const CLI::App& program, const CLI::Success& success);

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

// Completion will offer these words; nothing checks that one of them is given.
CLI::Option* offers(CLI::Option* option, Offer::Kind kind, const std::vector<std::string>& words);

// What was declared, by offers() or by one of those below.
Offer offer_of(const CLI::Option& option);

// The option takes one of these words.
CLI::Option* choices(CLI::Option* option, const std::vector<std::string>& names);

// The option takes a path ("-" where the command allows standard input or output).
CLI::Option* path(CLI::Option* option);

// The option takes the path of a folder.
CLI::Option* folder(CLI::Option* option);

// The option takes a whole number in [low, high], shown as `text`.
CLI::Option* whole(CLI::Option* option, const std::string& text, long long low, long long high);

// The option takes a time as in parse_seconds(), also "inf"; its variable is a double.
CLI::Option* seconds(CLI::Option* option);

// The option takes a fraction in [0, high], "0.01" or "1%"; its variable is a double.
CLI::Option* fraction(CLI::Option* option, double high);

// The option takes an amount of memory as in parse_bytes(); the option's variable is a double.
CLI::Option* bytes(CLI::Option* option);

// The option takes bytes per unit of time: an amount as in parse_bytes() above 0, or "inf"; its variable is a double.
CLI::Option* bandwidth(CLI::Option* option);

// "17179869184", "1.6e10", "16G", "16GiB", "16 GB": a number of bytes, with a suffix of powers of 1024 (K M G T, KiB
// MiB GiB TiB) or of 1000 (KB MB GB TB), in any case. Nothing for anything else,
// and for what is negative or not finite.
std::optional<double> parse_bytes(std::string_view text);

// "10", "10s", "500 ms", "2min", "1h": a time in seconds, or in what stands behind it. Nothing for anything else, and
// for what is negative or not finite.
std::optional<double> parse_seconds(std::string_view text);

}  // namespace partita::app
