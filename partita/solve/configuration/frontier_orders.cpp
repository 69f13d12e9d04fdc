// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/frontier_orders.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr double kPerAge = 0.003;  // what a place of waiting counts for, in average nets
constexpr std::int32_t kOldest = 100;
// Nets with more members (a mask that every layer reads) do not make candidates of them all: they say little about what
// comes next, and looking at all of them at each step took 220 ms instead of 2 on a transformer of 20,000 groups.
constexpr std::size_t kWideNet = 64;
constexpr std::size_t kPricesPerLook = 10'000;  // at the clock: a millisecond at most

class FrontierOrder {
 public:
  FrontierOrder(const NetGraph& graph, std::span<const GroupId> among, const FrontierOrderOptions& options, Dice& dice,
                const Budget* budget)
      : graph_(graph),
        among_(among),
        noise_(options.noise),
        dice_(dice),
        watch_(budget, kPricesPerLook),
        status_(graph.size(), Status::Absent),
        nets_(graph.net_count()) {
    double total = 0;
    std::size_t count = 0;
    for (GroupId v : among) {
      status_[v] = Status::Waiting;
      for (NetId e : graph.nets_of(v)) {
        if (nets_[e].left++ > 0) continue;
        nets_[e].weight = options.cost_power == 0 ? 1 : std::pow(graph.cost(e), options.cost_power);
        total += nets_[e].weight;
        ++count;
      }
    }
    average_ = count > 0 ? total / static_cast<double>(count) : 1;
  }

  std::vector<GroupId> run() {
    order_.reserve(among_.size());
    // Groups that nothing placed leads to begin a new walk, least connected ones first: those are ends.
    std::vector<GroupId> starts(among_.begin(), among_.end());
    dice_.shuffle(starts);
    if (!dice_.one_in(3)) {
      std::stable_sort(starts.begin(), starts.end(),
                       [&](GroupId a, GroupId b) { return graph_.nets_of(a).size() < graph_.nets_of(b).size(); });
    }
    for (GroupId start : starts) {
      if (status_[start] == Status::Placed) continue;
      offer(start);
      while (!candidates_.empty()) place(take_best());
    }
    return std::move(order_);
  }

 private:
  enum class Status : char { Absent, Waiting, Candidate, Placed };
  struct NetState {
    std::int32_t left = 0;     // members among the groups not yet placed
    std::int32_t opened = -1;  // place at which the first member came
    double weight = 0;
  };

  void offer(GroupId v) {
    status_[v] = Status::Candidate;
    candidates_.push_back(v);
  }

  double price(GroupId v) {
    double price = 0;
    std::int32_t age = 0;
    const auto here = static_cast<std::int32_t>(order_.size());
    for (NetId e : graph_.nets_of(v)) {
      const NetState& net = nets_[e];
      if (net.opened < 0) {
        if (net.left > 1) price += net.weight;
      } else {
        if (net.left == 1) price -= net.weight;
        age = std::max(age, here - net.opened);
      }
    }
    return price / average_ + noise_ * dice_.chance() - kPerAge * std::min(age, kOldest);
  }

  GroupId take_best() {
    watch_.step(candidates_.size());
    std::size_t best = 0;
    double least = price(candidates_[0]);
    for (std::size_t i = 1; i < candidates_.size(); ++i) {
      const double here = price(candidates_[i]);
      if (here < least) {
        least = here;
        best = i;
      }
    }
    const GroupId v = candidates_[best];
    candidates_[best] = candidates_.back();
    candidates_.pop_back();
    return v;
  }

  void place(GroupId v) {
    status_[v] = Status::Placed;
    for (NetId e : graph_.nets_of(v)) {
      NetState& net = nets_[e];
      --net.left;
      if (net.opened >= 0) continue;
      net.opened = static_cast<std::int32_t>(order_.size());
      if (graph_.members(e).size() > kWideNet) continue;
      for (GroupId w : graph_.members(e)) {
        if (status_[w] == Status::Waiting) offer(w);
      }
    }
    order_.push_back(v);
  }

  const NetGraph& graph_;
  const std::span<const GroupId> among_;
  const double noise_;
  Dice& dice_;
  TimeWatch watch_;
  IdVector<GroupId, Status> status_;
  IdVector<NetId, NetState> nets_;
  std::vector<GroupId> candidates_, order_;
  double average_ = 1;
};

}  // namespace

std::vector<GroupId> frontier_order(const NetGraph& graph, std::span<const GroupId> among,
                                    const FrontierOrderOptions& options, Dice& dice, const Budget* budget) {
  return FrontierOrder(graph, among, options, dice, budget).run();
}

std::vector<GroupId> frontier_order(const NetGraph& graph, const FrontierOrderOptions& options, Dice& dice,
                                    const Budget* budget) {
  std::vector<GroupId> all;
  all.reserve(graph.size());
  for (GroupId v : graph.all()) all.push_back(v);
  return frontier_order(graph, all, options, dice, budget);
}

}  // namespace partita::detail
