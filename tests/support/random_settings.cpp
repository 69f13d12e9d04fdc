// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_settings.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "partita/solve/mip/highs_backend.h"

namespace partita {
namespace {

constexpr double kMostTimesDefault = 8;  // more only makes tests slow

double number_of(const SettingField& field) {
  return std::visit(
      [](const auto* place) -> double {
        if constexpr (std::is_same_v<decltype(place), const std::string*>)
          return 0;
        else
          return static_cast<double>(*place);
      },
      field.place);
}

}  // namespace

Settings random_settings(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto chance = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  Settings settings;
  for (const SettingGroup& group : describe(settings)) {
    for (const SettingField& field : group.fields) {
      if (chance() < 0.5) continue;
      std::string value = "false";
      if (field.is_word()) {
        value = field.words[random() % field.words.size()];
      } else if (!field.is_switch()) {
        const double most = std::min(field.most, kMostTimesDefault * std::max(number_of(field), 1.0));
        // Small numbers as often as large ones.
        const double number = field.least + (most - field.least) * std::pow(chance(), 4);
        value = std::to_string(std::holds_alternative<double*>(field.place) ? number : std::floor(number));
      }
      set(settings, group.solver + "." + field.name + "=" + value);
    }
  }
  if (settings.mip.backend == "highs" && !detail::highs_is_here()) settings.mip.backend = "auto";
  return settings;
}

std::string settings_text(Settings settings) {
  std::string text;
  for (const SettingField& field : changed(settings)) text += field.name + "=" + field.value() + " ";
  return text;
}

}  // namespace partita
