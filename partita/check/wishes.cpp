// SPDX-License-Identifier: Apache-2.0
#include "partita/check/wishes.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "partita/check/names.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

using NodesByDevice = std::map<DeviceId, std::vector<NodeId>>;

class WishCheck {
 public:
  WishCheck(const Problem& problem, const Placement& placement, CheckReport& report)
      : graph_(problem.workload->graph),
        platform_(problem.workload->platform),
        wishes_(problem.wishes),
        placement_(placement),
        report_(report) {}

  void run() {
    check_pins();
    for (const std::vector<NodeId>& nodes : wishes_.together) check_together(nodes);
    for (const std::vector<NodeId>& nodes : wishes_.apart) check_apart(nodes);
  }

 private:
  std::string name(DeviceId d) const { return platform_.device_name(d); }

  std::string name(const std::variant<ClassId, DeviceId>& to) const {
    if (const DeviceId* device = std::get_if<DeviceId>(&to)) return name(*device);
    return "class " + visible(platform_.classes[std::get<ClassId>(to)].name, kLongestShownName);
  }

  bool is_at(DeviceId d, const std::variant<ClassId, DeviceId>& to) const {
    if (const DeviceId* device = std::get_if<DeviceId>(&to)) return *device == d;
    return platform_.class_of(d) == std::get<ClassId>(to);
  }

  void complain(Violation::Kind kind, std::string message) { report_.violations.push_back({kind, std::move(message)}); }

  void check_pins() {
    std::map<std::pair<DeviceId, std::variant<ClassId, DeviceId>>, std::set<NodeId>> strays;  // by holder and place
    std::map<DeviceId, std::set<NodeId>> alone;
    for (const Pin& pin : wishes_.pins) {
      const DeviceId holder = placement_.device_of[pin.node];
      if (!holder.valid()) continue;
      if (!is_at(holder, pin.to)) {
        strays[{holder, pin.to}].insert(pin.node);
      } else if (std::holds_alternative<DeviceId>(pin.to)) {
        alone[holder].insert(pin.node);
      }
    }
    for (const auto& [where, nodes] : strays) {
      complain(Violation::Kind::Pin,
               fmt::format("{} holds {} pinned to {}: {}", name(where.first), counted(nodes.size(), "node"),
                           name(where.second), node_list(graph_, {nodes.begin(), nodes.end()})));
    }
    for (DeviceId copy : report_.devices.all()) {
      const DeviceId original = report_.devices[copy].original;
      if (!original.valid() || original == copy || !alone.contains(original)) continue;
      const std::set<NodeId>& nodes = alone[original];
      complain(Violation::Kind::Pin,
               fmt::format("{} runs a copy of {} pinned to {} alone: {}", name(copy), counted(nodes.size(), "node"),
                           name(original), node_list(graph_, {nodes.begin(), nodes.end()})));
    }
  }

  // Each node once.
  NodesByDevice held(const std::vector<NodeId>& nodes) const {
    NodesByDevice held;
    for (NodeId v : std::set<NodeId>(nodes.begin(), nodes.end())) {
      if (placement_.device_of[v].valid()) held[placement_.device_of[v]].push_back(v);
    }
    return held;
  }

  void check_together(const std::vector<NodeId>& nodes) {
    const NodesByDevice devices = held(nodes);
    if (devices.size() <= 1) return;
    std::vector<std::string> parts;
    for (const auto& [d, here] : devices) parts.push_back(fmt::format("{} holds {}", name(d), node_list(graph_, here)));
    complain(Violation::Kind::Together, fmt::format("nodes that are to be together are on {} devices: {}",
                                                    devices.size(), joined_in_short(parts, "; ")));
  }

  void check_apart(const std::vector<NodeId>& nodes) {
    for (const auto& [d, here] : held(nodes)) {
      if (here.size() <= 1) continue;
      complain(Violation::Kind::Apart, fmt::format("{} holds {} that are to be apart: {}", name(d),
                                                   counted(here.size(), "node"), node_list(graph_, here)));
    }
  }

  const Graph& graph_;
  const Platform& platform_;
  const Wishes& wishes_;
  const Placement& placement_;
  CheckReport& report_;
};

}  // namespace

void check_wishes(const Problem& problem, const Placement& placement, CheckReport& report) {
  if (!problem.wishes.empty()) WishCheck(problem, placement, report).run();
}

}  // namespace partita::detail
