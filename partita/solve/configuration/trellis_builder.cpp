// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/trellis_builder.h"

#include <algorithm>
#include <map>

namespace partita::detail {
namespace {

constexpr Load kNobodyAffords = 4 * kUnits;  // more than any limit
// A group has at most 2^points arcs from a state; the order of further points is not looked at.
constexpr std::size_t kMostPointsOfGroup = 12;

}  // namespace

TrellisBuilder::TrellisBuilder(const NetGraph& graph, const Scaled& scaled, const std::vector<GroupId>& order,
                               const Trellis::Size& size, const Trellis::Rules& rules,
                               const std::vector<NarrowedNet>& before, TimeWatch& watch)
    : graph_(graph),
      scaled_(scaled),
      order_(order),
      size_(size),
      rules_(rules),
      before_(graph.net_count(), nullptr),
      watch_(watch),
      place_of_(graph.size(), 0),
      open_(kNetSlots),
      waiting_(kPointSlots) {
  for (const NarrowedNet& one : before) before_[one.net] = &one;
  for (std::size_t t = 0; t < order.size(); ++t) place_of_[order[t]] = t;
  for (NetId e : graph.nets()) bundles_.push_back({.cost = scaled.cost[e]});
  for (const PairDecision& pair : rules.pairs) {
    bundles_.push_back({.cost = pair.together ? kNobodyAffords : 0, .apart = !pair.together});
    pair_members_.push_back({pair.a, pair.b});
  }
  std::vector<std::pair<GroupId, std::size_t>> pins;
  for (std::size_t b = 0; b < bundles_.size(); ++b) {
    bundles_[b].first = order.size();
    for (GroupId v : members(b)) {
      bundles_[b].first = std::min(bundles_[b].first, place_of_[v]);
      bundles_[b].last = std::max(bundles_[b].last, place_of_[v]);
      pins.emplace_back(v, b);
    }
  }
  bundles_of_ = Csr<GroupId, std::size_t>(graph.size(), pins);
  std::vector<std::pair<NetId, std::size_t>> places;
  for (std::size_t t = 0; t < order.size(); ++t) {
    for (std::size_t b : bundles_of_[order[t]]) {
      if (b < graph.net_count()) places.emplace_back(NetId(b), t);
    }
  }
  places_of_net_ = Csr<NetId, std::size_t>(graph.net_count(), places);
  if (!has_points()) return;
  slot_of_.assign(rules.order->size(), -1);
  is_forgotten_.assign(rules.order->size(), 0);
}

std::span<const GroupId> TrellisBuilder::members(std::size_t bundle) const {
  if (bundle < graph_.net_count()) {
    const NarrowedNet* const narrower = before_[NetId(bundle)];
    return narrower ? narrower->counted : graph_.members(NetId(bundle));
  }
  return pair_members_[bundle - graph_.net_count()];
}

bool TrellisBuilder::run() {
  states_.enter({}, 0);
  for (std::size_t t = 0; t < order_.size(); ++t) {
    place(t);
    state_count_ += states_.keys.size();
    if (state_count_ > size_.most_states) return false;
  }
  layers.emplace_back();
  layers.back().first.assign(states_.keys.size() + 1, 0);
  return true;
}

void TrellisBuilder::place(std::size_t t) {
  group_ = order_[t];
  open_bundles(t);
  find_twins(t);
  if (has_points()) {
    open_points(t);
    relate_points();
    watch_nets(t);
  }
  layers.push_back({.group = group_, .first = {0}});
  Trellis::Layer& layer = layers.back();
  next_ = StateSet();
  for (state_ = 0; state_ < states_.keys.size(); ++state_) {
    watch_.step();
    first_arc_ = layer.arcs.size();
    labels_.clear();
    leave(0);
    if (scaled_.may_hold[group_]) {
      labels_.assign(points_.size(), 1);
      bool fits = true;
      for (std::size_t i = 0; i < points_.size(); ++i) fits = fits && label_fits(i, 1);
      if (fits) arrive(true);
    }
    layer.first.push_back(static_cast<std::uint32_t>(layer.arcs.size()));
  }
  close();
  states_ = std::move(next_);
  narrow();
}

void TrellisBuilder::open_bundles(std::size_t t) {
  starting_.clear();
  going_on_.clear();
  ending_.clear();
  for (std::size_t b : bundles_of_[group_]) {
    if (bundles_[b].first == t) {
      starting_.push_back(b);
    } else if (bundles_[b].slot >= 0) {
      going_on_.push_back(b);
    }
  }
  for (std::size_t b : starting_) {
    auto free = std::find(open_.begin(), open_.end(), std::nullopt);
    if (free == open_.end()) {
      const auto cheapest = cheapest_open();
      if (!cheapest) {  // all slots hold pairs
        if (b < graph_.net_count()) count_decided_alone(NetId(b));
        continue;
      }
      forget_nets({*cheapest});
      free = std::find(open_.begin(), open_.end(), std::nullopt);
    }
    bundles_[b].slot = static_cast<int>(free - open_.begin());
    *free = b;
  }
  const auto closed = [&](std::size_t b) { return bundles_[b].slot < 0; };
  std::erase_if(starting_, closed);
  std::erase_if(going_on_, closed);
  for (std::size_t b : bundles_of_[group_]) {
    if (bundles_[b].slot >= 0 && bundles_[b].last == t) ending_.push_back(b);
  }
}

void TrellisBuilder::find_twins(std::size_t t) {
  struct Left {
    Load cost = 0;
    std::span<const std::size_t> places;  // of undecided members
    int slot = 0;
  };
  std::vector<Left> nets;
  for (std::size_t slot = 0; slot < open_.size(); ++slot) {
    const auto& b = open_[slot];
    if (!b || *b >= graph_.net_count() || bundles_[*b].last <= t) continue;
    const auto places = places_of_net_[NetId(*b)];
    const auto decided = std::upper_bound(places.begin(), places.end(), t) - places.begin();
    nets.push_back({bundles_[*b].cost, places.subspan(static_cast<std::size_t>(decided)), static_cast<int>(slot)});
  }
  const auto compare = [](const Left& a, const Left& b) {
    if (a.cost != b.cost) return a.cost < b.cost ? -1 : 1;
    if (a.places.size() != b.places.size()) return a.places.size() < b.places.size() ? -1 : 1;
    const auto [x, y] = std::ranges::mismatch(a.places, b.places);
    return x == a.places.end() ? 0 : *x < *y ? -1 : 1;
  };
  std::ranges::sort(nets, [&](const Left& a, const Left& b) {
    const int order = compare(a, b);
    return order < 0 || (order == 0 && a.slot < b.slot);
  });
  twins_.clear();
  for (std::size_t i = 0, next = 0; i < nets.size(); i = next) {
    for (next = i + 1; next < nets.size() && compare(nets[i], nets[next]) == 0;) ++next;
    if (next == i + 1) continue;
    std::vector<int>& slots = twins_.emplace_back();
    for (std::size_t k = i; k < next; ++k) slots.push_back(nets[k].slot);
  }
}

// The group's points leave the boundary, and their undecided neighbours enter it.
void TrellisBuilder::open_points(std::size_t t) {
  const ConvexOrder& order = *rules_.order;
  points_.clear();
  own_slots_.clear();
  for (PointId p : order.points_of(group_)) {
    if (points_.size() == kMostPointsOfGroup && !is_forgotten_[p]) {
      if (slot_of_[p] >= 0) {
        forget_point(p);
      } else {
        is_forgotten_[p] = 1;
        forgotten.push_back(p);
      }
    }
    if (is_forgotten_[p]) continue;
    points_.push_back(p);
    own_slots_.push_back(slot_of_[p]);
  }
  const std::size_t count = points_.size();
  inner_.clear();
  pushes_.clear();
  has_inner_.assign(count, 0);
  pushes_up_.assign(count, 0);
  pushes_down_.assign(count, 0);
  new_points_ = false;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j || !order.leads_to(points_[i], points_[j])) continue;
      inner_.emplace_back(i, j);
      has_inner_[i] = has_inner_[j] = 1;
    }
    const auto push_to = [&](PointId q, bool up) {
      if (order.group_of(q) == group_ || place_of_[order.group_of(q)] < t || is_forgotten_[q]) return;
      if (slot_of_[q] < 0) {
        const auto free = std::find(waiting_.begin(), waiting_.end(), std::nullopt);
        if (free == waiting_.end()) {
          is_forgotten_[q] = 1;
          forgotten.push_back(q);
          return;
        }
        slot_of_[q] = static_cast<int>(free - waiting_.begin());
        *free = q;
        new_points_ = true;
      }
      (up ? pushes_up_ : pushes_down_)[i] = 1;
      pushes_.push_back({i, slot_of_[q], up});
    };
    for (PointId q : order.successors(points_[i])) push_to(q, true);
    for (PointId q : order.predecessors(points_[i])) push_to(q, false);
  }
}

