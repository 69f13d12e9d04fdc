// SPDX-License-Identifier: Apache-2.0
// A platform with what times are made of on it.
#pragma once

#include <string>
#include <vector>

#include "partita/model/device_rates.h"
#include "partita/model/platform.h"

namespace partita {

struct PlatformSpec {
  Platform platform;
  // How many times longer a class takes than what a node says of its kind (fpgaLatency, cpuLatency). Empty: 1 for all.
  IdVector<ClassId, double> time_factor = {};
  // What the devices can do, of a physical platform: its links are then in seconds per byte and seconds, and it is `cost`
  // that makes times of both. Empty: the platform prices what others have measured.
  IdVector<ClassId, DeviceRates> rates = {};
  std::vector<std::string> notes = {};  // what the reader of its file found odd, a line each
};

inline bool is_physical(const PlatformSpec& spec) { return !spec.rates.empty(); }

}  // namespace partita
