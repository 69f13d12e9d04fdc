// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/shrink_nets.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "partita/util/round_down.h"
#include "partita/util/union_find.h"

namespace partita::detail {
namespace {

// A net with more members says little. One that is hardly wider than what it comes from may have them.
constexpr std::size_t kWidestLink = 128, kLittleWider = 8;
constexpr double kLeastLink = 1e-9;  // of all: what rounding leaves is no reason for one more
// Who can use more of a net may use all of it.
constexpr double kMostShare = 0.6;
constexpr std::size_t kManySharers = 256;  // they have equal shares, rather than each its own

}  // namespace

template <class Weights>
ShrinkingNetsOf<Weights>::ShrinkingNetsOf(Weights weights, bool narrow, ShrinkLog* log)
    : weights_(std::move(weights)),
      narrow_(narrow),
      log_(log),
      nets_of_(weights_.order().size()),
      shared_(weights_.order().size()),
      first_with_(weights_.order().size()),
      goes_(weights_.order().size(), 0) {
  weights_.for_each_net([this](const Cost& cost, std::span<const GroupId> members) {
    add(cost, {members.begin(), members.end()});
  });
}

template <class Weights>
void ShrinkingNetsOf<Weights>::add(const Cost& cost, const std::vector<GroupId>& members) {
  const NetId e = nets_.push_back({cost, members});
  for (GroupId v : members) nets_of_[v].push_back(e);
}

// Members but for v, as the log names nets.
template <class Weights>
std::vector<GroupId> ShrinkingNetsOf<Weights>::others_of(NetId e, GroupId v) {
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

// The member that shares most with v: they will be together if v is with anybody. One that stays, if there is one; of
// equals one that must come before or after v, rather than a twin in another branch; then the nearest in the order of
// the file.
template <class Weights>
GroupId ShrinkingNetsOf<Weights>::nearest_in_net(GroupId v, NetId e) const {
  const StageGraph& order = weights_.order();
  GroupId best;
  const auto rank = [&](GroupId w) {
    const bool in_order = test_bit(order.ancestors(v), w.index()) || test_bit(order.descendants(v), w.index());
    const std::size_t far = w < v ? v.index() - w.index() : w.index() - v.index();
    return std::tuple(goes_[w], -shared_[w], !in_order, far);
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

// To those that stay, if there are any, along the dearest nets.
template <class Weights>
void ShrinkingNetsOf<Weights>::shift_time_of(GroupId v) {
  if (!weights_.has_time(v)) return;
  const std::vector<NetId> mine = dearest_first(v);
  for (NetId e : mine) {
    for (GroupId w : nets_[e].members) shared_[w] += weights_.size(nets_[e].cost);
  }
  std::vector<std::pair<NetId, GroupId>> heirs;
  for (NetId e : mine) {
    if (const GroupId to = nearest_in_net(v, e); to.valid()) heirs.emplace_back(e, to);
  }
  std::stable_partition(heirs.begin(), heirs.end(), [&](const auto& heir) { return !goes_[heir.second]; });
  for (const auto& [e, to] : heirs) {
    if (!weights_.has_time(v)) break;
    shift_along(v, e, to);
  }
  for (NetId e : mine) {
    for (GroupId w : nets_[e].members) shared_[w] = 0;
  }
}

template <class Weights>
void ShrinkingNetsOf<Weights>::shift_along(GroupId v, NetId e, GroupId to) {
  if (log_) log_->removals.back().shifts.push_back({others_of(e, v), to});
  nets_[e].cost = weights_.without(nets_[e].cost, weights_.shift(v, to, nets_[e].cost));
}

// Nets with the same members are one, as the check of certificates has them.
template <class Weights>
void ShrinkingNetsOf<Weights>::join_equal_nets_of(GroupId v) {
  std::vector<NetId> mine;
  for (NetId e : nets_of_[v]) {
    if (counts(nets_[e])) mine.push_back(e);
  }
  std::stable_sort(mine.begin(), mine.end(), [&](NetId a, NetId b) { return nets_[a].members < nets_[b].members; });
  for (std::size_t i = 1; i < mine.size(); ++i) {
    CostlyNet &before = nets_[mine[i - 1]], &net = nets_[mine[i]];
    if (net.members != before.members) continue;
    net.cost = weights_.sum_down(before.cost, net.cost);
    before = {};
  }
}

template <class Weights>
double ShrinkingNetsOf<Weights>::other_costs(GroupId v, NetId e) const {
  double sum = 0;
  for (NetId f : nets_of_[v]) {
    if (f != e && counts(nets_[f])) sum += weights_.size(nets_[f].cost);
  }
  return std::min(sum, weights_.size(nets_[e].cost));
}

template <class Weights>
auto ShrinkingNetsOf<Weights>::use_of(GroupId v, NetId e) const -> Use {
  Use use{e, 1, {}};
  const std::vector<GroupId>& members = nets_[e].members;
  const auto going = static_cast<std::size_t>(
      std::count_if(members.begin(), members.end(), [&](GroupId w) { return w != v && goes_[w]; }));
  const double cost = weights_.size(nets_[e].cost);
  const bool may_share = !narrow_ && going > 0 && going + 1 < members.size();
  const double mine = may_share ? other_costs(v, e) : 0;
  const bool shares = mine > 0 && mine <= kMostShare * cost;
  for (GroupId w : members) {
    if (w != v && !(shares && goes_[w])) use.leads.push_back(w);
  }
  if (!shares) return use;
  double all = mine;
  if (going < kManySharers) {
    for (GroupId w : members) {
      if (w != v && goes_[w]) all += other_costs(w, e);
    }
  } else {
    all *= static_cast<double>(going + 1);
  }
  use.share = std::min(mine / cost, mine / all);
  return use;
}

template <class Weights>
double ShrinkingNetsOf<Weights>::cost_of(const Use& use, std::size_t part) const {
  return use.share * weights_.part(nets_[use.net].cost, part);
}

// Along the order of groups, each at the mean of whom its first net leads to; the nets of each are dearest first.
template <class Weights>
auto ShrinkingNetsOf<Weights>::branches_of(GroupId v) -> std::vector<Branch> {
  std::vector<Use> mine;
  for (NetId e : dearest_first(v)) mine.push_back(use_of(v, e));
  std::stable_sort(mine.begin(), mine.end(), [&](const Use& a, const Use& b) {
    return a.share * weights_.size(nets_[a.net].cost) > b.share * weights_.size(nets_[b.net].cost);
  });
  UnionFind<NetId> joined(mine.size());  // by place in `mine`
  for (std::size_t i = 0; i < mine.size(); ++i) {
    for (GroupId w : mine[i].leads) {
      if (goes_[w]) continue;
      if (first_with_[w].valid()) joined.join(first_with_[w], NetId(i));
      first_with_[w] = NetId(i);
    }
  }
  std::vector<Branch> branches;
  std::vector<std::size_t> branch_of(mine.size(), mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    double places = 0;
    for (GroupId w : mine[i].leads) {
      first_with_[w] = NetId();
      places += static_cast<double>(w.index());
    }
    std::size_t& branch = branch_of[joined.find(NetId(i)).index()];
    if (branch == mine.size()) {
      branch = branches.size();
      branches.push_back({{}, places / static_cast<double>(mine[i].leads.size())});
    }
    branches[branch].uses.push_back(std::move(mine[i]));
  }
  std::stable_sort(branches.begin(), branches.end(),
                   [](const Branch& a, const Branch& b) { return a.place < b.place; });
  return branches;
}

template <class Weights>
bool ShrinkingNetsOf<Weights>::loses_little(GroupId v) {
  const std::vector<Branch> branches = branches_of(v);
  if (branches.empty() || dearest_first(v).size() < 2) return false;
  if (branches.size() <= 3) return true;
  return std::any_of(branches.begin(), branches.end(), [&](const Branch& one) {
    Cost mine{}, others{};
    for (const Branch& branch : branches) {
      Cost& sum = &branch == &one ? mine : others;
      for (const Use& use : branch.uses) sum = weights_.sum(sum, nets_[use.net].cost);
    }
    return weights_.covers(mine, others);
  });
}

// Of one part of all costs: what costs have several parts of is linked part by part.
template <class Weights>
void ShrinkingNetsOf<Weights>::link(GroupId v, const std::vector<Branch>& branches, std::size_t part) {
  std::vector<double> costs(branches.size(), 0);
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (const Use& use : branches[i].uses) costs[i] += cost_of(use, part);
  }
  const std::size_t dearest = static_cast<std::size_t>(std::max_element(costs.begin(), costs.end()) - costs.begin());
  const double others = std::accumulate(costs.begin(), costs.end(), 0.0) - costs[dearest];
  costs[dearest] = std::min(costs[dearest], others);
  struct Stretch {
    const Use* use;
    double length;
  };
  std::vector<Stretch> line;
  double total = 0;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    double left = costs[i];
    for (const Use& use : branches[i].uses) {
      const double length = std::min(left, cost_of(use, part));
      if (!(length > 0)) continue;
      line.push_back({&use, length});
      left -= length;
      total += length;
    }
  }
  // Two marks, half of the line apart.
  std::size_t first = 0, second = 0;
  double to_first = 0, to_second = total / 2;  // from the beginnings of their stretches
  while (second < line.size() && to_second >= line[second].length) to_second -= line[second++].length;
  const double least = kLeastLink * total;
  for (double moved = 0; moved < total / 2 && second < line.size();) {
    const double step = std::min({line[first].length - to_first, line[second].length - to_second, total / 2 - moved});
    if (step > least) link_two(v, *line[first].use, *line[second].use, step, part);
    moved += step;
    const auto advance = [&](std::size_t& at, double& into) {
      into += step;
      if (into < line[at].length) return;
      ++at;
      into = 0;
    };
    advance(first, to_first);
    advance(second, to_second);
  }
}

// One net with the others, as far as it goes: the dearest net of two, which would vanish if v dropped it, or one that covers
// the others.
template <class Weights>
void ShrinkingNetsOf<Weights>::link_bridge(GroupId v) {
  const std::vector<NetId> mine = dearest_first(v);
  auto bridge = std::find_if(mine.begin(), mine.end(), [&](NetId e) { return nets_[e].members.size() == 2; });
  if (bridge == mine.end()) {
    Cost others{};
    for (std::size_t i = 1; i < mine.size(); ++i) others = weights_.sum(others, nets_[mine[i]].cost);
    if (mine.empty() || !weights_.covers(nets_[mine.front()].cost, others)) return;
    bridge = mine.begin();
  }
  link_with(v, *bridge);
}

// As far as the net goes. What it leads to may be in others already, which then need no link.
template <class Weights>
void ShrinkingNetsOf<Weights>::link_with(GroupId v, NetId bridge) {
  const Use with = use_of(v, bridge);
  for (NetId e : dearest_first(v)) {
    if (std::ranges::includes(nets_[e].members, nets_[bridge].members)) continue;
    const Use use = use_of(v, e);
    for (std::size_t part = 0; part < Weights::kParts; ++part) {
      if (const double length = cost_of(use, part); length > 0) link_two(v, use, with, length, part);
    }
  }
}

// Of the two nets, and for those that they lead to.
template <class Weights>
void ShrinkingNetsOf<Weights>::link_two(GroupId v, const Use& one, const Use& other, double length, std::size_t part) {
  const NetId a = one.net, b = other.net;
  const double at_most = std::min(weights_.part(nets_[a].cost, part), weights_.part(nets_[b].cost, part));
  if (!(at_most > 0)) return;
  const Cost cost = weights_.of_part(std::min(length, at_most), part);
  std::vector<GroupId> ends;
  std::ranges::set_union(one.leads, other.leads, std::back_inserter(ends));
  if (ends.size() > std::max(kWidestLink, std::max(nets_[a].members.size(), nets_[b].members.size()) + kLittleWider))
    return;
  if (log_) {
    ShrinkLog::Removal::Link link{others_of(a, v), others_of(b, v), weights_.size(cost), {}};
    for (const std::vector<GroupId>* net : {&link.a, &link.b})
      std::ranges::set_difference(*net, ends, std::back_inserter(link.without));
    log_->pins += link.without.size();
    log_->removals.back().links.push_back(std::move(link));
  }
  nets_[a].cost = weights_.without(nets_[a].cost, cost);
  nets_[b].cost = weights_.without(nets_[b].cost, cost);
  add(cost, ends);
}

template <class Weights>
void ShrinkingNetsOf<Weights>::remove(GroupId v) {
  if (log_) log_->removals.push_back({v});
  join_equal_nets_of(v);
  shift_time_of(v);
  weights_.forget_time(v);
  if (narrow_) {
    link_bridge(v);
  } else {
    const std::vector<Branch> branches = branches_of(v);
    for (std::size_t part = 0; part < Weights::kParts && branches.size() > 1; ++part) link(v, branches, part);
  }
  leave_nets(v);
}

template <class Weights>
void ShrinkingNetsOf<Weights>::leave_nets(GroupId v) {
  for (NetId e : nets_of_[v]) std::erase(nets_[e].members, v);
  nets_of_[v].clear();
}

template <class Weights>
std::optional<NetId> ShrinkingNetsOf<Weights>::net_to_follow(GroupId v) {
  join_equal_nets_of(v);
  for (NetId e : dearest_first(v)) {
    if (nets_[e].members.size() != 2) continue;
    const GroupId w = other_of(e, v);
    Cost others{};
    for (NetId f : nets_of_[v]) {
      if (counts(nets_[f]) && !std::ranges::binary_search(nets_[f].members, w))
        others = weights_.sum(others, nets_[f].cost);
    }
    if (weights_.covers(nets_[e].cost, others) && weights_.fits(v, weights_.without(nets_[e].cost, others))) return e;
  }
  return std::nullopt;
}

template <class Weights>
void ShrinkingNetsOf<Weights>::follow(GroupId v, NetId e) {
  if (log_) log_->removals.push_back({v});
  shift_along(v, e, other_of(e, v));
  weights_.forget_time(v);
  link_with(v, e);
  leave_nets(v);
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