// Paths between points that wait, without those that follow from others.
void TrellisBuilder::relate_points() {
  const ConvexOrder& order = *rules_.order;
  std::vector<PointId> boundary;
  for (const auto& p : waiting_) {
    if (p && order.group_of(*p) != group_) boundary.push_back(*p);
  }
  std::sort(boundary.begin(), boundary.end(),
            [&](PointId a, PointId b) { return order.position(a) < order.position(b); });
  relations_.clear();
  for (std::size_t i = 0; i < boundary.size(); ++i) {
    for (std::size_t j = i + 1; j < boundary.size(); ++j) {
      if (!order.leads_to(boundary[i], boundary[j])) continue;
      bool follows = false;
      for (std::size_t k = i + 1; k < j && !follows; ++k)
        follows = order.leads_to(boundary[i], boundary[k]) && order.leads_to(boundary[k], boundary[j]);
      if (!follows) relations_.emplace_back(slot_of_[boundary[i]], slot_of_[boundary[j]]);
    }
  }
}

void TrellisBuilder::watch_nets(std::size_t t) {
  watched_.clear();
  for (const auto& b : open_) {
    if (!b || bundles_[*b].apart || bundles_[*b].last <= t) continue;
    Watched watched{*b, {}};
    for (GroupId v : members(*b)) {
      if (place_of_[v] <= t) continue;
      for (PointId p : rules_.order->points_of(v)) {
        if (slot_of_[p] >= 0) watched.points.push_back(slot_of_[p]);
      }
    }
    if (!watched.points.empty()) watched_.push_back(std::move(watched));
  }
}

