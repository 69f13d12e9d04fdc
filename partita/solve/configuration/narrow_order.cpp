// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/narrow_order.h"

#include <algorithm>
#include <limits>

#include "partita/solve/configuration/frontier_orders.h"
#include "partita/solve/configuration/order_estimate.h"
#include "partita/util/dice.h"
#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr std::size_t kWork = 4'000'000;  // group visits to spend on random orders
// Rounds of as many moves as there are groups; more while the trellis seems to have more states than moves have looked
// at groups and nets, some 20 ns each.
constexpr std::size_t kFirstRounds = 20, kRounds = 100, kMostImproving = 12'000'000;
constexpr std::size_t kMostHubs = 8;
constexpr std::size_t kFarMoves = 12;  // one in so many goes anywhere

class NarrowOrder {
 public:
  NarrowOrder(const NetGraph& graph, std::uint64_t seed, const Budget* budget)
      : graph_(graph), dice_(seed), estimate_(graph), budget_(budget), watch_(budget) {
    by_degree_ = file_order();
    std::stable_sort(by_degree_.begin(), by_degree_.end(),
                     [&](GroupId a, GroupId b) { return graph.nets_of(a).size() > graph.nets_of(b).size(); });
  }

  // A random order may begin narrower than the file's and end in a valley that is not as deep, or the other way round.
  std::vector<GroupId> run() {
    estimate_.take(best_random_order());
    improve(kFirstRounds);
    const std::vector<GroupId> random = estimate_.order();
    const double states = estimate_.states();
    estimate_.take(file_order());
    improve(kFirstRounds);
    if (estimate_.states() > states) estimate_.take(random);
    improve(kRounds);
    return estimate_.order();
  }

 private:
  std::vector<GroupId> file_order() const {
    std::vector<GroupId> order;
    for (GroupId v : graph_.all()) order.push_back(v);
    return order;
  }

  std::vector<GroupId> best_random_order() {
    const std::size_t tries = std::clamp<std::size_t>(kWork / (20 * graph_.size() + 1), 2,
                                                      std::min<std::size_t>(400, 2 + 10 * graph_.size()));
    std::vector<GroupId> best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < tries; ++i) {
      std::vector<GroupId> order = random_order(i);
      const double size = estimate_.take(order);
      if (size >= least) continue;
      least = size;
      best = std::move(order);
    }
    return best;
  }

  // Every other one begins with a few hubs: what they lead to is then decided branch by branch.
  std::vector<GroupId> random_order(std::size_t turn) {
    const FrontierOrderOptions options{turn % 3 == 0 ? 0.01 : 1.5 * dice_.chance(), 0};
    std::vector<GroupId> order = turn % 2 == 0 ? some_hubs() : std::vector<GroupId>{};
    IdVector<GroupId, char> is_hub(graph_.size(), 0);
    for (GroupId v : order) is_hub[v] = 1;
    std::vector<GroupId> others;
    for (GroupId v : graph_.all()) {
      if (!is_hub[v]) others.push_back(v);
    }
    const std::vector<GroupId> rest = frontier_order(graph_, others, options, dice_, budget_);
    order.insert(order.end(), rest.begin(), rest.end());
    return order;
  }

  std::vector<GroupId> some_hubs() {
    std::vector<GroupId> hubs;
    const std::size_t most = 1 + dice_.below(kMostHubs);
    for (std::size_t i = 0; i < by_degree_.size() && hubs.size() < most; ++i) {
      if (!dice_.one_in(4)) hubs.push_back(by_degree_[i]);
    }
    return hubs;
  }

  void improve(std::size_t rounds) {
    const std::size_t n = graph_.size();
    if (n < 4) return;
    std::size_t work = 0;
    for (std::size_t round = 0; round < rounds || static_cast<double>(work) < estimate_.states(); ++round) {
      if (work >= kMostImproving) return;
      const std::size_t before = work;
      for (std::size_t i = 0; i < n; ++i) work += estimate_.try_move(random_move());
      watch_.step(work - before);
    }
  }

  OrderEstimate::Move random_move() {
    const std::size_t n = graph_.size();
    OrderEstimate::Move move;
    move.length = 1 + dice_.below(std::min<std::size_t>(4, n - 1));
    move.from = dice_.below(n - move.length + 1);
    const std::size_t last = n - move.length;
    const std::size_t near = std::min(last, move.from > 10 ? move.from - 10 + dice_.below(21) : dice_.below(21));
    move.to = dice_.one_in(kFarMoves) ? dice_.below(last + 1) : near;
    move.reversed = dice_.one_in(3);
    return move;
  }

  const NetGraph& graph_;
  Dice dice_;
  OrderEstimate estimate_;
  const Budget* budget_;
  TimeWatch watch_;
  std::vector<GroupId> by_degree_;  // groups, those with the most nets first
};

}  // namespace

double estimated_states(const NetGraph& graph, const std::vector<GroupId>& order) {
  return OrderEstimate(graph).take(order);
}

std::vector<GroupId> narrow_order(const NetGraph& graph, std::uint64_t seed, const Budget* budget) {
  return NarrowOrder(graph, seed, budget).run();
}

}  // namespace partita::detail
