// SPDX-License-Identifier: Apache-2.0
// How options are declared here, so that every command words, checks and completes them alike. What --help shows behind
// an option's name (its option_text) is also what shell completion offers: "a|b|c" are the choices, FILE and DIR are
// paths.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::app {

// Prints the help or the version that parsing ended with, and returns 0. Throws as write_stdout() does.
int print_help(const CLI::App& program, const CLI::Success& success);

// The option takes one of these words.
CLI::Option* choices(CLI::Option* option, const std::vector<std::string>& names);

// The option takes a path ("-" where the command allows standard input or output).
CLI::Option* path(CLI::Option* option);

// The option takes the path of a folder.
CLI::Option* folder(CLI::Option* option);

// The option takes a finite number in [low, high], shown as `text`; with `or_infinite`, also "inf".
CLI::Option* number(CLI::Option* option, const std::string& text, double low, double high, bool or_infinite = false);

// The option takes a whole number in [low, high], shown as `text`.
CLI::Option* whole(CLI::Option* option, const std::string& text, long long low, long long high);

// The option takes an amount of memory as in parse_bytes(); the option's variable is a double.
CLI::Option* bytes(CLI::Option* option);

// The option takes bytes per unit of time: an amount as in parse_bytes() above 0, or "inf"; its variable is a double.
CLI::Option* bandwidth(CLI::Option* option);

// "17179869184", "1.6e10", "16GiB", "16 GB": a number of bytes, with a suffix of powers of 1024 (KiB MiB GiB TiB) or of
// 1000 (KB MB GB TB), in any case. Nothing for anything else, and for what is negative or not finite.
std::optional<double> parse_bytes(std::string_view text);

}  // namespace partita::app