bool TrellisBuilder::label_fits(std::size_t point, int label) const {
  if (own_slots_[point] < 0) return true;
  const LabelInterval left = states_.keys[state_].point(own_slots_[point]);
  return left.low <= label && label <= left.high;
}

// Labels the group's points from this one on with 0 or 2.
void TrellisBuilder::leave(std::size_t point) {
  if (point == points_.size()) return arrive(false);
  for (const int label : {0, 2}) {
    if (!label_fits(point, label)) continue;
    if (!has_inner_[point] && label_fits(point, 2 - label)) {  // both do: is one of them no restriction at all?
      if (label == 2 && !pushes_down_[point]) continue;
      if (label == 0 && pushes_down_[point] && !pushes_up_[point]) continue;
    }
    const bool falls = std::ranges::any_of(inner_, [&](const auto& pair) {
      return (pair.second == point && pair.first < point && labels_[pair.first] > label) ||
             (pair.first == point && pair.second < point && labels_[pair.second] < label);
    });
    if (falls) continue;
    labels_.push_back(label);
    leave(point + 1);
    labels_.pop_back();
  }
}

void TrellisBuilder::arrive(bool take) {
  StateKey key = states_.keys[state_];
  if (has_points() && (!push_labels(key) || !narrow_intervals(key))) return;
  for (std::size_t b : going_on_) {
    if (bundles_[b].apart && take && key.net(bundles_[b].slot) == kAllIn) return;
  }
  Load load = (take ? scaled_.time[group_] : 0) + charge_nets(key, take);
  if (has_points()) load += charge_forced(key);
  const Load least = states_.least[state_] + load;
  if (least > scaled_.limit) return;
  sort_twins(key);
  const std::int32_t to = next_.enter(key, least);
  std::vector<Trellis::Arc>& arcs = layers.back().arcs;
  for (std::size_t i = first_arc_; i < arcs.size(); ++i) {
    if (arcs[i].to != to || arcs[i].take != take) continue;
    arcs[i].load = std::min(arcs[i].load, load);
    return;
  }
  arcs.push_back({to, take, load});
}

