// SPDX-License-Identifier: Apache-2.0
// Physical figures in JSON: numbers in bytes and seconds, or texts with units ("55 GB/s"), and the two things made of them,
// a link and what a device can do.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "partita/model/device_rates.h"
#include "partita/model/platform.h"
#include "partita/read/fields.h"

namespace partita::detail {

enum class Quantity { Bytes, Seconds, Bandwidth, Flops };

// A field that is a number in SI units or a text with a unit; nothing where it is absent. Throws InputError.
std::optional<double> quantity(const ObjectView& fields, const char* key, Quantity kind);

// {"bandwidth": "55 GB/s", "latency": "10 us"} in seconds per byte and seconds.
Link physical_link(const ObjectView& fields);

// The field `flops` of a class: peaks by type, of which there is one at least.
std::map<DataType, double> peak_flops(const ObjectView& fields);

// {"flops": {"fp16": "312 TFLOP/s"}, "memoryBandwidth": "2039 GB/s", "launch": "4 us"}.
DeviceRates device_rates(const ObjectView& fields);

}  // namespace partita::detail
