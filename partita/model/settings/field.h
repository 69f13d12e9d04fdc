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
  using Place = std::variant<bool*, int*, std::uint64_t*, double*>;

  SettingField(std::string its_name, bool* flag, std::string its_help)
      : name(std::move(its_name)), place(flag), help(std::move(its_help)) {}
  SettingField(std::string its_name, Place number, double from, double to, std::string its_unit, std::string its_help)
      : name(std::move(its_name)),
        place(number),
        least(from),
        most(to),
        unit(std::move(its_unit)),
        help(std::move(its_help)) {}

  std::string name;  // within its solver: "windows"
  Place place;       // in the struct that was described
  double least = 0, most = 1;
  std::string unit;  // "ticks", "of the time that is left"
  std::string help;  // what it means, and when to touch it

  bool is_switch() const { return std::holds_alternative<bool*>(place); }
  // As it is written behind `--set NAME=`.
  std::string value() const;
  // "true or false", "1 to 4096 buckets".
  std::string range() const;
};

using SettingFields = std::vector<SettingField>;

}  // namespace partita
