// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/exhaustive/every_split.h"

#include <algorithm>
#include <array>
#include <vector>

#include "partita/reduce/colours.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/stage_order.h"
#include "partita/util/csr.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kTicksPerMeasuredItem = 20;  // nodes and edges of a split that is measured: 5 us or so
constexpr std::size_t kPasses = 2;
constexpr std::size_t kMostGroups = 2'000;  // each takes a call on the stack, and many are hopeless anyway

bool by_stages(const Problem& problem) {
  return problem.objective != Objective::Latency && problem.shape == Shape::Staged;
}

class Walk {
 public:
  Walk(const Problem& problem, double below, const Measure& measure, Budget& budget)
      : problem_(problem),
        measure_(measure),
        budget_(budget),
        group_of_(by_stages(problem) ? find_stage_order(problem).group_of
                                     : find_colour_classes(problem.workload->graph).class_of),
        devices_(problem.workload->platform, count_groups(group_of_)),
        groups_(class_groups(problem.workload->graph, group_of_, devices_)),
        device_of_(groups_.size()),
        held_(devices_.size()) {
    best_.value = below;
    std::vector<std::pair<GroupId, NodeId>> members;
    for (NodeId v : group_of_.all()) members.emplace_back(group_of_[v], v);
    nodes_of_ = Csr<GroupId, NodeId>(groups_.size(), members);
    find_shape_edges();
    choose_order();
  }

  EverySplit run() {
    if (groups_.size() <= kMostGroups) best_.complete = place(0);
    if (!best_.split) best_.value = std::numeric_limits<double>::infinity();
    return best_;
  }

 private:
  struct Held {
    std::size_t groups = 0;
    double memory = 0;
    std::array<double, kPasses> compute{};
  };

  void find_shape_edges() {
    const Graph& graph = problem_.workload->graph;
    std::vector<std::pair<NodeId, NodeId>> forth, back;
    const bool shaped = problem_.objective != Objective::Latency && problem_.shape != Shape::Free;
    for (const Edge& edge : graph.edges) {
      const bool backward = graph.nodes[edge.from].backward;
      if (!shaped || backward != graph.nodes[edge.to].backward || (backward && !problem_.backward_shape)) continue;
      forth.emplace_back(edge.from, edge.to);
      back.emplace_back(edge.to, edge.from);
    }
    has_shape_ = !forth.empty();
    successors_ = Csr<NodeId, NodeId>(graph.nodes.size(), forth);
    predecessors_ = Csr<NodeId, NodeId>(graph.nodes.size(), back);
  }

  void choose_order() {
    double memory = 0, time = 0;
    const auto least_time = [](const ClassGroup& group) {
      double least = kCannotRun;
      for (std::size_t c = 0; c < group.time.size(); ++c) {
        if (group.runs_on[c]) least = std::min(least, group.time[c]);
      }
      return least == kCannotRun ? 0 : least;
    };
    for (const ClassGroup& group : groups_) {
      memory += group.memory;
      time += least_time(group);
    }
    IdVector<GroupId, double> weight(groups_.size(), 0);
    for (GroupId g : groups_.all()) {
      if (memory > 0) weight[g] += groups_[g].memory / memory;
      if (time > 0) weight[g] += least_time(groups_[g]) / time;
      order_.push_back(g);
    }
    std::ranges::stable_sort(order_, [&](GroupId a, GroupId b) { return weight[a] > weight[b]; });
  }

  // All ways to place the groups from this one on. False if the budget ended first.
  bool place(std::size_t depth) {
    budget_.spend(1 + depth);
    if (budget_.exhausted()) return false;
    if (depth == order_.size()) {
      measure_split();
      return true;
    }
    const GroupId g = order_[depth];
    for (std::size_t c = 0; c < devices_.classes().size(); ++c) {
      if (!groups_[g].runs_on[c]) continue;
      const DeviceTable::Class& equals = devices_.classes()[c];
      bool empty = false;
      for (std::size_t i = equals.first; i < equals.first + equals.count && !empty; ++i) {
        const DeviceId d(i);
        empty = held_[d].groups == 0;
        const Held before = held_[d];
        put(g, d, c);
        const bool go_on = held_[d].memory > equals.memory || too_slow() || misshapen() || place(depth + 1);
        held_[d] = before;
        device_of_[g] = DeviceId();
        if (!go_on) return false;
      }
    }
    return true;
  }

  void put(GroupId g, DeviceId d, std::size_t device_class) {
    const auto& nodes = problem_.workload->graph.nodes;
    const std::size_t id = devices_.classes()[device_class].id.index();
    device_of_[g] = d;
    ++held_[d].groups;
    held_[d].memory += groups_[g].memory;
    for (NodeId v : nodes_of_[g]) held_[d].compute[nodes[v].backward ? 1 : 0] += nodes[v].time[id];
  }

  bool too_slow() const {
    if (problem_.objective == Objective::Latency) return false;
    double both = 0;
    std::array<double, kPasses> most{};
    for (const Held& held : held_) {
      both = std::max(both, held.compute[0] + held.compute[1]);
      for (std::size_t pass = 0; pass < kPasses; ++pass) most[pass] = std::max(most[pass], held.compute[pass]);
    }
    return (problem_.objective == Objective::GPipe ? most[0] + most[1] : both) >= best_.value;
  }

  // Some device's nodes have one of another device between them.
  bool misshapen() {
    if (!has_shape_) return false;
    const std::size_t work = group_of_.size() + successors_.entry_count();
    for (DeviceId d : held_.all()) {
      if (held_[d].groups == 0) continue;
      budget_.spend(work);
      const std::vector<char> after = reached(d, successors_), before = reached(d, predecessors_);
      for (NodeId v : group_of_.all()) {
        const DeviceId there = device_of_[group_of_[v]];
        if (there.valid() && there != d && after[v.index()] && before[v.index()]) return true;
      }
    }
    return false;
  }

  std::vector<char> reached(DeviceId d, const Csr<NodeId, NodeId>& next) const {
    std::vector<char> marked(group_of_.size(), 0);
    std::vector<NodeId> open;
    for (NodeId v : group_of_.all()) {
      if (device_of_[group_of_[v]] == d) open.push_back(v);
    }
    while (!open.empty()) {
      const NodeId v = open.back();
      open.pop_back();
      for (NodeId w : next[v]) {
        if (marked[w.index()]) continue;
        marked[w.index()] = 1;
        open.push_back(w);
      }
    }
    return marked;
  }

  void measure_split() {
    const Graph& graph = problem_.workload->graph;
    budget_.spend(kTicksPerMeasuredItem * (graph.nodes.size() + graph.edges.size()));
    Split split = devices_.lift(group_of_, device_of_);
    const std::optional<double> value = measure_(split);
    if (!value || *value >= best_.value) return;
    best_.value = *value;
    best_.split = std::move(split);
  }

  const Problem& problem_;
  const Measure& measure_;
  Budget& budget_;
  IdVector<NodeId, GroupId> group_of_;
  DeviceTable devices_;
  IdVector<GroupId, ClassGroup> groups_;
  Csr<GroupId, NodeId> nodes_of_;
  Csr<NodeId, NodeId> successors_, predecessors_;
  bool has_shape_ = false;
  std::vector<GroupId> order_;
  IdVector<GroupId, DeviceId> device_of_;
  IdVector<DeviceId, Held> held_;
  EverySplit best_;
};

}  // namespace

EverySplit look_at_every_split(const Problem& problem, double below, const Measure& measure, Budget& budget) {
  refuse_all_but_classes(problem, "searches of every split");
  return Walk(problem, below, measure, budget).run();
}

}  // namespace partita::detail
