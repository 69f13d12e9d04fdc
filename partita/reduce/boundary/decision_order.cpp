// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/boundary/decision_order.h"

#include <algorithm>
#include <tuple>

namespace partita::detail {
namespace {

class GreedyDecisions {
 public:
  GreedyDecisions(const StageGraph& graph, TimeWatch& watch)
      : graph_(graph), watch_(watch), decided_(graph.size(), 0), left_(graph.size()), net_left_(graph.net_count()) {
    for (GroupId v : graph.all()) left_[v] = graph.successors(v).size() + graph.predecessors(v).size();
    for (NetId e : graph.nets()) net_left_[e] = graph.members(e).size();
  }

  std::vector<GroupId> run() {
    std::vector<GroupId> order;
    GroupId first(0);
    while (order.size() < graph_.size()) {
      while (decided_[first]) ++first;
      GroupId best = first;
      int least = opened_by(first);
      for (GroupId u : open_) {
        for_neighbours(u, [&](GroupId v) {
          if (decided_[v]) return;
          const int opened = opened_by(v);
          if (std::tie(opened, v) < std::tie(least, best)) std::tie(least, best) = std::tie(opened, v);
        });
      }
      decide(best);
      order.push_back(best);
    }
    return order;
  }

 private:
  template <class Visit>
  void for_neighbours(GroupId v, Visit visit) const {
    for (GroupId u : graph_.predecessors(v)) visit(u);
    for (GroupId u : graph_.successors(v)) visit(u);
  }

  // By how many more groups and nets are open once v is decided.
  int opened_by(GroupId v) {
    watch_.step(1 + left_[v]);
    int opened = left_[v] > 0;
    for_neighbours(v, [&](GroupId u) { opened -= decided_[u] && left_[u] == 1; });
    for (NetId e : graph_.nets_of(v)) {
      const bool untouched = net_left_[e] == graph_.members(e).size();
      opened += untouched ? 1 : net_left_[e] == 1 ? -1 : 0;
    }
    return opened;
  }

  void decide(GroupId v) {
    decided_[v] = 1;
    open_.push_back(v);
    for_neighbours(v, [&](GroupId u) { --left_[u]; });
    for (NetId e : graph_.nets_of(v)) --net_left_[e];
    std::erase_if(open_, [&](GroupId u) { return left_[u] == 0; });
  }

  const StageGraph& graph_;
  TimeWatch& watch_;
  IdVector<GroupId, char> decided_;
  IdVector<GroupId, std::size_t> left_;  // undecided neighbours
  IdVector<NetId, std::size_t> net_left_;
  std::vector<GroupId> open_;
};

// The most groups that are open at a time.
std::size_t width_of(const StageGraph& graph, const std::vector<GroupId>& order) {
  IdVector<GroupId, std::size_t> left(graph.size());
  std::size_t open = 0, most = 0;
  for (GroupId v : graph.all()) left[v] = graph.successors(v).size() + graph.predecessors(v).size();
  IdVector<GroupId, char> decided(graph.size(), 0);
  for (GroupId v : order) {
    decided[v] = 1;
    open += left[v] > 0;
    const auto close = [&](GroupId u) { open -= --left[u] == 0 && decided[u]; };
    for (GroupId u : graph.predecessors(v)) close(u);
    for (GroupId u : graph.successors(v)) close(u);
    most = std::max(most, open);
  }
  return most;
}

}  // namespace

std::vector<GroupId> decision_order(const StageGraph& graph, TimeWatch& watch) {
  std::vector<GroupId> own;
  for (GroupId v : graph.all()) own.push_back(v);
  if (graph.size() == 0) return own;
  std::vector<GroupId> greedy = GreedyDecisions(graph, watch).run();
  return width_of(graph, own) <= width_of(graph, greedy) + 1 ? own : greedy;
}

}  // namespace partita::detail
