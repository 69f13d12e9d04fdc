// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/wish_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "partita/reduce/joined_classes.h"
#include "partita/reduce/node_name.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

class WishGrouping {
 public:
  explicit WishGrouping(const Problem& problem)
      : problem_(problem),
        graph_(problem.workload->graph),
        platform_(problem.workload->platform),
        classes_(find_colour_classes(graph_)),
        sets_(classes_.members.size()) {}

  WishGroups run() {
    join();
    WishGroups result{problem_, {}, find_contradiction()};
    if (!result.contradiction.empty()) return result;
    result.problem = with_classes_joined(problem_, classes_, sets_);
    result.problem.wishes = {};
    list_groups(result);
    apply_class_pins(result.problem);
    return result;
  }

 private:
  using Place = std::variant<ClassId, DeviceId>;

  GroupId set_of(NodeId v) const { return sets_.find(classes_.class_of[v]); }
  ClassId class_of(const Place& to) const {
    const DeviceId* device = std::get_if<DeviceId>(&to);
    return device ? platform_.class_of(*device) : std::get<ClassId>(to);
  }
  std::string name(NodeId v) const { return name_node(graph_.nodes[v]); }
  std::string name(const Place& to) const {
    const DeviceId* device = std::get_if<DeviceId>(&to);
    return device ? platform_.device_name(*device)
                  : "class " + visible(platform_.classes[std::get<ClassId>(to)].name, kLongestShownName);
  }
  bool runs(NodeId v, ClassId c) const { return graph_.nodes[v].time[c.index()] != kCannotRun; }

  void join() {
    for (const std::vector<NodeId>& nodes : problem_.wishes.together) {
      for (NodeId v : nodes) sets_.join(classes_.class_of[nodes[0]], classes_.class_of[v]);
    }
    std::map<DeviceId, NodeId> first;
    for (const Pin& pin : problem_.wishes.pins) {
      const DeviceId* device = std::get_if<DeviceId>(&pin.to);
      if (device)
        sets_.join(classes_.class_of[first.try_emplace(*device, pin.node).first->second], classes_.class_of[pin.node]);
    }
    for (GroupId c : IdRange<GroupId>(classes_.members.size())) {
      std::vector<NodeId>& members = members_[sets_.find(c)];
      members.insert(members.end(), classes_.members[c.index()].begin(), classes_.members[c.index()].end());
    }
  }

  // The first contradiction of pins, then of lists; empty if there is none.
  std::string find_contradiction() {
    for (const Pin& pin : problem_.wishes.pins) {
      if (std::string why = contradiction_of(pin); !why.empty()) return why;
    }
    for (const std::vector<NodeId>& nodes : problem_.wishes.together) {
      if (nodes.empty()) continue;
      const std::vector<NodeId>& members = members_[set_of(nodes[0])];
      const IdVector<ClassId, char> common = common_classes(members);
      if (std::ranges::none_of(common, [](char some) { return some != 0; }))
        return fmt::format("{} and the nodes to be together with it run on no class of devices in common",
                           name(nodes[0]));
    }
    for (const std::vector<NodeId>& nodes : problem_.wishes.apart) {
      if (std::string why = contradiction_of(nodes); !why.empty()) return why;
    }
    return "";
  }

  std::string contradiction_of(const Pin& pin) {
    const GroupId set = set_of(pin.node);
    const ClassId c = class_of(pin.to);
    const auto [known, is_new] = pin_of_.try_emplace(set, pin);
    const Pin& other = known->second;
    const bool two_devices =
        std::holds_alternative<DeviceId>(pin.to) && std::holds_alternative<DeviceId>(other.to) && pin.to != other.to;
    if (two_devices || c != class_of(other.to)) {
      return fmt::format("{} is pinned to {}, but {} to {}", name(other.node), name(other.to),
                         other.node == pin.node ? "also" : name(pin.node) + ", which must share its device,",
                         name(pin.to));
    }
    if (std::holds_alternative<DeviceId>(pin.to)) known->second = pin;
    if (platform_.classes[c].count == 0)
      return fmt::format("{} is pinned to {}, of which there are no devices", name(pin.node), name(pin.to));
    for (NodeId v : members_[set]) {
      if (runs(v, c)) continue;
      return v == pin.node ? fmt::format("{} is pinned to {}, which cannot run it", name(v), name(pin.to))
                           : fmt::format("{} is pinned to {}, which cannot run {}, and the two must share a device",
                                         name(pin.node), name(pin.to), name(v));
    }
    return "";
  }