bool TrellisBuilder::push_labels(StateKey& key) const {
  for (int slot : own_slots_) {
    if (slot >= 0) key.set_point(slot, {});
  }
  for (const Push& push : pushes_) {
    LabelInterval left = key.point(push.slot);
    if (push.up) {
      left.low = std::max(left.low, labels_[push.which]);
    } else {
      left.high = std::min(left.high, labels_[push.which]);
    }
    if (left.empty()) return false;
    key.set_point(push.slot, left);
  }
  return true;
}

// Upward in one sweep, downward in another.
bool TrellisBuilder::narrow_intervals(StateKey& key) const {
  if (pushes_.empty() && !new_points_) return true;
  for (const auto& [from, to] : relations_) {
    const int low = key.point(from).low;
    LabelInterval left = key.point(to);
    if (low <= left.low) continue;
    left.low = low;
    if (left.empty()) return false;
    key.set_point(to, left);
  }
  for (std::size_t i = relations_.size(); i-- > 0;) {
    const int high = key.point(relations_[i].second).high;
    LabelInterval left = key.point(relations_[i].first);
    if (high >= left.high) continue;
    left.high = high;
    if (left.empty()) return false;
    key.set_point(relations_[i].first, left);
  }
  return true;
}

Load TrellisBuilder::charge_nets(StateKey& key, bool take) const {
  Load load = 0;
  const std::uint64_t agrees = take ? kAllIn : kAllOut;
  for (std::size_t b : starting_) key.set_net(bundles_[b].slot, agrees);
  for (std::size_t b : going_on_) {
    const Bundle& bundle = bundles_[b];
    const std::uint64_t standing = key.net(bundle.slot);
    if (standing == kMixed || standing == agrees) continue;
    if (bundle.apart) {
      if (take) key.set_net(bundle.slot, kAllIn);
      continue;
    }
    load += bundle.cost;
    key.set_net(bundle.slot, kMixed);
  }
  for (std::size_t b : ending_) key.set_net(bundles_[b].slot, kAllOut);
  return load;
}

Load TrellisBuilder::charge_forced(StateKey& key) const {
  Load load = 0;
  for (const Watched& watched : watched_) {
    const Bundle& bundle = bundles_[watched.bundle];
    const std::uint64_t standing = key.net(bundle.slot);
    if (standing == kMixed) continue;
    const bool cut = std::ranges::any_of(watched.points, [&](int slot) {
      const LabelInterval left = key.point(slot);
      return standing == kAllIn ? left.forced_out() : left.forced_in();
    });
    if (!cut) continue;
    load += bundle.cost;
    key.set_net(bundle.slot, kMixed);
  }
  return load;
}

void TrellisBuilder::sort_twins(StateKey& key) const {
  for (const std::vector<int>& slots : twins_) {
    std::size_t in = 0, mixed = 0;
    for (int slot : slots) {
      in += key.net(slot) == kAllIn;
      mixed += key.net(slot) == kMixed;
    }
    for (std::size_t i = 0; i < slots.size(); ++i)
      key.set_net(slots[i], i < in ? kAllIn : i < in + mixed ? kMixed : kAllOut);
  }
}

