// SPDX-License-Identifier: Apache-2.0
#include "partita/model/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>

#include "partita/util/error.h"
#include "partita/util/nearest_name.h"
#include "partita/util/visible_text.h"

namespace partita {
namespace {

using detail::nearest_name, detail::visible;

// The shortest text that reads back as the same number.
std::string number_text(double number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return std::string(buffer, end);
}

// Large limits of whole numbers are written out.
std::string limit_text(double limit, bool whole) {
  return whole ? std::to_string(static_cast<std::uint64_t>(limit)) : number_text(limit);
}

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

// False if the text is no value of the field.
bool assign(const SettingField& field, std::string_view text) {
  return std::visit(
      [&](auto* place) {
        using Value = std::remove_pointer_t<decltype(place)>;
        if constexpr (std::is_same_v<Value, bool>) {
          if (text != "true" && text != "false") return false;
          *place = text == "true";
        } else if constexpr (std::is_same_v<Value, std::string>) {
          if (std::find(field.words.begin(), field.words.end(), text) == field.words.end()) return false;
          *place = text;
        } else {
          const std::optional<double> number = parse_number(text);
          if (!number || !(*number >= field.least && *number <= field.most)) return false;
          if (!std::is_same_v<Value, double> && *number != std::floor(*number)) return false;
          *place = static_cast<Value>(*number);
        }
        return true;
      },
      field.place);
}

// "auto, cbc or highs".
std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  return text;
}

std::string in_quotes(std::string_view text) {
  std::string result("'");
  return result.append(visible(text)).append("'");
}

SettingFields with_full_names(Settings& settings) {
  SettingFields all;
  for (SettingGroup& group : describe(settings)) {
    for (SettingField& field : group.fields) {
      field.name = group.solver + "." + field.name;
      all.push_back(std::move(field));
    }
  }
  return all;
}

}  // namespace

std::string SettingField::value() const {
  return std::visit(
      [](const auto* at) -> std::string {
        using Value = std::remove_cv_t<std::remove_pointer_t<decltype(at)>>;
        if constexpr (std::is_same_v<Value, bool>)
          return *at ? "true" : "false";
        else if constexpr (std::is_same_v<Value, std::string>)
          return *at;
        else if constexpr (std::is_same_v<Value, double>)
          return number_text(*at);
        else
          return std::to_string(*at);
      },
      place);
}

std::string SettingField::range() const {
  if (is_switch()) return "true or false";
  if (is_word()) return alternatives(words);
  const bool whole = !std::holds_alternative<double*>(place);
  return (whole ? "a whole number from " : "a number from ") + limit_text(least, whole) + " to " +
         limit_text(most, whole) + (unit.empty() ? "" : " (" + unit + ")");
}

std::vector<SettingGroup> describe(Settings& settings) {
  return {
      {"presolve", "what makes the questions about staged splits smaller", describe(settings.presolve)},
      {"staged", "staged splits for throughput, on accelerators and hosts", describe(settings.staged)},
      {"setups", "staged splits on classes of devices, clusters, with copies", describe(settings.setups)},
      {"free", "free splits for throughput", describe(settings.free)},
      {"latency", "splits for latency", describe(settings.latency)},
      {"mip", "integer programs, by CBC or HiGHS", describe(settings.mip)},
      {"portfolio", "who is asked, and for how much of the time", describe(settings.portfolio)},
  };
}

std::vector<std::string> setting_names() {
  Settings defaults;
  std::vector<std::string> names;
  for (SettingField& field : with_full_names(defaults)) names.push_back(std::move(field.name));
  return names;
}

void set(Settings& settings, std::string_view assignment) {
  const auto refuse = [](const std::string& problem) { throw InputError(ErrorKind::Usage, "settings", problem); };
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos)
    refuse(in_quotes(assignment) + " is not of the form solver.name=value, such as staged.annealing=false");
  const std::string name(assignment.substr(0, equals));
  const std::string_view text = assignment.substr(equals + 1);
  const SettingFields all = with_full_names(settings);
  const auto field = std::find_if(all.begin(), all.end(), [&](const SettingField& one) { return one.name == name; });
  if (field == all.end()) {
    const std::optional<std::string> nearest = nearest_name(name, setting_names());
    refuse("there is no setting " + in_quotes(name) +
           (nearest ? "; did you mean " + *nearest + "?" : "; `partita help settings` lists all"));
  }
  if (!assign(*field, text)) refuse(in_quotes(text) + " is no value of " + name + ", which is " + field->range());
}

SettingFields changed(Settings& settings) {
  Settings defaults;
  const SettingFields usual = with_full_names(defaults);
  SettingFields all = with_full_names(settings), result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].value() != usual[i].value()) result.push_back(std::move(all[i]));
  }
  return result;
}

}  // namespace partita
