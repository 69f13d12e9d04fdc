// SPDX-License-Identifier: Apache-2.0
#include "partita/check/claim_instance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "partita/check/clusters.h"
#include "partita/check/shape.h"
#include "partita/model/contention.h"

namespace partita::detail {
namespace {

class InstanceMaker {
 public:
  InstanceMaker(const Problem& problem, const Certificate& certificate)
      : problem_(problem),
        graph_(problem.workload->graph),
        platform_(problem.workload->platform),
        certificate_(certificate) {}

  ClaimInstance make() {
    for (ClassId id : platform_.classes.all()) {
      if (platform_.classes[id].count > 0) result_.devices.push_back(id);
    }
    find_groups();
    weigh_groups();
    find_transfers();
    find_order();
    return std::move(result_);
  }

 private:
  bool is_host(std::size_t c) const { return platform_.classes[result_.devices[c]].kind == DeviceKind::Host; }

  void find_groups() {
    std::map<std::int64_t, std::size_t> of_colour;
    result_.group_of.resize(graph_.nodes.size());
    for (NodeId v : graph_.nodes.all()) {
      const Node& node = graph_.nodes[v];
      result_.by_id.emplace(node.original_id, v);
      std::size_t group = result_.groups.size();
      if (node.colour) group = of_colour.try_emplace(*node.colour, group).first->second;
      if (group == result_.groups.size())
        result_.groups.push_back({node.original_id, std::vector<ClaimInstance::GroupOn>(result_.devices.size())});
      result_.group_of[v] = group;
    }
  }

  void weigh_groups() {
    const IdVector<ClassId, double> slow_down = slow_downs(platform_);
    std::vector<long double> memory(result_.groups.size(), 0);
    for (NodeId v : graph_.nodes.all()) memory[result_.group_of[v]] += graph_.nodes[v].memory;
    for (std::size_t c = 0; c < result_.devices.size(); ++c) {
      const ClassId id = result_.devices[c];
      std::vector<long double> time(result_.groups.size(), 0);  // so precise that rounding cannot reach a unit
      for (NodeId v : graph_.nodes.all()) {
        const Node& node = graph_.nodes[v];
        const double here = node.time[id.index()] * slow_down[id];
        const std::size_t group = result_.group_of[v];
        if (here == kCannotRun) result_.groups[group].on[c].may_be_held = false;
        if (here == kCannotRun) continue;
        time[group] += (is_host(c) ? 1 : part(certificate_.weights.compute[node.backward])) * here;
      }
      for (std::size_t g = 0; g < result_.groups.size(); ++g) {
        ClaimInstance::GroupOn& on = result_.groups[g].on[c];
        // What is larger than a device's memory is on none of its kind. Sums of memory are exact.
        const double limit = platform_.classes[id].memory;
        on.may_be_held = on.may_be_held && memory[g] <= limit;
        on.load = scaled(time[g]);
        on.memory = limit > 0 && !std::isinf(limit) ? units(memory[g] / limit) : 0;
      }
    }
  }

  static long double part(std::int64_t weight) { return static_cast<long double>(weight) / Certificate::kWeightUnit; }

  static std::int64_t units(long double whole) {
    const long double all = whole * static_cast<long double>(kLoadUnits);
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(std::min(all, 4.0L * kLoadUnits))) - 1);
  }
  std::int64_t scaled(long double time) const { return units(time / certificate_.limit); }

  void find_transfers() {
    std::vector<std::vector<const Edge*>> out(graph_.nodes.size());
    for (const Edge& edge : graph_.edges) out[edge.from.index()].push_back(&edge);
    const ClusterTree clusters(platform_);
    for (std::size_t c = 0; c < result_.devices.size(); ++c)
      links_.push_back(is_host(c) ? std::vector<Link>() : clusters.links_of(result_.devices[c]));
    for (NodeId u : graph_.nodes.all()) {
      const auto& edges = out[u.index()];
      if (edges.empty()) continue;
      const bool uniform =
          std::all_of(edges.begin(), edges.end(), [&](const Edge* e) { return e->cost == edges[0]->cost; });
      std::vector<std::size_t> all{result_.group_of[u]};
      for (const Edge* edge : edges) {
        all.push_back(result_.group_of[edge->to]);
        if (!uniform) add_transfer(u, edge->cost, {all[0], all.back()}, graph_.nodes[edge->to].original_id);
      }
      if (uniform) add_transfer(u, edges[0]->cost, std::move(all), std::nullopt);
    }
  }

  void add_transfer(NodeId producer, double cost, std::vector<std::size_t> members,
                    std::optional<std::int64_t> consumer) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    if (members.size() < 2 || !(cost > 0)) return;
    const long double weight = part(certificate_.weights.transfers[graph_.nodes[producer].backward]);
    ClaimInstance::Transfer transfer{{}, std::move(members), {{graph_.nodes[producer].original_id, consumer}}};
    for (std::size_t c = 0; c < result_.devices.size(); ++c) {
      long double least = is_host(c) ? 0 : std::numeric_limits<long double>::infinity();
      for (const Link& link : links_[c])
        least = std::min(least, link.factor * static_cast<long double>(cost) + link.latency);
      transfer.load.push_back(weight > 0 ? scaled(weight * least) : 0);
    }
    result_.transfers.push_back(std::move(transfer));
  }

  void find_order() {
    result_.point_of.resize(graph_.nodes.size(), ClaimInstance::kNone);
    if (certificate_.shape == Shape::Free) return;
    const bool staged = certificate_.shape == Shape::Staged;
    if (staged) result_.points = result_.groups.size();
    for (NodeId v : graph_.nodes.all()) {
      if (staged) {
        result_.point_of[v] = result_.group_of[v];
      } else if (!graph_.nodes[v].backward || problem_.backward_shape) {
        result_.point_of[v] = result_.points++;
      }
    }
    const auto add = [&](NodeId from, NodeId to) {
      result_.arcs.emplace_back(result_.point_of[from], result_.point_of[to]);
    };
    if (staged) {
      for (const StageArc& arc : stage_arcs(problem_)) add(arc.from, arc.to);
    } else {
      for (const Edge& edge : graph_.edges) {
        const bool backward = graph_.nodes[edge.from].backward;
        if (backward == graph_.nodes[edge.to].backward && (!backward || problem_.backward_shape))
          add(edge.from, edge.to);
      }
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const Platform& platform_;
  const Certificate& certificate_;
  ClaimInstance result_;
  std::vector<std::vector<Link>> links_;  // as result_.devices; none of hosts
};

}  // namespace

std::optional<std::size_t> ClaimInstance::group_of_id(std::int64_t id) const {
  const auto it = by_id.find(id);
  if (it == by_id.end() || group_of[it->second] == kNone) return std::nullopt;
  return group_of[it->second];
}

ClaimInstance claim_instance(const Problem& problem, const Certificate& certificate) {
  return InstanceMaker(problem, certificate).make();
}

}  // namespace partita::detail
