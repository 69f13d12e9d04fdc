// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/pair_resplit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace partita::detail {
namespace {

using Bits = std::uint64_t;  // of all open nets, two each: held by i, held by j
constexpr Bits kByI = 1, kByJ = 2, kByBoth = 3;
constexpr int kSlots = 32, kNoSlot = -1;
constexpr std::size_t kMemoryBuckets = 32;
constexpr std::uint64_t kLabelsPerTick = 40, kStatesPerTick = 6;
constexpr double kBetter = 1 - 1e-9;

struct Label {
  double a, b;
  double memory;       // at i
  std::uint32_t from;  // twice the index of the label before, plus the choice (0: i, 1: j)
};

struct StateKey {
  Bits bits;
  std::size_t memory_bucket;
  bool operator==(const StateKey&) const = default;
};
struct StateHash {
  std::size_t operator()(const StateKey& key) const {
    std::uint64_t h = (key.bits ^ key.memory_bucket * 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
    return static_cast<std::size_t>(h ^ h >> 31);
  }
};

// A net with open members.
struct PairNet {
  double cost[2] = {0, 0};  // at i and at j; 0 on a host
  Bits fixed = 0;           // what the members that do not move say
  bool outside = false;     // a third device holds a member
  std::size_t last = 0;     // place of its last open member
  bool opened = false;
  bool ignored = false;  // there was no slot left when it opened
  int slot = kNoSlot;
};

template <class Loads>
class PairProgram {
 public:
  PairProgram(Loads& loads, const NetGraph& graph, DeviceId i, DeviceId j, std::span<const GroupId> order,
              const PairOptions& options)
      : loads_(loads),
        graph_(graph),
        device_{i, j},
        order_(order),
        options_(options),
        limit_(std::max(loads.load(i), loads.load(j)) * (1 + 1e-12)),
        most_labels_(std::max<std::size_t>(options.labels / std::max<std::size_t>(order.size(), 1), 64)) {}

  bool run(Budget& budget) {
    if (order_.empty() || limit_ <= 0) return false;
    read_nets();
    read_groups();
    labels_.push_back(first_);
    states_.push_back({{0, bucket_of(first_.memory)}, 0, 1});
    for (place_ = 0; place_ < order_.size() && !states_.empty(); ++place_) decide_group();
    budget.spend(1 + order_.size() / 4 + merged_ / kLabelsPerTick + tried_ / kStatesPerTick);
    return !states_.empty() && apply_best();
  }

 private:
  struct State {
    StateKey key;
    std::size_t begin, end;  // its labels
  };
  struct Decision {
    double da, db, memory;  // what it adds, memory at i
    int choice;
  };
  struct Pending {
    StateKey key;
    std::vector<Label> front;  // a rising, b falling
  };

  bool pays_i(Bits bits, const PairNet& net) const {
    return net.cost[0] > 0 && (bits & kByI) && (net.outside || (bits & kByJ));
  }
  bool pays_j(Bits bits, const PairNet& net) const {
    return net.cost[1] > 0 && (bits & kByJ) && (net.outside || (bits & kByI));
  }
  bool settled(Bits bits, const PairNet& net) const {
    return pays_i(bits, net) == pays_i(kByBoth, net) && pays_j(bits, net) == pays_j(kByBoth, net);
  }
  double soft(double a, double b) const {
    return std::exp(options_.power * (a / limit_ - 1)) + std::exp(options_.power * (b / limit_ - 1));
  }
  std::size_t bucket_of(double memory) const {
    return memory_binds_ ? static_cast<std::size_t>((memory - first_.memory) / memory_width_) : 0;
  }

  // The nets of the open groups, and the loads without those groups.
  void read_nets() {
    first_ = {loads_.additive_load(device_[0]), loads_.additive_load(device_[1]), loads_.memory(device_[0]), 0};
    IdVector<GroupId, char> open(graph_.size(), 0);
    for (GroupId v : order_) open[v] = 1;
    IdVector<NetId, std::int32_t> number(graph_.net_count(), -1);
    nets_at_.assign(1, 0);
    for (std::size_t t = 0; t < order_.size(); ++t) {
      for (NetId e : graph_.nets_of(order_[t])) {
        if (number[e] < 0) {
          number[e] = static_cast<std::int32_t>(nets_.size());
          nets_.push_back(read_net(e, open));
        }
        nets_[number[e]].last = t;
        if (!settled(nets_[number[e]].fixed, nets_[number[e]]))
          nets_of_.push_back(static_cast<std::uint32_t>(number[e]));
      }
      nets_at_.push_back(nets_of_.size());
    }
  }

