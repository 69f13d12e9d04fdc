// SPDX-License-Identifier: Apache-2.0
// Reads the profiles of PipeDream's planner (graph.txt): layers with forward and backward times, and what passes
// between them.
#pragma once

#include <string>
#include <string_view>

#include "partita/model/workload.h"
#include "partita/read/platform_overrides.h"

namespace partita::detail {

// Bytes per second of the links; PipeDream's planner takes as many where nobody says. Its files have sizes, not times,
// of transfers.
inline constexpr double kPipedreamBandwidth = 1e9;

bool looks_like_pipedream(std::string_view beginning);

// A layer with a backward time becomes two nodes that share a device, and edges have mirror images in the backward
// pass. `path` may be "-". The file names no devices: `overrides` must. Throws InputError.
Workload read_pipedream(const std::string& path, const PlatformOverrides& overrides,
                        double bandwidth = kPipedreamBandwidth);
Workload parse_pipedream(std::string_view bytes, const std::string& source, const PlatformOverrides& overrides,
                         double bandwidth = kPipedreamBandwidth);

}  // namespace partita::detail
