// SPDX-License-Identifier: Apache-2.0
// What our pictures share: text that is safe in XML, and the colours of devices.
#pragma once

#include <string>
#include <string_view>

#include "partita/util/ids.h"

namespace partita::detail {

// Also safe inside a quoted attribute. What XML cannot hold, and what cannot be seen, is made visible.
std::string svg_escaped(std::string_view text);

// By number, from a palette of ten that can be told apart in light and dark; web/src/colours.ts has the same.
const char* device_colour(DeviceId device);

// Between two marks of an axis that has about `steps` of them up to `largest`: 1, 2 or 5 times a power of ten.
double tick_step(double largest, double steps);

}  // namespace partita::detail