  PairNet read_net(NetId e, const IdVector<GroupId, char>& open) {
    PairNet net;
    for (int choice : {0, 1}) net.cost[choice] = loads_.cost_at(e, device_[choice]);
    Bits now = 0;
    for (GroupId v : graph_.members(e)) {
      const DeviceId d = loads_.device_of(v);
      const Bits bit = d == device_[0] ? kByI : d == device_[1] ? kByJ : 0;
      now |= bit;
      if (!open[v]) net.fixed |= bit;
      net.outside = net.outside || bit == 0;
    }
    first_.a -= (pays_i(now, net) - pays_i(net.fixed, net)) * net.cost[0];
    first_.b -= (pays_j(now, net) - pays_j(net.fixed, net)) * net.cost[1];
    return net;
  }

  void read_groups() {
    double memory = 0;
    rest_.assign(order_.size() + 1, 0);
    for (std::size_t t = order_.size(); t-- > 0;) {
      const GroupId v = order_[t];
      const bool at_i = loads_.device_of(v) == device_[0];
      (at_i ? first_.a : first_.b) -= time(v, at_i ? 0 : 1);
      if (at_i) first_.memory -= graph_.group(v).memory;
      memory += graph_.group(v).memory;
      double least = limit_;
      for (int choice : {0, 1}) {
        if (loads_.can_run(v, device_[choice])) least = std::min(least, time(v, choice));
      }
      rest_[t] = rest_[t + 1] + least;
    }
    both_memory_ =
        loads_.memory(device_[0]) + loads_.memory(device_[1]) - memory;  // of what has been passed and the fixed
    memory_binds_ = memory > 0 && (first_.memory + memory > loads_.memory_limit(device_[0]) ||
                                   both_memory_ - first_.memory + memory > loads_.memory_limit(device_[1]));
    memory_width_ = std::max(memory, 1e-300) / static_cast<double>(kMemoryBuckets);
    width_ = limit_ / static_cast<double>(options_.buckets);
  }

  double time(GroupId v, int choice) const { return loads_.time(v, device_[choice]); }

  void decide_group() {
    const GroupId v = order_[place_];
    const std::span<const std::uint32_t> nets(nets_of_.data() + nets_at_[place_],
                                              nets_of_.data() + nets_at_[place_ + 1]);
    Bits opening = 0;
    for (std::uint32_t e : nets) opening |= give_slot(nets_[e]);
    both_memory_ += graph_.group(v).memory;
    pending_count_ = 0;
    index_.clear();
    for (const State& state : states_) {
      for (int choice : {0, 1}) {
        if (loads_.can_run(v, device_[choice])) extend(state, choice, v, nets, state.key.bits | opening);
      }
    }
    for (std::uint32_t e : nets) {
      if (nets_[e].slot == kNoSlot || nets_[e].last != place_) continue;
      used_slots_ &= ~(std::uint32_t{1} << nets_[e].slot);
      nets_[e].slot = kNoSlot;
    }
    thin_out();
    store();
  }

  // A slot in the state for a net that opens here and stays open, where one is free. Returns its first bits, in the
  // slot.
  Bits give_slot(PairNet& net) {
    if (net.opened) return 0;
    net.opened = true;
    if (net.last == place_) return 0;
    net.slot = std::countr_one(used_slots_);
    if (net.slot == kSlots) {
      net.slot = kNoSlot;
      net.ignored = true;
      return 0;
    }
    used_slots_ |= std::uint32_t{1} << net.slot;
    return net.fixed << 2 * net.slot;
  }

