// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/stage_graph.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <memory>
#include <new>
#include <queue>

#include "partita/util/strong_components.h"

namespace partita::detail {
namespace {

using Precedence = std::vector<std::pair<GroupId, GroupId>>;

void sort_unique(auto& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

// A topological order that keeps to `rank` where it can: of the groups that are ready, the one with the smallest rank.
std::vector<std::size_t> positions_by_rank(const Csr<GroupId, GroupId>& successors,
                                           const std::vector<std::size_t>& rank) {
  const std::size_t n = successors.rows();
  std::vector<std::size_t> waiting(n, 0), position(n);
  for (GroupId v : ids<GroupId>(n)) {
    for (GroupId w : successors[v]) ++waiting[w.index()];
  }
  std::priority_queue<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::size_t, std::size_t>>,
                      std::greater<>>
      ready;
  for (std::size_t v = 0; v < n; ++v) {
    if (waiting[v] == 0) ready.emplace(rank[v], v);
  }
  std::size_t placed = 0;
  while (!ready.empty()) {
    const std::size_t v = ready.top().second;
    ready.pop();
    position[v] = placed++;
    for (GroupId w : successors[GroupId(v)]) {
      if (--waiting[w.index()] == 0) ready.emplace(rank[w.index()], w.index());
    }
  }
  assert(placed == n);
  return position;
}

// Room for a closure, and for as much again: a search that cannot move is no better off for having one.
bool has_room_for_closure(std::size_t n) {
  const std::unique_ptr<Word[]> room(new (std::nothrow)
                                         Word[4 * n * words_for(n)]);  // never touched, so it costs nothing
  return room != nullptr;
}

}  // namespace

StageGraph::StageGraph(IdVector<GroupId, Group> groups, const Precedence& precedence, std::vector<Net> nets,
                       Closure closure)
    : NetGraph(std::move(groups), std::move(nets)) {
  add_precedence(precedence, size() <= kClosureLimit && (closure == Closure::Needed || has_room_for_closure(size())));
}

// With the closure at hand, an edge v -> w is redundant iff an earlier-numbered successor of v already reaches w.
void StageGraph::add_precedence(Precedence precedence, bool with_closure) {
  const std::size_t n = size();
  sort_unique(precedence);
  if (!with_closure) {
    successors_ = Csr<GroupId, GroupId>(n, precedence);
  } else {
    const Csr<GroupId, GroupId> all(n, precedence);
    descendants_ = BitMatrix(n, n);
    precedence.clear();
    for (std::size_t i = n; i-- > 0;) {
      const GroupId v(i);
      for (GroupId w : all[v]) {
        assert(v < w);
        if (descendants_.test(i, w.index())) continue;
        precedence.emplace_back(v, w);
        descendants_.join_row(i, w.index());
      }
      descendants_.set(i, i);
    }
    std::sort(precedence.begin(), precedence.end());
    successors_ = Csr<GroupId, GroupId>(n, precedence);
  }
  for (auto& [from, to] : precedence) std::swap(from, to);
  predecessors_ = Csr<GroupId, GroupId>(n, precedence);
  if (!with_closure) return;
  ancestors_ = BitMatrix(n, n);
  for (GroupId v : all()) {
    ancestors_.set(v.index(), v.index());
    for (GroupId u : predecessors_[v]) ancestors_.join_row(v.index(), u.index());
  }
}

namespace {

Contraction contract(const IdVector<GroupId, Group>& groups, const Precedence& precedence, const std::vector<Net>& nets,
                     const IdVector<GroupId, GroupId>& label, StageGraph::Closure closure) {
  const std::size_t n = groups.size();
  // Classes, then the cycles among them.
  Precedence between;
  for (const auto& [v, w] : precedence) {
    if (label[v] != label[w]) between.emplace_back(label[v], label[w]);
  }
  sort_unique(between);
  const Components components = strong_components(Csr<GroupId, GroupId>(n, between));

  // Number the components that are in use; labels that nobody bears are components of their own and fall out here.
  std::vector<std::size_t> number(components.count, n), rank;
  for (GroupId v : groups.all()) {
    std::size_t& c = number[components.component_of[label[v].index()]];
    if (c != n) continue;
    c = rank.size();
    rank.push_back(v.index());
  }
  const auto merged = [&](GroupId v) { return GroupId(number[components.component_of[label[v].index()]]); };
  between.clear();
  for (const auto& [v, w] : precedence) {
    if (merged(v) != merged(w)) between.emplace_back(merged(v), merged(w));
  }
  sort_unique(between);
  const std::vector<std::size_t> position = positions_by_rank(Csr<GroupId, GroupId>(rank.size(), between), rank);

  Contraction result;
  result.lift.resize(n);
  IdVector<GroupId, Group> sums(rank.size());
  for (GroupId v : groups.all()) {
    const GroupId to(position[merged(v).index()]);
    result.lift[v] = to;
    Group& sum = sums[to];
    const Group& part = groups[v];
    sum.accelerator_time += part.accelerator_time;
    sum.host_time += part.host_time;
    sum.memory += part.memory;
    sum.on_accelerator = sum.on_accelerator && part.on_accelerator;
    sum.on_host = sum.on_host && part.on_host;
  }
  for (Group& sum : sums) {
    if (!sum.on_accelerator) sum.accelerator_time = 0;
    if (!sum.on_host) sum.host_time = 0;
  }
  for (auto& [v, w] : between) {
    v = GroupId(position[v.index()]);
    w = GroupId(position[w.index()]);
  }
  std::vector<Net> moved = nets;
  for (Net& net : moved) {
    for (GroupId& v : net.members) v = result.lift[v];
  }
  result.graph = StageGraph(std::move(sums), between, std::move(moved), closure);
  return result;
}

struct Parts {
  IdVector<GroupId, Group> groups;
  Precedence precedence;
  std::vector<Net> nets;
};

Parts parts_of(const StageGraph& graph) {
  Parts parts;
  for (GroupId v : graph.all()) {
    parts.groups.push_back(graph.group(v));
    for (GroupId w : graph.successors(v)) parts.precedence.emplace_back(v, w);
  }
  for (NetId e : graph.nets())
    parts.nets.push_back({graph.cost(e), {graph.members(e).begin(), graph.members(e).end()}});
  return parts;
}

}  // namespace

Contraction contract(const StageGraph& graph, const IdVector<GroupId, GroupId>& label) {
  const Parts parts = parts_of(graph);
  return contract(parts.groups, parts.precedence, parts.nets, label,
                  graph.has_closure() ? StageGraph::Closure::Needed : StageGraph::Closure::IfThereIsRoom);
}

Contraction contract(const IdVector<GroupId, Group>& groups, const Precedence& precedence, const std::vector<Net>& nets,
                     const IdVector<GroupId, GroupId>& label) {
  return contract(groups, precedence, nets, label, StageGraph::Closure::IfThereIsRoom);
}

StageGraph reversed(const StageGraph& graph) {
  Parts parts = parts_of(graph);
  const auto mirror = [&](GroupId v) { return GroupId(graph.size() - 1 - v.index()); };
  std::reverse(parts.groups.begin(), parts.groups.end());
  for (auto& [v, w] : parts.precedence) {
    const GroupId from = mirror(w);
    w = mirror(v);
    v = from;
  }
  for (Net& net : parts.nets) {
    for (GroupId& v : net.members) v = mirror(v);
  }
  return StageGraph(std::move(parts.groups), parts.precedence, std::move(parts.nets));
}

Lift compose(const Lift& first, const Lift& second) {
  Lift result = first;
  for (GroupId& to : result) to = second[to];
  return result;
}

}  // namespace partita::detail