  std::string contradiction_of(const std::vector<NodeId>& apart) {
    std::map<GroupId, NodeId> holder;
    for (NodeId v : std::set<NodeId>(apart.begin(), apart.end())) {
      const auto [known, is_new] = holder.try_emplace(set_of(v), v);
      if (!is_new) {
        return fmt::format("{} and {} are to be apart, but colours or other wishes put them on one device",
                           name(known->second), name(v));
      }
    }
    if (holder.size() > platform_.device_count()) {
      return fmt::format("{} nodes are to be apart ({} ...), but there are only {} devices", holder.size(),
                         name(holder.begin()->second), platform_.device_count());
    }
    return "";
  }

  // Classes with devices that run all of the nodes.
  IdVector<ClassId, char> common_classes(const std::vector<NodeId>& nodes) const {
    IdVector<ClassId, char> common(platform_.classes.size(), 0);
    for (ClassId c : common.all()) {
      common[c] = platform_.classes[c].count > 0 && std::ranges::all_of(nodes, [&](NodeId v) { return runs(v, c); });
    }
    return common;
  }

  void list_groups(WishGroups& result) {
    std::map<GroupId, std::size_t> place;
    const auto group_of = [&](GroupId set) {
      const auto [entry, is_new] = place.try_emplace(set, result.groups.size());
      if (is_new) result.groups.push_back({members_[set], std::nullopt, {}, common_classes(members_[set])});
      return entry->second;
    };
    for (const auto& [set, pin] : pin_of_) {
      if (const DeviceId* device = std::get_if<DeviceId>(&pin.to)) result.groups[group_of(set)].device = *device;
    }
    std::vector<std::set<std::size_t>> apart(result.groups.size());
    for (const std::vector<NodeId>& nodes : problem_.wishes.apart) {
      std::set<std::size_t> groups;
      for (NodeId v : nodes) groups.insert(group_of(set_of(v)));
      apart.resize(result.groups.size());
      for (const std::size_t a : groups) apart[a].insert(groups.begin(), groups.end());
    }
    for (std::size_t g = 0; g < apart.size(); ++g) {
      apart[g].erase(g);
      result.groups[g].apart.assign(apart[g].begin(), apart[g].end());
    }
    for (const auto& [set, pin] : pin_of_) {
      const auto known = place.find(set);
      if (known == place.end()) continue;
      auto& runs_on = result.groups[known->second].runs_on;
      for (ClassId c : runs_on.all()) runs_on[c] = runs_on[c] && c == class_of(pin.to);
    }
  }

  void apply_class_pins(Problem& problem) const {
    Graph& graph = problem.workload.change().graph;
    for (const auto& [set, pin] : pin_of_) {
      for (NodeId v : members_.at(set)) {
        for (ClassId c : platform_.classes.all()) {
          if (c != class_of(pin.to)) graph.nodes[v].time[c.index()] = kCannotRun;
        }
      }
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const Platform& platform_;
  const ColourClasses classes_;
  UnionFind<GroupId> sets_;
  std::map<GroupId, std::vector<NodeId>> members_;  // by set
  std::map<GroupId, Pin> pin_of_;                   // by set: one of its pins, to a device where one is
};

}  // namespace

WishGroups group_by_wishes(const Problem& problem) { return WishGrouping(problem).run(); }

}  // namespace partita::detail