  void extend(const State& state, int choice, GroupId v, std::span<const std::uint32_t> nets, Bits bits) {
    double da = choice == 0 ? time(v, 0) : 0, db = choice == 1 ? time(v, 1) : 0;
    for (std::uint32_t e : nets) {
      const PairNet& net = nets_[e];
      if (net.ignored) continue;
      const Bits before = net.slot == kNoSlot ? net.fixed : bits >> 2 * net.slot & kByBoth;
      Bits after = before | (choice == 0 ? kByI : kByJ);
      da += (pays_i(after, net) - pays_i(before, net)) * net.cost[0];
      db += (pays_j(after, net) - pays_j(before, net)) * net.cost[1];
      if (net.slot == kNoSlot) continue;
      if (settled(after, net)) after = kByBoth;
      if (net.last == place_) after = 0;
      bits = (bits & ~(kByBoth << 2 * net.slot)) | after << 2 * net.slot;
    }
    ++tried_;
    const double memory = choice == 0 ? graph_.group(v).memory : 0;
    if (!memory_binds_) {
      merge(pending({bits, 0}).front, state, {da, db, memory, choice}, 0);
      return;
    }
    // The labels of one bucket of memory go to one or two.
    buckets_.clear();
    for (std::size_t at = state.begin; at < state.end; ++at) {
      const std::size_t bucket = bucket_of(labels_[at].memory + memory);
      if (std::find(buckets_.begin(), buckets_.end(), bucket) == buckets_.end()) buckets_.push_back(bucket);
    }
    for (std::size_t bucket : buckets_) merge(pending({bits, bucket}).front, state, {da, db, memory, choice}, bucket);
  }

  Pending& pending(const StateKey& key) {
    const auto [at, is_new] = index_.try_emplace(key, pending_count_);
    if (is_new) {
      if (pending_count_ == pending_.size()) pending_.emplace_back();
      pending_[pending_count_].key = key;
      pending_[pending_count_++].front.clear();
    }
    return pending_[at->second];
  }

  // Adds the labels of `from` that come to this bucket of memory, moved on by one decision.
  void merge(std::vector<Label>& front, const State& from, const Decision& decision, std::size_t bucket) {
    scratch_.clear();
    const double sum_limit = 2 * limit_ - rest_[place_ + 1];
    const double memory_limit_i = loads_.memory_limit(device_[0]), memory_limit_j = loads_.memory_limit(device_[1]);
    Front out(scratch_, width_);
    auto x = front.begin();
    for (std::size_t at = from.begin; at < from.end; ++at) {
      const Label& old = labels_[at];
      const Label label{old.a + decision.da, old.b + decision.db, old.memory + decision.memory,
                        static_cast<std::uint32_t>(at * 2 + decision.choice)};
      if (label.a > limit_) break;  // so are all that follow
      if (label.b > limit_ || label.a + label.b > sum_limit) continue;
      if (memory_binds_) {
        if (bucket_of(label.memory) != bucket || label.memory > memory_limit_i ||
            both_memory_ - label.memory > memory_limit_j)
          continue;
      }
      for (; x != front.end() && x->a < label.a; ++x) out.push(*x);
      if (x != front.end() && x->a == label.a && x->b <= label.b) continue;
      out.push(label);
    }
    for (; x != front.end(); ++x) out.push(*x);
    front.swap(scratch_);
    merged_ += front.size() + (from.end - from.begin);
  }

  // Takes labels with a rising, keeps those not beaten, one for each bucket of a.
  struct Front {
    Front(std::vector<Label>& into, double width) : labels(into), inverse_width(1 / width) {}
    void push(const Label& label) {
      if (!labels.empty() && label.b >= labels.back().b) return;
      const auto bucket = static_cast<std::int64_t>(label.a * inverse_width);
      if (!labels.empty() && bucket == last_bucket) {
        labels.back() = label;
      } else {
        labels.push_back(label);
      }
      last_bucket = bucket;
    }
    std::vector<Label>& labels;
    double inverse_width;
    std::int64_t last_bucket = -1;
  };

  // Down to the number of labels that a place may have.
  void thin_out() {
    std::size_t total = 0;
    for (std::size_t s = 0; s < pending_count_; ++s) total += pending_[s].front.size();
    if (total <= most_labels_) return;
    const std::size_t most_states = std::max<std::size_t>(most_labels_ / 8, 8);
    if (pending_count_ > most_states) {
      const auto least_sum = [](const Pending& state) {
        double least = std::numeric_limits<double>::infinity();
        for (const Label& label : state.front) least = std::min(least, label.a + label.b);
        return least;
      };
      ranking_.clear();
      for (std::size_t s = 0; s < pending_count_; ++s) ranking_.emplace_back(least_sum(pending_[s]), s);
      std::nth_element(ranking_.begin(), ranking_.begin() + most_states, ranking_.end());
      for (auto dropped = ranking_.begin() + most_states; dropped != ranking_.end(); ++dropped) {
        total -= pending_[dropped->second].front.size();
        pending_[dropped->second].front.clear();
      }
    }
    for (double width = width_; total > most_labels_;) {
      width *= std::max(1.5, static_cast<double>(total) / static_cast<double>(most_labels_));
      total = 0;
      for (std::size_t s = 0; s < pending_count_; ++s) {
        scratch_.clear();
        Front out(scratch_, width);
        for (const Label& label : pending_[s].front) out.push(label);
        pending_[s].front.swap(scratch_);
        total += pending_[s].front.size();
      }
      if (width > limit_) break;  // one label for each state
    }
  }

