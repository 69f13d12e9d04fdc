// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/shrink_nets.h"

#include <algorithm>

#include "partita/util/round_down.h"

namespace partita::detail {
namespace {

// A bridge with more members would make of every net that it is joined to a wide one, which says little.
constexpr std::size_t kWidestBridge = 64;

}  // namespace

template <class Weights>
ShrinkingNetsOf<Weights>::ShrinkingNetsOf(Weights weights, ShrinkLog* log)
    : weights_(std::move(weights)), log_(log), nets_of_(weights_.order().size()), shared_(weights_.order().size()) {
  weights_.for_each_net([this](const Cost& cost, std::span<const GroupId> members, NetId e) {
    add(cost, {members.begin(), members.end()}, e);
  });
}

template <class Weights>
NetId ShrinkingNetsOf<Weights>::add(const Cost& cost, const std::vector<GroupId>& members, NetId origin) {
  const NetId e = nets_.push_back({cost, members});
  origin_.push_back(origin);
  for (GroupId v : members) nets_of_[v].push_back(e);
  return e;
}

template <class Weights>
void ShrinkingNetsOf<Weights>::join(NetId e, const std::vector<GroupId>& groups) {
  std::vector<GroupId>& members = nets_[e].members;
  for (GroupId w : groups) {
    if (std::find(members.begin(), members.end(), w) != members.end()) continue;
    members.push_back(w);
    nets_of_[w].push_back(e);
  }
}

// Members but for v, as the log names nets.
template <class Weights>
std::vector<GroupId> ShrinkingNetsOf<Weights>::others(NetId e, GroupId v) {
  std::vector<GroupId> result = nets_[e].members;
  std::erase(result, v);
  log_->pins += result.size();
  return result;
}

// Those of any worth. Among equally dear ones the narrowest first, which says most about where v belongs.
template <class Weights>
std::vector<NetId> ShrinkingNetsOf<Weights>::dearest_first(GroupId v) const {
  std::vector<NetId> mine;
  for (NetId e : nets_of_[v]) {
    if (counts(nets_[e])) mine.push_back(e);
  }
  std::stable_sort(mine.begin(), mine.end(), [&](NetId a, NetId b) {
    const double of_a = weights_.size(nets_[a].cost), of_b = weights_.size(nets_[b].cost);
    if (of_a != of_b) return of_a > of_b;
    return nets_[a].members.size() < nets_[b].members.size();
  });
  return mine;
}

// The member that shares most with v: they will be together if v is with anybody. Of equals one that must come before
// or after v, rather than a twin in another branch; then the nearest in the order of the file.
template <class Weights>
GroupId ShrinkingNetsOf<Weights>::nearest_in_net(GroupId v, NetId e) const {
  const StageGraph& order = weights_.order();
  GroupId best;
  const auto rank = [&](GroupId w) {
    const bool in_order = test_bit(order.ancestors(v), w.index()) || test_bit(order.descendants(v), w.index());
    const std::size_t far = w < v ? v.index() - w.index() : w.index() - v.index();
    return std::tuple(-shared_[w], !in_order, far);
  };
  for (GroupId w : nets_[e].members) {
    if (w == v || !weights_.may_take_time(w)) continue;
    if (!best.valid() || rank(w) < rank(best)) best = w;
  }
  return best;
}

template <class Weights>
bool ShrinkingNetsOf<Weights>::can_take_time_of(GroupId v) const {
  Cost room{};
  for (NetId e : nets_of_[v]) {
    const auto& members = nets_[e].members;
    if (std::any_of(members.begin(), members.end(), [&](GroupId w) { return w != v && weights_.may_take_time(w); }))
      room = weights_.sum(room, nets_[e].cost);
  }
  return weights_.fits(v, room);
}

template <class Weights>
void ShrinkingNetsOf<Weights>::shift_time_of(GroupId v) {
  if (!weights_.has_time(v)) return;
  const std::vector<NetId> mine = dearest_first(v);
  for (NetId e : mine) {
    for (GroupId w : nets_[e].members) shared_[w] += weights_.size(nets_[e].cost);
  }
  for (NetId e : mine) {
    const GroupId to = nearest_in_net(v, e);
    if (!weights_.has_time(v) || !to.valid()) continue;
    if (log_) log_->removals.back().shifts.push_back({others(e, v), to});
    nets_[e].cost = weights_.without(nets_[e].cost, weights_.shift(v, to, nets_[e].cost));
  }
  for (NetId e : mine) {
    for (GroupId w : nets_[e].members) shared_[w] = 0;
  }
}

template <class Weights>
std::optional<NetId> ShrinkingNetsOf<Weights>::covering_bridge(GroupId v) const {
  const std::vector<NetId> mine = dearest_first(v);
  if (mine.size() < 2) return std::nullopt;
  Cost others{};
  for (std::size_t i = 1; i < mine.size(); ++i) others = weights_.sum(others, nets_[mine[i]].cost);
  const CostlyNet& dearest = nets_[mine.front()];
  if (!weights_.covers(dearest.cost, others) || dearest.members.size() > kWidestBridge) return std::nullopt;
  return mine.front();
}

// A net of two would vanish if v dropped it, and is nothing but a bridge: the dearest of these. Else one that costs as
// much as the others together.
template <class Weights>
std::optional<NetId> ShrinkingNetsOf<Weights>::bridge(GroupId v) const {
  for (NetId e : dearest_first(v)) {
    if (nets_[e].members.size() == 2) return e;
  }
  return covering_bridge(v);
}

template <class Weights>
void ShrinkingNetsOf<Weights>::clone(GroupId v, NetId bridge) {
  leave(bridge, v);
  if (log_) log_->removals.back().bridge = others(bridge, v);
  const std::vector<GroupId> ends = nets_[bridge].members;
  Cost room = nets_[bridge].cost;
  for (NetId e : dearest_first(v)) {
    if (e == bridge) continue;
    leave(e, v);
    const Cost part = weights_.common_part(room, nets_[e].cost);
    if (weights_.size(part) <= 0) continue;
    if (log_) log_->removals.back().into.push_back(others(e, v));
    room = weights_.without(room, part);
    const Cost rest = weights_.without(nets_[e].cost, part);
    if (weights_.size(rest) > 0 && nets_[e].members.size() >= 2)
      add(rest, std::vector<GroupId>(nets_[e].members), origin_[e]);
    nets_[e].cost = part;
    join(e, ends);
  }
  nets_[bridge].cost = room;
}

template <class Weights>
void ShrinkingNetsOf<Weights>::remove(GroupId v) {
  if (log_) log_->removals.push_back({v, {}, {}, {}});
  shift_time_of(v);
  weights_.forget_time(v);
  if (const std::optional<NetId> e = bridge(v)) clone(v, *e);
  for (NetId e : nets_of_[v]) leave(e, v);
  nets_of_[v].clear();
}

template <class Weights>
auto ShrinkingNetsOf<Weights>::nets(const Lift& lift) const -> std::vector<CostlyNet> {
  std::vector<CostlyNet> result;
  for (const CostlyNet& net : nets_) {
    if (!counts(net)) continue;
    result.push_back(net);
    for (GroupId& v : result.back().members) v = lift[v];
    std::sort(result.back().members.begin(), result.back().members.end());
  }
  return result;
}

template <class Weights>
std::vector<ShrinkLog::Origin> ShrinkingNetsOf<Weights>::origins() const {
  std::vector<ShrinkLog::Origin> result;
  for (NetId e : nets_.all()) {
    if (!counts(nets_[e])) continue;
    result.push_back({nets_[e].members, origin_[e]});
    std::sort(result.back().members.begin(), result.back().members.end());
  }
  return result;
}

template class ShrinkingNetsOf<StageWeights>;
template class ShrinkingNetsOf<SetupWeights>;

std::vector<Net> joined_nets(std::vector<Net> nets) {
  std::stable_sort(nets.begin(), nets.end(), [](const Net& a, const Net& b) { return a.members < b.members; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < nets.size(); ++i) {
    if (nets[i].members == nets[last].members) {
      nets[last].cost = sum_rounded_down(nets[last].cost, nets[i].cost);
    } else if (++last != i) {
      nets[last] = std::move(nets[i]);
    }
  }
  nets.resize(std::min(nets.size(), last + 1));
  return nets;
}

}  // namespace partita::detail
