// SPDX-License-Identifier: Apache-2.0
// The devices that have something to do, in the order in which people want to read of them.
#pragma once

#include <vector>

#include "partita/check/check.h"

namespace partita::detail {

// Those with nodes of their own, so without copies: in pipeline order where there is one, else by number.
std::vector<DeviceId> devices_in_use(const CheckReport& report);

// Each of `originals`, followed by its copies.
std::vector<DeviceId> with_copies(const CheckReport& report, const std::vector<DeviceId>& originals);

}  // namespace partita::detail
