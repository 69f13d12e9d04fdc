// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/usable_devices.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>

namespace partita::detail {
namespace {

std::size_t levels(const Cluster& cluster) {
  std::size_t deepest = 0;
  for (const Cluster& inside : cluster.clusters) deepest = std::max(deepest, levels(inside));
  return 1 + deepest;
}

std::size_t most_in_use(const Problem& problem) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  std::size_t most = std::max<std::size_t>(problem.workload->graph.nodes.size(), 1);
  if (problem.replicas <= 1) return most;
  const auto& clusters = problem.workload->platform.clusters;
  for (std::size_t level = clusters ? levels(*clusters) : 1; level > 0 && most < kMost; --level)
    most *= static_cast<std::size_t>(problem.replicas);
  return std::min(most, kMost);
}

// Equal clusters have equal hashes.
std::size_t hash_of(const Cluster& cluster) {
  std::size_t hash = std::hash<double>()(cluster.factor);
  const auto mix = [&](std::size_t more) { hash = hash * 0x9e3779b97f4a7c15ull + more + 1; };
  if (cluster.link) mix(std::hash<double>()(cluster.link->factor) ^ (std::hash<double>()(cluster.link->latency) << 1));
  for (const int count : cluster.devices) mix(static_cast<std::size_t>(count));
  for (const Cluster& inside : cluster.clusters) mix(hash_of(inside));
  return hash;
}

class Thinning {
 public:
  Thinning(std::size_t classes, std::size_t most) : most_(most), next_(classes, 0), kept_(classes) {}

  void keep(ClassId c, std::size_t count) {
    for (std::size_t i = 0; i < std::min(count, most_); ++i) kept_[c].push_back(next_[c] + i);
    next_[c] += count;
  }

  Cluster keep(const Cluster& cluster) {
    Cluster thin{cluster.factor, cluster.devices, {}, cluster.link};
    for (ClassId c : cluster.devices.all()) {
      keep(c, static_cast<std::size_t>(cluster.devices[c]));
      thin.devices[c] = static_cast<int>(std::min(static_cast<std::size_t>(cluster.devices[c]), most_));
    }
    std::unordered_map<std::size_t, std::vector<std::pair<const Cluster*, std::size_t>>> equals;
    for (const Cluster& inside : cluster.clusters) {
      auto& alike = equals[hash_of(inside)];
      auto known = std::ranges::find_if(alike, [&](const auto& other) { return *other.first == inside; });
      if (known == alike.end()) known = alike.insert(known, {&inside, 0});
      if (known->second++ < most_) {
        thin.clusters.push_back(keep(inside));
      } else {
        skip(inside);
      }
    }
    return thin;
  }

  // By class: the places within the class of the devices that are kept.
  const IdVector<ClassId, std::vector<std::size_t>>& kept() const { return kept_; }

 private:
  void skip(const Cluster& cluster) {
    for (ClassId c : cluster.devices.all()) next_[c] += static_cast<std::size_t>(cluster.devices[c]);
    for (const Cluster& inside : cluster.clusters) skip(inside);
  }

  const std::size_t most_;
  IdVector<ClassId, std::size_t> next_;
  IdVector<ClassId, std::vector<std::size_t>> kept_;
};

}  // namespace

std::optional<UsableDevices> leave_out_idle(const Problem& problem) {
  const Platform& platform = problem.workload->platform;
  const std::size_t most = most_in_use(problem);
  if (platform.device_count() <= most) return std::nullopt;
  Thinning thinning(platform.classes.size(), most);
  UsableDevices usable;
  usable.platform = platform;
  if (platform.clusters) {
    usable.platform.clusters = thinning.keep(*platform.clusters);
  } else {
    for (ClassId c : platform.classes.all()) thinning.keep(c, static_cast<std::size_t>(platform.classes[c].count));
  }
  for (ClassId c : platform.classes.all()) {
    usable.platform.classes[c].count = static_cast<int>(thinning.kept()[c].size());
    for (const std::size_t place : thinning.kept()[c])
      usable.original.push_back(DeviceId(platform.first_device(c).index() + place));
  }
  if (usable.original.size() == platform.device_count()) return std::nullopt;
  return usable;
}

Split lift_devices(const UsableDevices& usable, std::size_t device_count, const Split& split) {
  Split lifted = split;
  for (DeviceId& d : lifted.device_of) d = usable.original[d];
  for (DeviceId& d : lifted.order) d = usable.original[d];
  if (split.copy_of.size() > 0) {
    lifted.copy_of.resize(device_count);
    for (DeviceId d : lifted.copy_of.all()) lifted.copy_of[d] = d;
    for (DeviceId d : split.copy_of.all()) lifted.copy_of[usable.original[d]] = usable.original[split.copy_of[d]];
  }
  if (split.recomputes.size() > 0) {
    lifted.recomputes.assign(device_count, 0);
    for (DeviceId d : split.recomputes.all()) lifted.recomputes[usable.original[d]] = split.recomputes[d];
  }
  return lifted;
}

}  // namespace partita::detail
