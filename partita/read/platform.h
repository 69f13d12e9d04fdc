// SPDX-License-Identifier: Apache-2.0
// Reads platform objects (docs/formats.md, "Platforms"): classes of devices, and the clusters that they are in. One may
// be in a workload's file or in a file of its own.
#pragma once

#include <string>
#include <string_view>

#include "partita/model/platform_spec.h"
#include "partita/read/read_options.h"

namespace partita {

// `path` may be "-" for standard input. Throws InputError; the platform returned has a device, and counts that agree
// with its clusters.
PlatformSpec read_platform(const std::string& path, const ReadOptions& options = {});

// The same from bytes in memory; `source` is the name used in error messages.
PlatformSpec parse_platform(std::string_view bytes, const std::string& source, const ReadOptions& options = {});

}  // namespace partita
