// SPDX-License-Identifier: Apache-2.0
// Reads platform objects (docs/formats.md, "Platforms"): classes of devices, and the clusters that they are in. One may
// be in a workload's file or in a file of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partita/model/device_rates.h"
#include "partita/model/platform.h"
#include "partita/read/read_options.h"

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

// `path` may be "-" for standard input. Throws InputError; the platform returned has a device, and counts that agree
// with its clusters.
PlatformSpec read_platform(const std::string& path, const ReadOptions& options = {});

// The same from bytes in memory; `source` is the name used in error messages.
PlatformSpec parse_platform(std::string_view bytes, const std::string& source, const ReadOptions& options = {});

inline bool is_physical(const PlatformSpec& spec) { return !spec.rates.empty(); }

}  // namespace partita
