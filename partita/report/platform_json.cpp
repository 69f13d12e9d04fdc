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

ordered_json platform_object(const Platform& platform, const IdVector<ClassId, double>& time_factor) {
  ordered_json out{{"version", 1}, {"classes", ordered_json::array()}};
  for (ClassId c : platform.classes.all())
    out["classes"].push_back(class_json(platform.classes[c], time_factor.empty() ? 1 : time_factor[c]));
  if (platform.clusters) out["clusters"] = cluster_json(platform, *platform.clusters);
  if (std::isfinite(platform.sync_bandwidth)) out["syncBandwidth"] = whole_if_exact(platform.sync_bandwidth);
  return out;
}

}  // namespace partita::detail
