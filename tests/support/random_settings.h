// SPDX-License-Identifier: Apache-2.0
// Settings at random: every switch, share and size that research may change.
#pragma once

#include <cstdint>
#include <string>

#include "partita/model/settings.h"

namespace partita {

// About half of all settings differ from their defaults: switches are off, numbers anywhere between their least and a
// few times the default, within the range.
Settings random_settings(std::uint64_t seed);

// "staged.annealing=false free.first_turn=17": those that differ, for messages.
std::string settings_text(Settings settings);

}  // namespace partita
