// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "partita/read/profile.h"
#include "partita/read/profile_names.h"

namespace partita::detail {

Profile parse_measurement(std::string_view text, const std::string& source, const ProfileNames& names);

}  // namespace partita::detail
