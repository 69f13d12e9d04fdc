// SPDX-License-Identifier: Apache-2.0
#include "partita/read/platform_overrides.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "partita/util/error.h"

namespace partita {
namespace {

[[noreturn]] void refuse(const char* what, const std::string& problem) {
  throw InputError(ErrorKind::BadPlatform, what, problem);
}

// The class that is meant where only a kind is named.
DeviceClass& only_class(Platform& platform, DeviceKind kind, const char* what) {
  const std::vector<ClassId> classes = platform.classes_of(kind);
  if (classes.size() == 1) return platform.classes[classes.front()];
  std::string names;
  for (ClassId one : classes) names += (names.empty() ? "" : ", ") + platform.classes[one].name;
  refuse(what,
         classes.empty()
             ? fmt::format("the platform has no class of {}s; expected one, so add it to the platform", to_string(kind))
             : fmt::format("the platform has {} classes of {}s ({}); expected one, so change the platform itself",
                           classes.size(), to_string(kind), names));
}

void override_count(const std::optional<int>& count, DeviceKind kind, const char* what, Platform& platform) {
  if (!count) return;
  DeviceClass& one = only_class(platform, kind, what);
  if (platform.clusters) {
    refuse(what,
           "the platform says in which clusters its devices are; expected one without clusters, so change the "
           "numbers in the clusters themselves");
  }
  one.count = checked_count(*count, what);
}

int innermost_clusters(const std::vector<ClusterLevel>& levels) {
  std::int64_t total = 1;
  for (const ClusterLevel& level : levels) {
    if (level.count < 1 || level.count > kMaxClusters || !(level.factor >= 0) || std::isinf(level.factor)) {
      refuse("clusters", fmt::format("found {} clusters with factor {}; expected from 1 to {} clusters, and a factor "
                                     "of 0 or more",
                                     level.count, level.factor, kMaxClusters));
    }
    total *= level.count;
    if (total > kMaxClusters) {
      refuse("clusters", fmt::format("found {} innermost clusters; expected at most {}", total, kMaxClusters));
    }
  }
  return static_cast<int>(total);
}

Cluster dealt_out(const Platform& platform, const std::vector<ClusterLevel>& levels) {
  if (platform.clusters) refuse("clusters", "the platform has clusters already; expected one without clusters");
  const int innermost = innermost_clusters(levels);
  const IdVector<ClassId, int> none(platform.classes.size(), 0);
  IdVector<ClassId, int> hosts = none;
  Cluster cluster{1, none, {}};
  for (ClassId c : platform.classes.all()) {
    const DeviceClass& one = platform.classes[c];
    if (one.kind == DeviceKind::Host) {
      hosts[c] = one.count;
      continue;
    }
    if (one.count % innermost != 0) {
      refuse("clusters", fmt::format("the {} devices of the class {} cannot be dealt out evenly over {} clusters; "
                                     "expected a number of clusters that divides theirs",
                                     one.count, one.name, innermost));
    }
    cluster.devices[c] = one.count / innermost;
  }
  // From the inside out: each round puts so many of what there is into one cluster around them.
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    cluster.factor = level->factor;
    cluster = Cluster{1, none, std::vector<Cluster>(static_cast<std::size_t>(level->count), cluster)};
  }
  cluster.devices = hosts;
  return cluster;
}

}  // namespace

int checked_count(int count, const char* what) {
  if (count < 0 || count > kMaxDevicesOfAKind) {
    refuse(what, fmt::format("found {}; expected the number of {}, an integer from 0 to {}", count, what,
                             kMaxDevicesOfAKind));
  }
  return count;
}

double checked_memory(double memory) {
  if (std::isnan(memory) || memory < 0) {
    refuse("memory", fmt::format("found {}; expected the memory of an accelerator, in bytes, 0 or more", memory));
  }
  return memory;
}

void override_devices(const PlatformOverrides& overrides, Platform& platform) {
  override_count(overrides.accelerators, DeviceKind::Accelerator, "accelerators", platform);
  override_count(overrides.hosts, DeviceKind::Host, "hosts", platform);
  if (overrides.memory) {
    only_class(platform, DeviceKind::Accelerator, "memory").memory = checked_memory(*overrides.memory);
  }
  if (platform.device_count() == 0) {
    refuse("platform", "there are no devices: 0 accelerators and 0 hosts; expected at least one device");
  }
}

void override_links(const PlatformOverrides& overrides, PlatformSpec& spec) {
  Platform& platform = spec.platform;
  if (overrides.sync_bandwidth) {
    if (!(*overrides.sync_bandwidth > 0)) {
      refuse("sync bandwidth",
             fmt::format("found {}; expected bytes per unit of time, above 0", *overrides.sync_bandwidth));
    }
    constexpr double kUnitsPerSecond = 1e3;
    platform.sync_bandwidth = *overrides.sync_bandwidth * (is_physical(spec) ? kUnitsPerSecond : 1);
  }
  if (!overrides.clusters.empty()) platform.clusters = dealt_out(platform, overrides.clusters);
}

}  // namespace partita
