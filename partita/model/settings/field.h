// SPDX-License-Identifier: Apache-2.0
// A setting as people and programs see it: its name, where its value is, and what may stand there.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace partita {

struct SettingField {
  using Place = std::variant<bool*, int*, std::uint64_t*, double*, std::string*>;

  SettingField(std::string its_name, bool* flag, std::string its_help)
      : name(std::move(its_name)), place(flag), help(std::move(its_help)) {}
  SettingField(std::string its_name, Place number, double from, double to, std::string its_unit, std::string its_help)
      : name(std::move(its_name)),
        place(number),
        least(from),
        most(to),
        unit(std::move(its_unit)),
        help(std::move(its_help)) {}

  SettingField(std::string its_name, std::string* word, std::vector<std::string> its_words, std::string its_help)
      : name(std::move(its_name)), place(word), words(std::move(its_words)), help(std::move(its_help)) {}

  std::string name;  // within its solver: "windows"
  Place place;       // in the struct that was described
  double least = 0, most = 1;
  std::string unit;                // "ticks", "of the time that is left"
  std::vector<std::string> words;  // one of them, where it is a word
  std::string help;                // what it means, and when to touch it

  bool is_switch() const { return std::holds_alternative<bool*>(place); }
  bool is_word() const { return std::holds_alternative<std::string*>(place); }
  // As it is written behind `--set NAME=`.
  std::string value() const;
  // "true or false", "1 to 4096 buckets", "auto, cbc or highs".
  std::string range() const;
};

using SettingFields = std::vector<SettingField>;

}  // namespace partita
