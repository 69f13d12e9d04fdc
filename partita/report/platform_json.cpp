// SPDX-License-Identifier: Apache-2.0
#include "partita/report/platform_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "partita/report/pretty_json.h"

namespace partita::detail {

using nlohmann::ordered_json;

ordered_json class_json(const DeviceClass& one, double time_factor) {
  ordered_json out{{"name", one.name}, {"kind", to_string(one.kind)}, {"count", one.count}};
  if (std::isfinite(one.memory)) out["memory"] = one.memory;
  if (time_factor != 1) out["timeFactor"] = time_factor;
  if (one.kind == DeviceKind::Accelerator && one.link_factor != 1) out["linkFactor"] = one.link_factor;
  if (one.kind == DeviceKind::Accelerator && one.link_latency != 0) out["linkLatency"] = one.link_latency;
  if (one.contention != 1) out["contention"] = one.contention;
  return out;
}

namespace {

ordered_json link_json(const Link& link) { return {{"factor", link.factor}, {"latency", link.latency}}; }

}  // namespace

ordered_json cluster_json(const Platform& platform, const Cluster& cluster) {
  ordered_json out =
      cluster.link ? ordered_json{{"link", link_json(*cluster.link)}} : ordered_json{{"factor", cluster.factor}};
  for (ClassId c : platform.classes.all()) {
    if (cluster.devices[c] > 0) out["devices"][platform.classes[c].name] = cluster.devices[c];
  }
  for (std::size_t i = 0; i < cluster.clusters.size();) {
    std::size_t next = i + 1;  // equal neighbours are written once
    while (next < cluster.clusters.size() && cluster.clusters[next] == cluster.clusters[i]) ++next;
    ordered_json inside = cluster_json(platform, cluster.clusters[i]);
    if (next - i > 1) inside["count"] = next - i;
    out["clusters"].push_back(std::move(inside));
    i = next;
  }
  return out;
}

namespace {

ordered_json physical_link_json(const Link& link) {
  return {{"bandwidth", 1 / link.factor}, {"latency", link.latency}};
}

ordered_json physical_class_json(const DeviceClass& one, const DeviceRates& rates) {
  DeviceClass without_link = one;
  without_link.link_factor = 1;
  without_link.link_latency = 0;
  ordered_json out = class_json(without_link);
  for (const auto& [type, flops] : rates.flops) out["flops"][to_string(type)] = flops;
  out["memoryBandwidth"] = rates.memory_bandwidth;
  out["launch"] = rates.launch;
  if (one.kind == DeviceKind::Accelerator) out["link"] = physical_link_json({one.link_factor, one.link_latency});
  return out;
}

// cluster_json has written the links as factors.
void make_links_physical(const Cluster& cluster, ordered_json& json) {
  if (cluster.link) json["link"] = physical_link_json(*cluster.link);
  if (!json.contains("clusters")) return;
  std::size_t at = 0;
  for (ordered_json& inside : json["clusters"]) {
    make_links_physical(cluster.clusters[at], inside);
    at += inside.value("count", std::size_t{1});
  }
}

}  // namespace

ordered_json shared_links_json(const Platform& platform, bool physical) {
  ordered_json list = ordered_json::array();
  for (const SharedLink& one : platform.shared_links) {
    ordered_json out{{"name", one.name}};
    for (ClassId c : one.classes) out["classes"].push_back(platform.classes[c].name);
    if (one.level > 0) out["level"] = one.level;
    out.update(physical ? physical_link_json(one.link) : link_json(one.link));
    list.push_back(std::move(out));
  }
  return list;
}

ordered_json platform_object(const PlatformSpec& spec) {
  const Platform& platform = spec.platform;
  ordered_json out{{"version", 1}, {"classes", ordered_json::array()}};
  for (ClassId c : platform.classes.all()) {
    const DeviceClass& one = platform.classes[c];
    out["classes"].push_back(is_physical(spec) ? physical_class_json(one, spec.rates[c])
                                               : class_json(one, spec.time_factor.empty() ? 1 : spec.time_factor[c]));
  }
  if (platform.clusters) {
    out["clusters"] = cluster_json(platform, *platform.clusters);
    if (is_physical(spec)) make_links_physical(*platform.clusters, out["clusters"]);
  }
  if (!platform.shared_links.empty()) out["sharedLinks"] = shared_links_json(platform, is_physical(spec));
  if (std::isfinite(platform.sync_bandwidth)) out["syncBandwidth"] = whole_if_exact(platform.sync_bandwidth);
  return out;
}

}  // namespace partita::detail