void TrellisBuilder::close() {
  for (std::size_t b : ending_) {
    open_[bundles_[b].slot].reset();
    bundles_[b].slot = -1;
  }
  for (PointId p : points_) {
    if (slot_of_[p] < 0) continue;
    waiting_[slot_of_[p]].reset();
    slot_of_[p] = -1;
  }
}

void TrellisBuilder::narrow() {
  while (states_.keys.size() > size_.widest) {
    if (const std::vector<std::size_t> nets = cheapest_kind(); !nets.empty()) {
      forget_nets(nets);
      continue;
    }
    const auto first = std::ranges::find_if(waiting_, [](const auto& p) { return p.has_value(); });
    if (first == waiting_.end()) return;
    forget_point(**first);
  }
}

std::optional<std::size_t> TrellisBuilder::cheapest_open() const {
  std::optional<std::size_t> cheapest;
  for (const auto& b : open_) {
    if (b && *b < graph_.net_count() && (!cheapest || bundles_[*b].cost < bundles_[*cheapest].cost)) cheapest = b;
  }
  return cheapest;
}

// Nets with the same decided members stand alike, but for twins that changed places: as long as one of them is open,
// states that differ in it stay apart. So they go together, those that cost least in all. [densenet-201-training, 937
// groups, at most 500 states a layer: of 47.4 ms on six devices a split loses 1.0; with the cheapest one by one, 3.3.]
std::vector<std::size_t> TrellisBuilder::cheapest_kind() const {
  struct Kind {
    Load cost = 0;
    std::vector<std::size_t> nets;
  };
  std::map<std::vector<GroupId>, Kind> kinds;  // by decided members
  for (const auto& b : open_) {
    if (!b || *b >= graph_.net_count()) continue;
    Kind& kind = kinds[decided_members(NetId(*b))];
    kind.cost += bundles_[*b].cost;
    kind.nets.push_back(*b);
  }
  if (kinds.empty()) return {};
  const auto cheapest = std::ranges::min_element(kinds, {}, [](const auto& kind) { return kind.second.cost; });
  return cheapest->second.nets;
}

// Keys may become equal; the layer just built keeps its arcs, so the states are merged behind it.
template <class Change>
void TrellisBuilder::merge_states(Change change) {
  StateSet merged;
  std::vector<std::int32_t> now(states_.keys.size());
  for (std::size_t s = 0; s < states_.keys.size(); ++s) {
    change(states_.keys[s]);
    now[s] = merged.enter(states_.keys[s], states_.least[s]);
  }
  watch_.step(states_.keys.size());
  if (!layers.empty()) {
    for (Trellis::Arc& arc : layers.back().arcs) arc.to = now[arc.to];
  }
  states_ = std::move(merged);
}

void TrellisBuilder::forget_nets(const std::vector<std::size_t>& bundles) {
  merge_states([&](StateKey& key) {
    for (std::size_t b : bundles) key.set_net(bundles_[b].slot, kAllOut);
  });
  for (std::size_t b : bundles) {
    open_[bundles_[b].slot].reset();
    bundles_[b].slot = -1;
    count_decided_alone(NetId(b));
  }
}

std::vector<GroupId> TrellisBuilder::decided_members(NetId net) const {
  std::vector<GroupId> decided;
  for (GroupId v : members(net.index())) {
    if (place_of_[v] < layers.size()) decided.push_back(v);
  }
  return decided;
}

void TrellisBuilder::count_decided_alone(NetId net) { narrowed.push_back({net, decided_members(net)}); }

void TrellisBuilder::forget_point(PointId p) {
  const int slot = slot_of_[p];
  merge_states([&](StateKey& key) { key.set_point(slot, {}); });
  waiting_[slot].reset();
  slot_of_[p] = -1;
  is_forgotten_[p] = 1;
  forgotten.push_back(p);
}

}  // namespace partita::detail
