// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/expert.h"

#include <map>
#include <span>
#include <unordered_map>

#include "partita/reduce/colours.h"
#include "partita/util/csr.h"

namespace partita::detail {
namespace {

class Extension {
 public:
  Extension(const Problem& problem, const SplitListing& listing)
      : graph_(problem.workload->graph),
        platform_(problem.workload->platform),
        listing_(listing),
        classes_(find_colour_classes(graph_)),
        device_of_class_(classes_.members.size()) {
    split_.device_of.resize(graph_.nodes.size());
  }

  std::optional<Split> run() {
    if (!match_devices() || !place_listed() || !place_colour_mates()) return std::nullopt;
    place_beside_neighbours();
    if (!place_along_trace()) return std::nullopt;
    for (NodeId v : graph_.nodes.all()) {
      if (!split_.device_of[v].valid()) split_.device_of[v] = device_of_class_[classes_.class_of[v]];
    }
    for (const std::size_t entry : listing_.order) {
      if (device_of_entry_[entry].valid()) split_.order.push_back(device_of_entry_[entry]);
    }
    return split_;
  }

 private:
  struct Neighbour {
    GroupId other;
    double cost;  // of the edge
  };

  // Entries beyond what the platform has must be empty.
  bool match_devices() {
    std::map<DeviceKind, std::vector<DeviceId>> devices;
    for (DeviceId d : ids<DeviceId>(platform_.device_count()))
      devices[platform_.classes[platform_.class_of(d)].kind].push_back(d);
    std::map<DeviceKind, std::size_t> next;
    for (const SplitListing::Device& entry : listing_.devices) {
      const std::size_t i = next[entry.kind]++;
      const bool there = i < devices[entry.kind].size();
      if (!there && !entry.node_ids.empty()) return false;
      device_of_entry_.push_back(there ? devices[entry.kind][i] : DeviceId());
    }
    return true;
  }

  bool place_listed() {
    std::unordered_map<std::int64_t, NodeId> node_of;
    for (NodeId v : graph_.nodes.all()) node_of.emplace(graph_.nodes[v].original_id, v);
    for (std::size_t i = 0; i < listing_.devices.size(); ++i) {
      const SplitListing::Device& entry = listing_.devices[i];
      for (const std::int64_t id : entry.node_ids) {
        const auto found = node_of.find(id);
        if (found == node_of.end() || split_.device_of[found->second].valid()) return false;
        split_.device_of[found->second] = device_of_entry_[i];
      }
      for (const auto* subgraphs : {&entry.subgraphs, &entry.backward_subgraphs}) {
        if (subgraphs->empty()) continue;
        split_.subgraph_of.resize(graph_.nodes.size(), 0);
        for (std::size_t place = 0; place < subgraphs->size(); ++place) {
          for (const std::int64_t id : (*subgraphs)[place]) {
            const auto found = node_of.find(id);
            if (found == node_of.end()) return false;
            split_.subgraph_of[found->second] = static_cast<std::uint32_t>(place);
          }
        }
      }
    }
    return true;
  }

  // Classes in which something is listed. False if a class with forward nodes has nothing listed.
  bool place_colour_mates() {
    for (GroupId c : device_of_class_.all()) {
      for (NodeId v : classes_.members[c.index()]) {
        if (!device_of_class_[c].valid()) device_of_class_[c] = split_.device_of[v];
      }
      if (!device_of_class_[c].valid() && classes_.has_forward[c.index()]) return false;
    }
    return true;
  }

  bool can_run(GroupId c, DeviceId d) const {
    for (NodeId v : classes_.members[c.index()]) {
      if (graph_.nodes[v].time[platform_.class_of(d).index()] == kCannotRun) return false;
    }
    return true;
  }

  // In rounds: each takes the classes that have a placed neighbour when it begins.
  void place_beside_neighbours() {
    std::vector<std::pair<GroupId, Neighbour>> pairs;
    for (const Edge& edge : graph_.edges) {
      const GroupId from = classes_.class_of[edge.from], to = classes_.class_of[edge.to];
      if (from == to) continue;
      pairs.push_back({from, {to, edge.cost}});
      pairs.push_back({to, {from, edge.cost}});
    }
    const Csr<GroupId, Neighbour> neighbours(classes_.members.size(), pairs);

    std::vector<GroupId> placed;
    for (GroupId c : device_of_class_.all()) {
      if (device_of_class_[c].valid()) placed.push_back(c);
    }
    while (!placed.empty()) {
      std::map<GroupId, DeviceId> next;
      for (GroupId c : placed) {
        for (const Neighbour& n : neighbours[c]) {
          if (device_of_class_[n.other].valid() || next.count(n.other)) continue;
          const DeviceId dearest = dearest_device(n.other, neighbours[n.other]);
          if (dearest.valid()) next.emplace(n.other, dearest);
        }
      }
      placed.clear();
      for (const auto& [c, device] : next) {
        device_of_class_[c] = device;
        placed.push_back(c);
      }
    }
  }

  // The device with the dearest edges to the class, by their sum and then their number; invalid if none can run it.
  DeviceId dearest_device(GroupId c, std::span<const Neighbour> neighbours) const {
    std::map<DeviceId, std::pair<double, std::size_t>> ties;
    for (const Neighbour& n : neighbours) {
      const DeviceId there = device_of_class_[n.other];
      if (!there.valid()) continue;
      ties[there].first += n.cost;
      ++ties[there].second;
    }
    DeviceId best;
    for (const auto& [device, tie] : ties) {
      if (can_run(c, device) && (!best.valid() || tie > ties[best])) best = device;
    }
    return best;
  }

  // Whatever is left: where the class before it is, else the one after it, else anywhere.
  bool place_along_trace() {
    DeviceId before;
    for (GroupId c : device_of_class_.all()) {
      if (!device_of_class_[c].valid() && before.valid() && can_run(c, before)) device_of_class_[c] = before;
      if (device_of_class_[c].valid()) before = device_of_class_[c];
    }
    DeviceId after;
    for (std::size_t i = device_of_class_.size(); i-- > 0;) {
      const GroupId c(i);
      if (!device_of_class_[c].valid() && after.valid() && can_run(c, after)) device_of_class_[c] = after;
      for (DeviceId d : ids<DeviceId>(platform_.device_count())) {
        if (!device_of_class_[c].valid() && can_run(c, d)) device_of_class_[c] = d;
      }
      if (!device_of_class_[c].valid()) return false;
      after = device_of_class_[c];
    }
    return true;
  }

  const Graph& graph_;
  const Platform& platform_;
  const SplitListing& listing_;
  const ColourClasses classes_;
  std::vector<DeviceId> device_of_entry_;
  IdVector<GroupId, DeviceId> device_of_class_;
  Split split_;
};

}  // namespace

std::optional<Split> expert_split(const Problem& problem, const SplitListing& listing) {
  return Extension(problem, listing).run();
}

}  // namespace partita::detail
