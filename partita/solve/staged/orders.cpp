// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/orders.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace partita::detail {
namespace {

// Counts down the predecessors that are not yet placed.
class Readiness {
 public:
  explicit Readiness(const StageGraph& graph) : graph_(graph), waiting_(graph.size(), 0) {
    for (GroupId v : graph.all()) waiting_[v] = graph.predecessors(v).size();
  }
  std::vector<GroupId> ready_at_first() const {
    std::vector<GroupId> ready;
    for (GroupId v : graph_.all()) {
      if (waiting_[v] == 0) ready.push_back(v);
    }
    return ready;
  }
  template <class Visit>
  void place(GroupId v, Visit became_ready) {
    for (GroupId w : graph_.successors(v)) {
      if (--waiting_[w] == 0) became_ready(w);
    }
  }

 private:
  const StageGraph& graph_;
  IdVector<GroupId, std::size_t> waiting_;
};

}  // namespace

std::vector<GroupId> file_order(const StageGraph& graph) {
  std::vector<GroupId> order;
  for (GroupId v : graph.all()) order.push_back(v);
  return order;
}

std::vector<GroupId> depth_first_order(const StageGraph& graph, Rng* rng) {
  Readiness readiness(graph);
  std::vector<GroupId> ready = readiness.ready_at_first(), order;
  if (rng) std::shuffle(ready.begin(), ready.end(), *rng);
  while (!ready.empty()) {
    const GroupId v = ready.back();
    ready.pop_back();
    order.push_back(v);
    const std::size_t before = ready.size();
    readiness.place(v, [&](GroupId w) { ready.push_back(w); });
    if (rng) std::shuffle(ready.begin() + before, ready.end(), *rng);
  }
  return order;
}

std::vector<GroupId> late_order(const StageGraph& graph) {
  IdVector<GroupId, std::size_t> depth(graph.size(), 0);
  std::vector<GroupId> needed;  // still to be placed, the next one last
  for (GroupId v : graph.all()) {
    for (GroupId u : graph.predecessors(v)) depth[v] = std::max(depth[v], depth[u] + 1);
    if (graph.successors(v).empty()) needed.push_back(v);
  }
  const auto deeper = [&](GroupId a, GroupId b) { return std::pair(depth[a], a) > std::pair(depth[b], b); };
  std::sort(needed.begin(), needed.end(), deeper);
  enum Mark : char { kNew, kExpanded, kPlaced };
  IdVector<GroupId, Mark> mark(graph.size(), kNew);
  std::vector<GroupId> order;
  while (!needed.empty()) {
    const GroupId v = needed.back();
    if (mark[v] == kNew) {
      mark[v] = kExpanded;
      const std::size_t before = needed.size();
      for (GroupId u : graph.predecessors(v)) {
        if (mark[u] == kNew) needed.push_back(u);
      }
      std::sort(needed.begin() + static_cast<std::ptrdiff_t>(before), needed.end(),
                [&](GroupId a, GroupId b) { return deeper(b, a); });
      continue;
    }
    needed.pop_back();
    if (mark[v] == kPlaced) continue;
    mark[v] = kPlaced;
    order.push_back(v);
  }
  return order;
}

std::vector<GroupId> small_cut_order(const StageGraph& graph, double noise, Rng& rng) {
  Readiness readiness(graph);
  IdVector<NetId, std::size_t> left(graph.net_count(), 0);
  for (NetId e : graph.nets()) left[e] = graph.members(e).size();
  std::uniform_real_distribution<double> unit(-0.5, 0.5);
  std::vector<GroupId> ready = readiness.ready_at_first(), order;
  while (!ready.empty()) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < ready.size(); ++i) {
      double growth = 0;
      for (NetId e : graph.nets_of(ready[i])) {
        if (left[e] == graph.members(e).size()) growth += graph.cost(e);
        if (left[e] == 1) growth -= graph.cost(e);
      }
      if (noise > 0) growth *= 1 + noise * unit(rng);
      // Of equals, the one that became ready last: it continues what is being built.
      if (growth <= least) {
        least = growth;
        best = i;
      }
    }
    const GroupId v = ready[best];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(best));
    order.push_back(v);
    for (NetId e : graph.nets_of(v)) --left[e];
    readiness.place(v, [&](GroupId w) { ready.push_back(w); });
  }
  return order;
}

std::vector<GroupId> jittered_order(const StageGraph& graph, double spread, Rng& rng) {
  Readiness readiness(graph);
  std::uniform_real_distribution<double> delay(0, spread);
  using Entry = std::pair<double, GroupId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto enter = [&](GroupId v) { ready.emplace(static_cast<double>(v.index()) + delay(rng), v); };
  for (GroupId v : readiness.ready_at_first()) enter(v);
  std::vector<GroupId> order;
  while (!ready.empty()) {
    const GroupId v = ready.top().second;
    ready.pop();
    order.push_back(v);
    readiness.place(v, enter);
  }
  return order;
}

std::vector<GroupId> order_to_try(const StageGraph& graph, int number, Rng& rng) {
  if (number == 0) return file_order(graph);
  if (number == 1) return depth_first_order(graph);
  if (number == 2) return small_cut_order(graph, 0, rng);
  switch (number % 4) {
    case 0: return depth_first_order(graph, &rng);
    case 1: return small_cut_order(graph, 1, rng);
    default: {
      const double spread = std::uniform_real_distribution<double>(0.002, 0.3)(rng);
      return jittered_order(graph, static_cast<double>(graph.size()) * spread, rng);
    }
  }
}

}  // namespace partita::detail
