// SPDX-License-Identifier: Apache-2.0
// Platforms written in one line.
//
//   level = term { "+" term }          devices and groups that are next to each other, and at most one link between them
//   term  = [ COUNT "x" ] ( NAME | "(" level ")" )
//   NAME  = a device, a device and its link ("a100-nvlink"), a link, or a server
//
// A group in parentheses is a cluster. The link of a level is what its devices and clusters reach each other by; a level without
// one leaves each device its own link. Devices of one name are one class, wherever they stand.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "partita/read/presets.h"
#include "partita/util/error.h"
#include "partita/util/nearest_name.h"

namespace partita {

using namespace detail;

namespace {

constexpr int kDeepest = 8;      // levels of parentheses
constexpr int kMostTerms = 200;  // in all, servers included

// A device with the link that its name asks for: "a100" on its usual one, "a100-nvlink" or "a100-peer" on that between
// devices of its kind, "a100-eth10" on any link there is.
std::optional<DevicePreset> find_device(std::string_view name) {
  if (const DevicePreset* preset = find_preset(device_presets(), name)) return *preset;
  for (const DevicePreset& preset : device_presets()) {
    if (!name.starts_with(preset.name + "-")) continue;
    const std::string_view wish = name.substr(preset.name.size() + 1);
    std::string link(wish);
    if (wish == "peer" || (wish == "nvlink" && preset.peer.starts_with("nvlink"))) link = preset.peer;
    if (wish == "pcie" && preset.link.starts_with("pcie")) link = preset.link;
    const LinkPreset* found = find_preset(link_presets(), link);
    if (!found || preset.device.kind == DeviceKind::Host) continue;
    DevicePreset result = preset;
    result.name = result.device.name = std::string(name);
    result.device.link_factor = found->link.factor;
    result.device.link_latency = found->link.latency;
    result.link = link;
    return result;
  }
  return std::nullopt;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const DevicePreset& preset : device_presets()) {
    names.push_back(preset.name);
    if (!preset.peer.empty()) names.push_back(preset.name + (preset.peer.starts_with("nvlink") ? "-nvlink" : "-peer"));
  }
  for (const LinkPreset& preset : link_presets()) names.push_back(preset.name);
  for (const ServerPreset& preset : server_presets()) names.push_back(preset.name);
  return names;
}

class Composer {
 public:
  explicit Composer(std::string_view text) : text_(text), rest_(text) {}

  PlatformSpec compose() {
    Cluster root = level(0);
    if (!rest_.empty()) fail(fmt::format("found '{}'; expected '+' or the end", rest_));
    // A single group is all there is: its links are the platform's.
    while (root.clusters.size() == 1 && !root.link && std::ranges::all_of(root.devices, [](int n) { return n == 0; }))
      root = Cluster(root.clusters.front());
    if (spec_.platform.classes.empty()) fail("names no device");
    complete(root);
    for (ClassId c : spec_.platform.classes.all()) {
      const std::int64_t count = count_devices(root, c);
      if (count > kMaxDevicesOfAKind)
        fail(fmt::format("there are {} devices; expected at most {}", count, kMaxDevicesOfAKind));
      spec_.platform.classes[c].count = static_cast<int>(count);
    }
    if (!root.clusters.empty() || root.link) spec_.platform.clusters = std::move(root);
    return std::move(spec_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(ErrorKind::BadPlatform, fmt::format("platform '{}'", text_), problem);
  }

  Cluster level(int depth) {
    if (depth > kDeepest) fail(fmt::format("has more than {} levels of groups", kDeepest));
    Cluster result;
    while (true) {
      term(depth, result);
      if (!rest_.starts_with('+')) break;
      rest_.remove_prefix(1);
    }
    if (result.clusters.size() > 1 && !result.link)
      fail("does not say how its groups are connected; add a link, such as '+ib', '+eth100' or '+pcie5'");
    return result;
  }

  void term(int depth, Cluster& into) {
    if (++terms_ > kMostTerms) fail(fmt::format("has more than {} parts", kMostTerms));
    const int count = leading_count();
    if (rest_.starts_with('(')) {
      rest_.remove_prefix(1);
      const Cluster inside = level(depth + 1);
      if (!rest_.starts_with(')')) fail("has a '(' without its ')'");
      rest_.remove_prefix(1);
      add_clusters(count, inside, into);
      return;
    }
    const std::string_view name = rest_.substr(0, rest_.find_first_of("+()"));
    rest_.remove_prefix(name.size());
    if (const std::optional<DevicePreset> device = find_device(name)) {
      const ClassId c = class_of(*device);
      grow(into);
      into.devices[c] = checked_sum(into.devices[c], count);
    } else if (const LinkPreset* link = find_preset(link_presets(), name)) {
      if (count != 1 || into.link) fail(fmt::format("'{}': a group has one link between its parts", name));
      into.link = link->link;
    } else if (const ServerPreset* server = find_preset(server_presets(), name)) {
      const std::string_view behind = std::exchange(rest_, server->platform);
      const Cluster inside = level(depth + 1);
      rest_ = behind;
      add_clusters(count, inside, into);
    } else {
      const std::vector<std::string> names = known_names();
      if (name.empty()) fail("a name is missing; expected something like '4xa100-nvlink'");
      const std::optional<std::string> nearest = nearest_name(name, names);
      fail(fmt::format("'{}' is no device, link or server that is known by name; {}", name,
                       nearest ? fmt::format("did you mean '{}'?", *nearest)
                               : fmt::format("the known ones are {}", fmt::join(names, ", "))));
    }
  }

  // "4x": 4. A name may begin with a digit or contain an x, so both must be there.
  int leading_count() {
    int count = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), count);
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || digits >= rest_.size() || rest_[digits] != 'x') return 1;
    if (count < 1 || count > kMaxDevicesOfAKind)
      fail(fmt::format("found {}x; expected a count from 1 to {}", count, kMaxDevicesOfAKind));
    rest_.remove_prefix(digits + 1);
    return count;
  }

  void add_clusters(int count, const Cluster& inside, Cluster& into) {
    clusters_ += count;
    if (clusters_ > kMaxClusters) fail(fmt::format("has more than {} clusters", kMaxClusters));
    into.clusters.insert(into.clusters.end(), static_cast<std::size_t>(count), inside);
  }

  int checked_sum(int a, int b) const {
    if (a > kMaxDevicesOfAKind - b) fail(fmt::format("has more than {} devices of one kind", kMaxDevicesOfAKind));
    return a + b;
  }

  ClassId class_of(const DevicePreset& device) {
    for (ClassId c : spec_.platform.classes.all())
      if (spec_.platform.classes[c].name == device.name) return c;
    spec_.rates.push_back(device.rates);
    return spec_.platform.classes.push_back(device.device);
  }

  void grow(Cluster& cluster) const {
    while (cluster.devices.size() < spec_.platform.classes.size()) cluster.devices.push_back(0);
  }

  // Clusters met early know fewer classes than there are in the end.
  void complete(Cluster& cluster) const {
    grow(cluster);
    for (Cluster& inside : cluster.clusters) complete(inside);
  }

  static std::int64_t count_devices(const Cluster& cluster, ClassId c) {
    std::int64_t count = cluster.devices[c];
    for (const Cluster& inside : cluster.clusters) count += count_devices(inside, c);
    return count;
  }

  std::string_view text_, rest_;
  PlatformSpec spec_;
  int terms_ = 0;
  std::int64_t clusters_ = 0;
};

}  // namespace

PlatformSpec compose_platform(std::string_view text) { return Composer(text).compose(); }

}  // namespace partita