  void store() {
    states_.clear();
    for (std::size_t s = 0; s < pending_count_; ++s) {
      if (pending_[s].front.empty()) continue;
      const std::size_t begin = labels_.size();
      labels_.insert(labels_.end(), pending_[s].front.begin(), pending_[s].front.end());
      states_.push_back({pending_[s].key, begin, labels_.size()});
    }
  }

  bool apply_best() {
    double least = soft(loads_.load(device_[0]), loads_.load(device_[1])) * kBetter;
    const double now = least;
    std::size_t best = labels_.size();
    for (const State& state : states_) {
      for (std::size_t at = state.begin; at < state.end; ++at) {
        const double here = soft(labels_[at].a, labels_[at].b);
        if (here >= least) continue;
        least = here;
        best = at;
      }
    }
    if (best == labels_.size()) return false;
    const typename Loads::Saved saved[2] = {loads_.save(device_[0]), loads_.save(device_[1])};
    std::vector<GroupId> moved;
    for (std::size_t t = order_.size(); t-- > 0;) {
      const std::uint32_t from = labels_[best].from;
      const DeviceId to = device_[from % 2];
      if (loads_.device_of(order_[t]) != to) {
        loads_.move(order_[t], to);
        moved.push_back(order_[t]);
      }
      best = from / 2;
    }
    if (soft(loads_.load(device_[0]), loads_.load(device_[1])) < now && fits(0) && fits(1)) return true;
    for (GroupId v : moved) loads_.move(v, device_[loads_.device_of(v) == device_[0] ? 1 : 0]);
    for (const auto& numbers : saved) loads_.restore(numbers);
    return false;
  }

  bool fits(int choice) const { return loads_.memory(device_[choice]) <= loads_.memory_limit(device_[choice]); }

  Loads& loads_;
  const NetGraph& graph_;
  const DeviceId device_[2];
  const std::span<const GroupId> order_;
  const PairOptions options_;
  const double limit_;  // no load may become larger than the larger one is now
  const std::size_t most_labels_;

  std::vector<PairNet> nets_;
  std::vector<std::uint32_t> nets_of_;  // of the groups in order, those that matter
  std::vector<std::size_t> nets_at_;    // where a place's begin
  std::vector<double> rest_;            // least time of the groups from a place on
  Label first_{};
  double both_memory_ = 0, memory_width_ = 1, width_ = 1;
  bool memory_binds_ = false;

  std::size_t place_ = 0;
  std::uint32_t used_slots_ = 0;
  std::vector<Label> labels_, scratch_;
  std::vector<State> states_;
  std::vector<Pending> pending_;
  std::size_t pending_count_ = 0;
  std::vector<std::size_t> buckets_;
  std::unordered_map<StateKey, std::size_t, StateHash> index_;
  std::vector<std::pair<double, std::size_t>> ranking_;
  std::uint64_t merged_ = 0, tried_ = 0;
};

}  // namespace

template <class Loads>
bool resplit_pair(Loads& loads, const NetGraph& graph, DeviceId i, DeviceId j, std::span<const GroupId> order,
                  const PairOptions& options, Budget& budget) {
  return PairProgram<Loads>(loads, graph, i, j, order, options).run(budget);
}

template bool resplit_pair(SumLoads&, const NetGraph&, DeviceId, DeviceId, std::span<const GroupId>, const PairOptions&,
                           Budget&);
template bool resplit_pair(PartLoads&, const NetGraph&, DeviceId, DeviceId, std::span<const GroupId>,
                           const PairOptions&, Budget&);

}  // namespace partita::detail
