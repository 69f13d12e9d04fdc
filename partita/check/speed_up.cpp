// SPDX-License-Identifier: Apache-2.0
#include "partita/check/speed_up.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "partita/check/names.h"
#include "partita/check/times.h"
#include "partita/model/contention.h"
#include "partita/model/result.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

// Classes that have a device; a time on another is no alternative.
std::vector<ClassId> classes_in_use(const Platform& platform) {
  std::vector<ClassId> classes;
  for (ClassId c : platform.classes.all()) {
    if (platform.classes[c].count > 0) classes.push_back(c);
  }
  return classes;
}

// kCannotRun, which is infinite, where one of the nodes cannot run there.
template <class Nodes>
double time_of(const Graph& graph, const Nodes& nodes, ClassId device_class) {
  double time = 0;
  for (NodeId v : nodes) time += graph.nodes[v].time[device_class.index()];
  return time;
}

struct Fastest {
  ClassId device_class;
  double time = kCannotRun;
};

// `slow_down` by class; none where one device works alone.
template <class Nodes>
Fastest fastest_of(const Graph& graph, const Nodes& nodes, const std::vector<ClassId>& classes,
                   const IdVector<ClassId, double>& slow_down = {}) {
  Fastest best;
  for (ClassId c : classes) {
    const double time = time_of(graph, nodes, c) * (slow_down.empty() ? 1 : slow_down[c]);
    if (time < best.time) best = {c, time};
  }
  return best;
}

std::size_t not_running_on(const Graph& graph, DeviceKind kind, const Platform& platform) {
  std::size_t count = 0;
  for (const Node& node : graph.nodes) {
    bool runs = false;
    for (ClassId c : platform.classes_of(kind))
      runs = runs || (platform.classes[c].count > 0 && node.time[c.index()] != kCannotRun);
    count += !runs;
  }
  return count;
}

std::string why_none(const Graph& graph, const Platform& platform, DeviceKind kind) {
  const std::size_t nodes = not_running_on(graph, kind, platform);
  if (nodes == 0) return fmt::format("no class of {}s can run all nodes", to_string(kind));
  return fmt::format("{} cannot run on one", counted(nodes, "node"));
}

}  // namespace

std::optional<SpeedUp> speed_up(const Problem& problem, double value) {
  if (problem.objective == Objective::Latency || !std::isfinite(value)) return std::nullopt;
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  const bool accelerators = platform.device_count(DeviceKind::Accelerator) > 0;
  const DeviceKind kind = accelerators ? DeviceKind::Accelerator : DeviceKind::Host;
  std::vector<ClassId> classes = classes_in_use(platform);
  std::erase_if(classes, [&](ClassId c) { return platform.classes[c].kind != kind; });
  if (classes.empty()) return std::nullopt;
  SpeedUp result;
  result.device_class = classes.front();
  result.of = platform.device_count(kind);
  const Fastest fastest = fastest_of(graph, graph.nodes.all(), classes);
  if (!fastest.device_class.valid()) {
    result.why_not = why_none(graph, platform, kind);
  } else if (!(value > 0)) {
    result.why_not = "a sample takes no time";
  } else {
    result.device_class = fastest.device_class;
    result.one_device = fastest.time;
    result.factor = fastest.time / value;
  }
  return result;
}

std::optional<LoneBottleneck> lone_bottleneck(const Problem& problem, double value) {
  if (problem.objective == Objective::Latency || problem.replicas > 1) return std::nullopt;
  if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
  const Graph& graph = problem.workload->graph;
  const std::vector<ClassId> classes = classes_in_use(problem.workload->platform);
  std::map<std::int64_t, std::vector<NodeId>> by_colour;
  const IdVector<ClassId, double> slow_down = slow_downs(problem.workload->platform);
  const auto decides = [&](const std::vector<NodeId>& nodes) -> std::optional<LoneBottleneck> {
    const Fastest fastest = fastest_of(graph, nodes, classes, slow_down);
    if (!(std::abs(fastest.time - value) <= kOptimalGap * value)) return std::nullopt;
    return LoneBottleneck{nodes, fastest.device_class};
  };
  for (NodeId v : graph.nodes.all()) {
    if (graph.nodes[v].colour) {
      by_colour[*graph.nodes[v].colour].push_back(v);
    } else if (auto alone = decides({v})) {
      return alone;
    }
  }
  for (const auto& [colour, nodes] : by_colour) {
    if (auto alone = decides(nodes)) return alone;
  }
  return std::nullopt;
}

std::string speed_up_text(const Problem& problem, const SpeedUp& speed_up) {
  const DeviceClass& one = problem.workload->platform.classes[speed_up.device_class];
  const std::string over = one.name == to_string(one.kind)
                               ? visible(one.name)
                               : fmt::format("{} of class {}", to_string(one.kind), visible(one.name));
  if (!speed_up.why_not.empty()) return fmt::format("speed-up over one {}: not known, as {}", over, speed_up.why_not);
  const std::string factor =
      speed_up.factor < 1000 ? fmt::format("{:.2f}", speed_up.factor) : fmt::format("{:.3g}", speed_up.factor);
  return fmt::format("speed-up over one {}: {}x of {}", over, factor, speed_up.of);
}

std::string lone_bottleneck_text(const Problem& problem, const LoneBottleneck& bottleneck, double value) {
  const Graph& graph = problem.workload->graph;
  const bool one = bottleneck.nodes.size() == 1;
  return fmt::format(
      "{} {}{} alone take{} {} on {} fastest device ({}): no split is faster, however many devices there are",
      one ? "node" : "nodes", node_list(graph, bottleneck.nodes),
      one ? "" : fmt::format(" (colour class {})", *graph.nodes[bottleneck.nodes.front()].colour), one ? "s" : "",
      time_text(value, problem.workload->time_unit), one ? "its" : "their",
      visible(problem.workload->platform.classes[bottleneck.device_class].name));
}

}  // namespace partita::detail
