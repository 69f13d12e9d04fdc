// SPDX-License-Identifier: Apache-2.0
#include "partita/report/platform_json.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace partita::detail {
namespace {

constexpr int kPlatformVersion = 1;

void add_class(const DeviceClass& one, double time_factor, JsonWriter& json) {
  json.field("name", one.name);
  json.field("kind", to_string(one.kind));
  json.field("count", one.count);
  if (std::isfinite(one.memory)) json.field("memory", one.memory);
  if (time_factor != 1) json.field("timeFactor", time_factor);
  if (one.kind == DeviceKind::Accelerator && one.link_factor != 1) json.field("linkFactor", one.link_factor);
  if (one.kind == DeviceKind::Accelerator && one.link_latency != 0) json.field("linkLatency", one.link_latency);
  if (one.contention != 1) json.field("contention", one.contention);
}

void add_link(const Link& link, bool physical, JsonWriter& json) {
  physical ? json.field("bandwidth", 1 / link.factor) : json.field("factor", link.factor);
  json.field("latency", link.latency);
}

void write_link(const Link& link, bool physical, JsonWriter& json) {
  json.object([&] { add_link(link, physical, json); });
}

void add_shared_link(const Platform& platform, const SharedLink& one, bool physical, JsonWriter& json) {
  json.field("name", one.name);
  if (!one.classes.empty()) json.column("classes", one.classes, [&](ClassId c) { return platform.classes[c].name; });
  if (one.level > 0) json.field("level", one.level);
  add_link(one.link, physical, json);
}

void add_physical_class(const DeviceClass& one, const DeviceRates& rates, JsonWriter& json) {
  DeviceClass without_link = one;
  without_link.link_factor = 1;
  without_link.link_latency = 0;
  add_class(without_link, 1, json);
  json.key("flops").object([&] {
    for (const auto& [type, flops] : rates.flops) json.field(to_string(type), flops);
  });
  json.field("memoryBandwidth", rates.memory_bandwidth);
  json.field("launch", rates.launch);
  if (one.kind == DeviceKind::Accelerator) {
    write_link({one.link_factor, one.link_latency}, true, json.key("link"));
  }
}

// `count`: how many such clusters stand side by side.
void write_cluster(const Platform& platform, const Cluster& cluster, bool physical, std::size_t count,
                   JsonWriter& json) {
  json.object([&] {
    if (cluster.link) {
      write_link(*cluster.link, physical, json.key("link"));
    } else {
      json.field("factor", cluster.factor);
    }
    if (std::ranges::any_of(cluster.devices, [](int devices) { return devices > 0; })) {
      json.key("devices").object([&] {
        for (ClassId c : platform.classes.all()) {
          if (cluster.devices[c] > 0) json.field(platform.classes[c].name, cluster.devices[c]);
        }
      });
    }
    if (!cluster.clusters.empty()) {
      json.key("clusters").array([&] {
        for (std::size_t i = 0; i < cluster.clusters.size();) {
          std::size_t next = i + 1;  // equal neighbours are written once
          while (next < cluster.clusters.size() && cluster.clusters[next] == cluster.clusters[i]) ++next;
          write_cluster(platform, cluster.clusters[i], physical, next - i, json);
          i = next;
        }
      });
    }
    if (count > 1) json.field("count", count);
  });
}

}  // namespace

void write_platform(const PlatformSpec& spec, JsonWriter& json) {
  const Platform& platform = spec.platform;
  const bool physical = is_physical(spec);
  json.object([&] {
    json.field("version", kPlatformVersion);
    json.rows("classes", platform.classes.all(), [&](ClassId c) {
      if (physical) {
        add_physical_class(platform.classes[c], spec.rates[c], json);
      } else {
        add_class(platform.classes[c], spec.time_factor.empty() ? 1 : spec.time_factor[c], json);
      }
    });
    if (platform.clusters) write_cluster(platform, *platform.clusters, physical, 1, json.key("clusters"));
    if (!platform.shared_links.empty()) {
      json.rows("sharedLinks", platform.shared_links,
                [&](const SharedLink& one) { add_shared_link(platform, one, physical, json); });
    }
    if (std::isfinite(platform.sync_bandwidth)) json.field("syncBandwidth", platform.sync_bandwidth);
  });
}

}  // namespace partita::detail
