// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_value.h"

#include <algorithm>

namespace partita::detail {

LatencyValue::LatencyValue(const LatencyInstance& instance)
    : instance_(instance),
      passes_(instance.has_backward ? 2 : 1),
      accelerators_(std::min(instance.accelerators(), kMostBlocks / passes_)),
      slots_(std::clamp(kMostBlocks / (passes_ * std::max(1, accelerators_)), 1,
                        std::min(instance.subgraphs, kMostSlots))),
      blocks_(static_cast<Index>(accelerators_ * passes_ * slots_)),
      equal_(instance.equal_accelerators()),
      cores_(instance.strict_host_cores ? blocks_ + instance.size() : 0, static_cast<std::size_t>(instance.cores)) {
  position_.resize(instance.size());
  for (std::size_t i = 0; i < instance.order.size(); ++i) position_[instance.order[i]] = static_cast<Index>(i);
  for (NodeId v : instance.order) {
    const LatencyNode& node = instance.nodes[v];
    // All nodes of a group are on one device, so that it does not matter which of them holds the memory.
    const bool holder = instance.members[node.group].front() == v;
    const double host_time =
        instance.group(node.group).on_host ? instance.class_time[instance.host_class[node.group]][v] : 0;
    nodes_.push_back({node.accelerator_time, host_time, holder ? instance.group(node.group).memory : 0,
                      static_cast<Index>(nets_.size()), static_cast<Index>(in_.size()), static_cast<Index>(out_.size()),
                      static_cast<Index>(v.index()), node.backward});
    for (NetId e : instance.nets_of[v]) nets_.push_back(static_cast<Index>(e.index()));
    for (NodeId u : instance.predecessors[v]) {
      in_.push_back(position_[u]);
      in_owner_.push_back(position_[v]);
    }
    for (NodeId w : instance.successors[v]) out_.push_back(position_[w]);
  }
  nodes_.push_back({0, 0, 0, static_cast<Index>(nets_.size()), static_cast<Index>(in_.size()),
                    static_cast<Index>(out_.size()), 0, false});
  net_first_.push_back(0);
  for (NetId e : instance.net_cost.all()) {
    for (NodeId v : instance.net_members[e]) net_members_.push_back(position_[v]);
    net_first_.push_back(static_cast<Index>(net_members_.size()));
    net_cost_.push_back(equal_ ? instance.net_cost[e] : instance.net_base_cost[e]);
  }
  for (int a = 0; a < accelerators_; ++a)
    limit_.push_back(instance.devices.class_of(DeviceId(static_cast<std::size_t>(a))).memory);
  if (!equal_) find_classes();
  const std::size_t units = blocks_ + instance.size();
  place_.assign(instance.size(), host());
  block_of_.assign(instance.size(), blocks_);
  block_size_.assign(blocks_, 0);
  slot_size_.assign(static_cast<std::size_t>(host()), 0);
  host_at_.assign(instance.size(), 0);
  edges_.assign(std::size_t{blocks_} * blocks_, 0);
  followers_ = BitMatrix(blocks_, blocks_);
  now_.load.assign(blocks_, 0);
  now_.used.assign(static_cast<std::size_t>(accelerators_), 0);
  for (Index v = 0; v < instance.size(); ++v) {
    host_at_[v] = v;
    hosts_.push_back(v);
    now_.host_time += nodes_[v].host_time;
  }
  kept_ = now_;
  waits_for_.resize(units);
  ready_.resize(units);
  run_.resize(units);
  chain_.resize(blocks_);
  host_out_.resize(blocks_);
  next_out_.resize(in_.size());
}

void LatencyValue::find_classes() {
  for (std::size_t c = 0; c < instance_.devices.accelerator_classes(); ++c) {
    std::vector<double>& time = class_time_.emplace_back();
    for (NodeId v : instance_.order) time.push_back(instance_.class_time[c][v]);
    link_.push_back(instance_.devices.classes()[c].link);
  }
  for (Index b = 0; b < blocks_; ++b) {
    const DeviceId d(b / static_cast<Index>(passes_ * slots_));
    class_of_block_.push_back(static_cast<Index>(instance_.devices.class_number(d)));
  }
}

LatencyValue::Index LatencyValue::block(Index v, Place place) const {
  if (place == host()) return blocks_;
  const int slot = place % slots_;
  const int in_pass = nodes_[v].backward ? slots_ + (slots_ - 1 - slot) : slot;
  return static_cast<Index>(place / slots_ * passes_ * slots_ + in_pass);
}

std::uint32_t LatencyValue::subgraph(NodeId node) const {
  const Index v = position_[node];
  return place_[v] == host() ? 0 : block(v, place_[v]) % static_cast<Index>(slots_);
}

void LatencyValue::place_all(const IdVector<NodeId, Place>& place) {
  std::fill(block_size_.begin(), block_size_.end(), 0);
  std::fill(slot_size_.begin(), slot_size_.end(), 0);
  std::fill(edges_.begin(), edges_.end(), 0);
  followers_.clear();
  std::fill(now_.load.begin(), now_.load.end(), 0);
  std::fill(now_.used.begin(), now_.used.end(), 0);
  now_.host_time = 0;
  hosts_.clear();
  for (NodeId node : place.all()) {
    const Index v = position_[node];
    const Place p = place[node];
    place_[v] = p;
    const Index home = block_of_[v] = block(v, p);
    if (home == blocks_) {
      host_at_[v] = static_cast<Index>(hosts_.size());
      hosts_.push_back(v);
      now_.host_time += nodes_[v].host_time;
    } else {
      ++block_size_[home];
      ++slot_size_[static_cast<std::size_t>(p)];
      now_.load[home] += time(v, home);
      now_.used[static_cast<std::size_t>(accelerator(p))] += nodes_[v].memory;
    }
  }
  for (Index v = 0; v + 1 < nodes_.size(); ++v) {
    for (Index a = nodes_[v].first_out; a < nodes_[v + 1].first_out; ++a)
      count_edge(block_of_[v], block_of_[out_[a]], true);
  }
  std::vector<Index> seen(blocks_, kNone);
  for (Index e = 0; e < net_cost_.size(); ++e) {
    const Index begin = net_first_[e], end = net_first_[e + 1];
    const Index first = block_of_[net_members_[begin]];
    const bool whole = first < blocks_ && std::all_of(net_members_.begin() + begin, net_members_.begin() + end,
                                                      [&](Index v) { return block_of_[v] == first; });
    for (Index m = begin; m < end && !whole; ++m) {
      const Index b = block_of_[net_members_[m]];
      if (b == blocks_ || seen[b] == e) continue;
      seen[b] = e;
      now_.load[b] += equal_ ? net_cost_[e] : link(b).price(net_cost_[e]);
    }
  }
  keep();
}

void LatencyValue::count_edge(Index from, Index to, bool add) {
  if (from == to || from == blocks_ || to == blocks_) return;
  Index& edges = edges_[std::size_t{from} * blocks_ + to];
  if (add) {
    if (edges++ == 0) followers_.set(from, to);
  } else if (--edges == 0) {
    followers_.reset(from, to);
  }
}

void LatencyValue::count_edges(Index v, Index home, bool add) {
  if (home == blocks_) return;
  for (Index a = nodes_[v].first_in, end = nodes_[v + 1].first_in; a < end; ++a)
    count_edge(block_of_[in_[a]], home, add);
  for (Index a = nodes_[v].first_out, end = nodes_[v + 1].first_out; a < end; ++a)
    count_edge(home, block_of_[out_[a]], add);
}

void LatencyValue::put(Index v, Place to) {
  const Index before = block_of_[v], after = block(v, to);
  count_edges(v, before, false);
  if (before == blocks_) {
    const Index hole = host_at_[v], last = hosts_.back();
    hosts_[hole] = last;
    host_at_[last] = hole;
    hosts_.pop_back();
  } else {
    --block_size_[before];
    --slot_size_[static_cast<std::size_t>(place_[v])];
  }
  place_[v] = to;
  block_of_[v] = after;
  count_edges(v, after, true);
  if (after == blocks_) {
    host_at_[v] = static_cast<Index>(hosts_.size());
    hosts_.push_back(v);
  } else {
    ++block_size_[after];
    ++slot_size_[static_cast<std::size_t>(to)];
  }
}

// A net costs a block that has some of its members but not all. Of all blocks, only those that v leaves and enters can
// see a difference.
template <bool kEqual>
void LatencyValue::change_loads(Index v, Index from, Index to) {
  const Link left = kEqual || from == blocks_ ? Link() : link(from);
  const Link entered = kEqual || to == blocks_ ? Link() : link(to);
  double less = 0, more = 0;
  for (Index n = nodes_[v].first_net, last = nodes_[v + 1].first_net; n < last; ++n) {
    const Index e = nets_[n], begin = net_first_[e], end = net_first_[e + 1], others = end - begin - 1;
    Index there = 0, here = 0;  // other members in `from` and in `to`
    for (Index m = begin; m < end; ++m) {
      const Index b = block_of_[net_members_[m]];
      there += b == from ? 1 : 0;
      here += b == to ? 1 : 0;
    }
    work_ += end - begin;
    --there;  // v itself
    const double cost = kEqual ? net_cost_[e] : left.price(net_cost_[e]);
    const double cost_there = kEqual ? cost : entered.price(net_cost_[e]);
    less += (there < others ? cost : 0) - (there > 0 ? cost : 0);
    more += (here < others ? cost_there : 0) - (here > 0 ? cost_there : 0);
  }
  if (from != blocks_) now_.load[from] -= time(v, from) + less;
  if (to != blocks_) now_.load[to] += time(v, to) + more;
}

void LatencyValue::move(NodeId node, Place to) {
  const Index v = position_[node];
  const Place from = place_[v];
  if (from == to) return;
  moved_.emplace_back(v, from);
  if (equal_) {
    change_loads<true>(v, block_of_[v], block(v, to));
  } else {
    change_loads<false>(v, block_of_[v], block(v, to));
  }
  if (from == host()) {
    now_.host_time -= nodes_[v].host_time;
  } else {
    now_.used[static_cast<std::size_t>(accelerator(from))] -= nodes_[v].memory;
  }
  if (to == host()) {
    now_.host_time += nodes_[v].host_time;
  } else {
    now_.used[static_cast<std::size_t>(accelerator(to))] += nodes_[v].memory;
  }
  put(v, to);
}

void LatencyValue::keep() {
  kept_ = now_;
  moved_.clear();
}

void LatencyValue::take_back() {
  for (std::size_t i = moved_.size(); i > 0; --i) put(moved_[i - 1].first, moved_[i - 1].second);
  now_ = kept_;
  moved_.clear();
}

const LatencyValue::Measure& LatencyValue::measure() {
  work_ += blocks_ + 2 * hosts_.size();
  measured_ = {};
  measured_.total = now_.host_time;
  for (Index b = 0; b < blocks_; ++b) {
    if (in_use(b)) measured_.total += now_.load[b];
  }
  for (std::size_t a = 0; a < limit_.size(); ++a) {
    const double used = now_.used[a], limit = limit_[a];
    if (used > limit) measured_.excess += limit > 0 ? (used - limit) / limit : used;
  }
  link_units();
  run_units();
  return measured_;
}

// Who waits for how many, who follows whom on its accelerator, and which edges lead from blocks to host nodes.
void LatencyValue::link_units() {
  const Index per_accelerator = static_cast<Index>(passes_ * slots_);
  for (Index b = 0; b < blocks_; ++b) {
    waits_for_[b] = 0;
    ready_[b] = 0;
    host_out_[b] = kNone;
  }
  Index last = kNone;
  for (Index b = 0; b < blocks_; ++b) {
    if (b % per_accelerator == 0) last = kNone;
    chain_[b] = kNone;
    if (!in_use(b)) continue;
    for_each_bit(followers_.row(b), [&](std::size_t to) { ++waits_for_[to]; });
    if (last != kNone) {
      chain_[last] = b;
      ++waits_for_[b];
    }
    last = b;
  }
  for (const Index v : hosts_) {
    const Node &node = nodes_[v], &after = nodes_[v + 1];
    waits_for_[blocks_ + v] = after.first_in - node.first_in;
    ready_[blocks_ + v] = 0;
    for (Index a = node.first_in; a < after.first_in; ++a) {
      const Index b = block_of_[in_[a]];
      if (b == blocks_) continue;
      next_out_[a] = host_out_[b];
      host_out_[b] = a;
    }
    for (Index a = node.first_out; a < after.first_out; ++a) {
      const Index b = block_of_[out_[a]];
      if (b != blocks_) ++waits_for_[b];
    }
  }
}

// As often as the unit is waited for.
template <class Visit>
void LatencyValue::for_each_next(Index unit, Visit visit) const {
  if (unit < blocks_) {
    for_each_bit(followers_.row(unit), [&](std::size_t to) { visit(static_cast<Index>(to)); });
    if (chain_[unit] != kNone) visit(chain_[unit]);
    for (Index a = host_out_[unit]; a != kNone; a = next_out_[a]) visit(blocks_ + in_owner_[a]);
  } else {
    const Index v = unit - blocks_;
    for (Index a = nodes_[v].first_out, end = nodes_[v + 1].first_out; a < end; ++a) {
      const Index b = block_of_[out_[a]];
      visit(b == blocks_ ? blocks_ + out_[a] : b);
    }
  }
}

void LatencyValue::run_units() {
  std::size_t found = 0, units = hosts_.size();
  const auto look_at = [&](Index unit) {
    if (waits_for_[unit] == 0) run_[found++] = unit;
  };
  for (Index b = 0; b < blocks_; ++b) {
    if (!in_use(b)) continue;
    ++units;
    look_at(b);
  }
  for (const Index v : hosts_) look_at(blocks_ + v);
  double latest = 0;
  for (std::size_t head = 0; head < found; ++head) {
    const Index unit = run_[head];
    const double finish = ready_[unit] + duration(unit);
    latest = std::max(latest, finish);
    for_each_next(unit, [&](Index to) {
      ready_[to] = std::max(ready_[to], finish);
      if (--waits_for_[to] == 0) run_[found++] = to;
    });
  }
  measured_.latency = latest;
  measured_.waiting = units - found;
  if (instance_.strict_host_cores && measured_.waiting == 0) {
    measured_.latency = cores_.last_finish(*this, {run_.data(), found});
    work_ += 4 * found;
  }
}

}  // namespace partita::detail
