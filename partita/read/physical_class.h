// SPDX-License-Identifier: Apache-2.0
// A class of devices that says what its devices can do, or names a device that is known.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "partita/model/device_rates.h"
#include "partita/model/platform.h"
#include "partita/read/fields.h"

namespace partita::detail {

bool is_physical_class(const ObjectView& fields);

// A link by its name, or {"bandwidth": "55 GB/s", "latency": "10 us"}; in seconds per byte and seconds. Throws InputError.
Link read_physical_link(const nlohmann::json& value, const Place& place);

// Memory, link, and what a device can do; `one` has its name and, where the fields say it, its kind. Links are in seconds per byte and
// seconds. Throws InputError.
DeviceRates read_physical_class(const ObjectView& fields, DeviceClass& one);

}  // namespace partita::detail
