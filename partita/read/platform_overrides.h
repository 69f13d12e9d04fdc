// SPDX-License-Identifier: Apache-2.0
// What to use instead of the platform in a workload's file.
#pragma once

#include <optional>
#include <vector>

#include "partita/read/platform.h"

namespace partita {

// One level of clusters: so many in each cluster of the level around it, with this factor inside.
struct ClusterLevel {
  int count = 1;
  double factor = 1;
};

// A field that is overridden need not be in the file.
struct PlatformOverrides {
  std::optional<int> accelerators = std::nullopt;  // for maxFPGAs, or for the count of the only class of accelerators
  std::optional<double> memory = std::nullopt;     // for maxSizePerFPGA, or likewise; in bytes, kUnlimited is allowed
  std::optional<int> hosts = std::nullopt;         // for maxCPUs, or for the count of the only class of hosts
  std::optional<PlatformSpec> platform = std::nullopt;  // for whatever the file says; the fields above apply to it
  // Outermost first; none: the platform's own. The accelerators, class by class, are dealt out evenly over the
  // innermost clusters; hosts stay outside of them, in a cluster of factor 1 around all. For platforms without
  // clusters.
  std::vector<ClusterLevel> clusters = {};
  std::optional<double> sync_bandwidth = std::nullopt;  // above 0; kUnlimited is allowed
};

// Throws InputError where an override makes no sense or does not fit the platform. `accelerators`, `memory` and `hosts`
// are for platforms as objects; those of the paper's fields are applied as the fields are read.
void override_devices(const PlatformOverrides& overrides, Platform& platform);
// A physical platform's sync_bandwidth is in bytes per second, the override in those of workloads made on it, which are in ms.
void override_links(const PlatformOverrides& overrides, PlatformSpec& spec);

// How many devices of a kind a caller asks for, and how much memory: as given, or an InputError.
int checked_count(int count, const char* what);
double checked_memory(double memory);

}  // namespace partita
