// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/vary.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "partita/check/names.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr const char* kWhere = "Sweep::parameter";

[[noreturn]] void refuse_value(SweepParameter parameter, double value, const char* expected) {
  throw InputError(ErrorKind::Usage, kWhere,
                   fmt::format("{} cannot be {}; expected {}", to_string(parameter), value, expected));
}

DeviceKind kind_of(SweepParameter parameter) {
  return parameter == SweepParameter::Hosts ? DeviceKind::Host : DeviceKind::Accelerator;
}

// Why the number of devices of a kind is not one number; empty where it is.
std::string why_not_counted(const Platform& platform, DeviceKind kind) {
  const std::vector<ClassId> classes = platform.classes_of(kind);
  if (classes.empty()) return fmt::format("the platform has no class of {}s", to_string(kind));
  if (classes.size() > 1) {
    std::string names;
    for (ClassId c : classes) names += (names.empty() ? "" : ", ") + platform.classes[c].name;
    return fmt::format("the platform has {} classes of {}s ({}), so their number is not one number", classes.size(),
                       to_string(kind), names);
  }
  if (platform.clusters) return "the platform says in which clusters its devices are";
  return "";
}

void divide_costs(double bandwidth, Graph& graph) {
  IdVector<NodeId, std::vector<Edge*>> out(graph.nodes.size());
  for (Edge& edge : graph.edges) out[edge.from].push_back(&edge);
  const auto differ = [](const std::vector<Edge*>& edges) {
    for (const Edge* edge : edges) {
      if (edge->cost != edges.front()->cost) return true;
    }
    return false;
  };
  double total = 0;
  for (const std::vector<Edge*>& edges : out) {
    const bool differed = differ(edges);
    for (Edge* edge : edges) {
      edge->cost /= bandwidth;
      total += edge->cost;
    }
    if (differed && !differ(edges)) {
      edges.front()->cost = std::nextafter(edges.front()->cost, std::numeric_limits<double>::infinity());
    }
  }
  if (!std::isfinite(total))
    refuse_value(SweepParameter::Bandwidth, bandwidth, "one at which the costs of all transfers can be added up");
}

IdVector<DeviceId, char> in_use(const Platform& platform, const Split& split) {
  IdVector<DeviceId, char> used(platform.device_count(), 0);
  for (DeviceId d : split.device_of) used[d] = 1;
  for (DeviceId d : split.copy_of.all()) {
    if (split.copy_of[d].valid() && split.copy_of[d] != d) used[d] = 1;
  }
  return used;
}

}  // namespace

void require_variable(const Problem& problem, SweepParameter parameter) {
  const Platform& platform = problem.workload->platform;
  std::string why;
  if (counts_devices(parameter)) {
    why = why_not_counted(platform, kind_of(parameter));
  } else if (parameter == SweepParameter::Memory && platform.classes_of(DeviceKind::Accelerator).empty()) {
    why = "the platform has no class of accelerators";
  }
  if (why.empty()) return;
  std::string others;
  for (const auto& [other, text] :
       {std::pair{SweepParameter::Accelerators, "accelerators"}, std::pair{SweepParameter::Hosts, "hosts"},
        std::pair{SweepParameter::Memory, "memory (of every accelerator)"}}) {
    const bool possible = counts_devices(other) ? why_not_counted(platform, kind_of(other)).empty()
                                                : !platform.classes_of(DeviceKind::Accelerator).empty();
    if (possible) others += std::string(text) + ", ";
  }
  throw InputError(
      ErrorKind::BadPlatform, kWhere,
      fmt::format("{} cannot be varied: {}; what can be varied here: {}bandwidth", to_string(parameter), why, others));
}

Problem varied(const Problem& problem, SweepParameter parameter, double value) {
  if (std::isnan(value)) refuse_value(parameter, value, "a number");
  Problem result = problem;
  Platform& platform = result.workload.change().platform;
  switch (parameter) {
    case SweepParameter::Accelerators:
    case SweepParameter::Hosts:
      if (value < 0 || value != std::floor(value) || value > std::numeric_limits<int>::max())
        refuse_value(parameter, value, "how many of them, a whole number from 0 on");
      platform.classes[platform.classes_of(kind_of(parameter)).front()].count = static_cast<int>(value);
      break;
    case SweepParameter::Memory:
      if (value < 0) refuse_value(parameter, value, "bytes, 0 or more");
      for (ClassId c : platform.classes_of(DeviceKind::Accelerator)) platform.classes[c].memory = value;
      break;
    case SweepParameter::Bandwidth:
      if (!(value > 0) || !std::isfinite(value))
        refuse_value(parameter, value, "how many times as fast the links are, above 0");
      divide_costs(value, result.workload.change().graph);
      platform.sync_bandwidth *= value;
      break;
  }
  return result;
}

std::optional<Split> moved(const Platform& from, const Split& split, const Platform& to) {
  IdVector<DeviceId, DeviceId> place(from.device_count());
  const IdVector<DeviceId, char> used = in_use(from, split);
  for (ClassId c : from.classes.all()) {
    const auto count = static_cast<std::size_t>(from.classes[c].count);
    const auto room = static_cast<std::size_t>(to.classes[c].count);
    const bool stays = count == room;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const DeviceId d(from.first_device(c).index() + i);
      if (!stays && !used[d]) continue;
      if (taken == room) return std::nullopt;
      place[d] = DeviceId(to.first_device(c).index() + taken++);
    }
  }
  Split result = split;
  for (DeviceId& d : result.device_of) d = place[d];
  for (DeviceId& d : result.order) d = place[d];
  if (!split.copy_of.empty()) {
    result.copy_of = IdVector<DeviceId, DeviceId>(to.device_count());
    for (DeviceId d : result.copy_of.all()) result.copy_of[d] = d;
    for (DeviceId d : split.copy_of.all()) {
      if (used[d] && split.copy_of[d].valid()) result.copy_of[place[d]] = place[split.copy_of[d]];
    }
  }
  if (!split.recomputes.empty()) {
    result.recomputes = IdVector<DeviceId, char>(to.device_count(), 0);
    for (DeviceId d : split.recomputes.all()) {
      if (used[d]) result.recomputes[place[d]] = split.recomputes[d];
    }
  }
  return result;
}

std::string point_name(SweepParameter parameter, double value) {
  if (counts_devices(parameter)) return counted(static_cast<std::size_t>(value), to_string(kind_of(parameter)));
  const std::string label = point_label(parameter, value);
  return parameter == SweepParameter::Memory ? label + " of memory" : "bandwidth " + label;
}

std::string point_label(SweepParameter parameter, double value) {
  return parameter == SweepParameter::Memory ? memory_text(value) : fmt::format("{:.6g}", value);
}

}  // namespace partita::detail
