// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/shrink_nets.h"

#include <algorithm>

#include "partita/util/round_down.h"

namespace partita::detail {
namespace {

// A bridge with more members would make of every net that it is joined to a wide one, which says little.
constexpr std::size_t kWidestBridge = 64;

double lowered(double from, double by) { return std::max(0.0, sum_rounded_down(from, -by)); }

}  // namespace

ShrinkingNets::ShrinkingNets(const StageGraph& graph, ShrinkLog* log)
    : graph_(graph), log_(log), nets_of_(graph.size()), shared_(graph.size()) {
  for (GroupId v : graph.all()) time_.push_back(graph.accelerator_time(v));
  for (NetId e : graph.nets()) add(graph.cost(e), {graph.members(e).begin(), graph.members(e).end()}, e);
}

NetId ShrinkingNets::add(double cost, const std::vector<GroupId>& members, NetId origin) {
  const NetId e = nets_.push_back({cost, members});
  origin_.push_back(origin);
  for (GroupId v : members) nets_of_[v].push_back(e);
  return e;
}

void ShrinkingNets::join(NetId e, const std::vector<GroupId>& groups) {
  std::vector<GroupId>& members = nets_[e].members;
  for (GroupId w : groups) {
    if (std::find(members.begin(), members.end(), w) != members.end()) continue;
    members.push_back(w);
    nets_of_[w].push_back(e);
  }
}

// Members but for v, as the log names nets.
std::vector<GroupId> ShrinkingNets::others(NetId e, GroupId v) {
  std::vector<GroupId> result = nets_[e].members;
  std::erase(result, v);
  log_->pins += result.size();
  return result;
}

// Those of any worth. Among equally dear ones the narrowest first, which says most about where v belongs.
std::vector<NetId> ShrinkingNets::dearest_first(GroupId v) const {
  std::vector<NetId> mine;
  for (NetId e : nets_of_[v]) {
    if (nets_[e].cost > 0 && nets_[e].members.size() >= 2) mine.push_back(e);
  }
  std::stable_sort(mine.begin(), mine.end(), [&](NetId a, NetId b) {
    if (nets_[a].cost != nets_[b].cost) return nets_[a].cost > nets_[b].cost;
    return nets_[a].members.size() < nets_[b].members.size();
  });
  return mine;
}

// The member that shares most with v: they will be together if v is with anybody. Of equals one that must come before
// or after v, rather than a twin in another branch; then the nearest in the order of the file.
GroupId ShrinkingNets::nearest_in_net(GroupId v, NetId e) const {
  GroupId best;
  const auto rank = [&](GroupId w) {
    const bool in_order = test_bit(graph_.ancestors(v), w.index()) || test_bit(graph_.descendants(v), w.index());
    const std::size_t far = w < v ? v.index() - w.index() : w.index() - v.index();
    return std::tuple(-shared_[w], !in_order, far);
  };
  for (GroupId w : nets_[e].members) {
    if (w == v || !graph_.group(w).on_accelerator) continue;
    if (!best.valid() || rank(w) < rank(best)) best = w;
  }
  return best;
}

bool ShrinkingNets::can_take_time_of(GroupId v) const {
  double room = 0;
  for (NetId e : nets_of_[v]) {
    const auto& members = nets_[e].members;
    if (std::any_of(members.begin(), members.end(),
                    [&](GroupId w) { return w != v && graph_.group(w).on_accelerator; }))
      room += nets_[e].cost;
  }
  return time_[v] <= room;
}

void ShrinkingNets::shift_time_of(GroupId v) {
  if (time_[v] <= 0) return;
  const std::vector<NetId> mine = dearest_first(v);
  for (NetId e : mine) {
    for (GroupId w : nets_[e].members) shared_[w] += nets_[e].cost;
  }
  for (NetId e : mine) {
    const double part = std::min(time_[v], nets_[e].cost);
    const GroupId to = nearest_in_net(v, e);
    if (part <= 0 || !to.valid()) continue;
    if (log_) log_->removals.back().shifts.push_back({others(e, v), to});
    time_[to] = sum_rounded_down(time_[to], part);
    time_[v] = lowered(time_[v], part);
    nets_[e].cost = lowered(nets_[e].cost, part);
  }
  for (NetId e : mine) {
    for (GroupId w : nets_[e].members) shared_[w] = 0;
  }
}

std::optional<NetId> ShrinkingNets::covering_bridge(GroupId v) const {
  const std::vector<NetId> mine = dearest_first(v);
  if (mine.size() < 2) return std::nullopt;
  double others = 0;
  for (std::size_t i = 1; i < mine.size(); ++i) others += nets_[mine[i]].cost;
  const Net& dearest = nets_[mine.front()];
  if (others > dearest.cost || dearest.members.size() > kWidestBridge) return std::nullopt;
  return mine.front();
}

// A net of two would vanish if v dropped it, and is nothing but a bridge: the dearest of these. Else one that costs as
// much as the others together.
std::optional<NetId> ShrinkingNets::bridge(GroupId v) const {
  for (NetId e : dearest_first(v)) {
    if (nets_[e].members.size() == 2) return e;
  }
  return covering_bridge(v);
}

void ShrinkingNets::clone(GroupId v, NetId bridge) {
  leave(bridge, v);
  if (log_) log_->removals.back().bridge = others(bridge, v);
  const std::vector<GroupId> ends = nets_[bridge].members;
  double room = nets_[bridge].cost;
  for (NetId e : dearest_first(v)) {
    if (e == bridge) continue;
    leave(e, v);
    const double part = std::min(room, nets_[e].cost);
    if (part <= 0) continue;
    if (log_) log_->removals.back().into.push_back(others(e, v));
    room = lowered(room, part);
    const double rest = lowered(nets_[e].cost, part);
    if (rest > 0 && nets_[e].members.size() >= 2) add(rest, std::vector<GroupId>(nets_[e].members), origin_[e]);
    nets_[e].cost = part;
    join(e, ends);
  }
  nets_[bridge].cost = room;
}

void ShrinkingNets::remove(GroupId v) {
  if (log_) log_->removals.push_back({v, {}, {}, {}});
  shift_time_of(v);
  time_[v] = 0;
  if (const std::optional<NetId> e = bridge(v)) clone(v, *e);
  for (NetId e : nets_of_[v]) leave(e, v);
  nets_of_[v].clear();
}

std::vector<Net> ShrinkingNets::nets(const Lift& lift) const {
  std::vector<Net> result;
  for (const Net& net : nets_) {
    if (net.cost <= 0 || net.members.size() < 2) continue;
    result.push_back(net);
    for (GroupId& v : result.back().members) v = lift[v];
    std::sort(result.back().members.begin(), result.back().members.end());
  }
  std::stable_sort(result.begin(), result.end(), [](const Net& a, const Net& b) { return a.members < b.members; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < result.size(); ++i) {
    if (result[i].members == result[last].members) {
      result[last].cost = sum_rounded_down(result[last].cost, result[i].cost);
    } else if (++last != i) {
      result[last] = std::move(result[i]);
    }
  }
  result.resize(std::min(result.size(), last + 1));
  return result;
}

std::vector<ShrinkLog::Origin> ShrinkingNets::origins() const {
  std::vector<ShrinkLog::Origin> result;
  for (NetId e : nets_.all()) {
    if (nets_[e].cost <= 0 || nets_[e].members.size() < 2) continue;
    result.push_back({nets_[e].members, origin_[e]});
    std::sort(result.back().members.begin(), result.back().members.end());
  }
  return result;
}

}  // namespace partita::detail
