// SPDX-License-Identifier: Apache-2.0
// Efficiencies as a file, so that what was measured on one's own devices counts in every plan (docs/costs.md).
#pragma once

#include <string>
#include <string_view>

#include "partita/cost/calibrate.h"
#include "partita/cost/efficiencies.h"

namespace partita {

// Version 1 of the format; `device` and `type` say what it was fitted to.
std::string efficiencies_json(const Calibration& calibration, const std::string& device, DataType type);

// `path` may be "-". Families that the file does not name have the efficiencies that are built in. Throws InputError.
Efficiencies read_efficiencies(const std::string& path);

namespace detail {

Efficiencies parse_efficiencies(std::string_view text, const std::string& source);

}  // namespace detail

}  // namespace partita
