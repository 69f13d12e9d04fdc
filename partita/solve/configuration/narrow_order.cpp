// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/narrow_order.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partita/solve/configuration/frontier_orders.h"
#include "partita/util/dice.h"
#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr double kGrowth = 2.2;           // states per open net, as measured on the paper's inputs: most are pruned
constexpr std::size_t kWork = 4'000'000;  // group visits to spend on each half of the search
constexpr std::size_t kOrderMovesPerGroup = 100;

class NarrowOrder {
 public:
  NarrowOrder(const NetGraph& graph, std::uint64_t seed, const Budget* budget)
      : graph_(graph), dice_(seed), budget_(budget), watch_(budget) {}

  std::vector<GroupId> run() {
    const std::size_t tries = std::clamp<std::size_t>(kWork / (20 * graph_.size() + 1), 2,
                                                      std::min<std::size_t>(400, 2 + 10 * graph_.size()));
    std::vector<GroupId> best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < tries; ++i) {
      std::vector<GroupId> order =
          i == 0 ? file_order() : frontier_order(graph_, {i % 3 == 0 ? 0.01 : 1.5 * dice_.chance(), 0}, dice_, budget_);
      const double size = estimated_states(graph_, order);
      if (size >= least) continue;
      least = size;
      best = std::move(order);
    }
    improve(best, least);
    return best;
  }

 private:
  std::vector<GroupId> file_order() const {
    std::vector<GroupId> order;
    for (GroupId v : graph_.all()) order.push_back(v);
    return order;
  }

  void improve(std::vector<GroupId>& best, double least) {
    const std::size_t n = best.size();
    if (n < 4) return;
    const std::size_t moves = std::min(kWork / (2 * n + graph_.net_count()), kOrderMovesPerGroup * n);
    for (std::size_t i = 0; i < moves; ++i) {
      watch_.step(n);
      std::vector<GroupId> order = best;
      const std::size_t length = 1 + dice_.below(std::min<std::size_t>(4, n - 1)), from = dice_.below(n - length + 1);
      std::vector<GroupId> piece(order.begin() + from, order.begin() + from + length);
      order.erase(order.begin() + from, order.begin() + from + length);
      const std::size_t near = std::min(order.size(), from > 10 ? from - 10 + dice_.below(21) : dice_.below(21));
      const std::size_t to = dice_.below(2) == 0 ? dice_.below(order.size() + 1) : near;
      if (dice_.below(3) == 0) std::reverse(piece.begin(), piece.end());
      order.insert(order.begin() + to, piece.begin(), piece.end());
      const double size = estimated_states(graph_, order);
      if (size > least) continue;
      least = size;
      best = std::move(order);
    }
  }

  const NetGraph& graph_;
  Dice dice_;
  const Budget* budget_;
  TimeWatch watch_;
};

}  // namespace

double estimated_states(const NetGraph& graph, const std::vector<GroupId>& order) {
  IdVector<NetId, std::size_t> left(graph.net_count(), 0);
  for (NetId e : graph.nets()) left[e] = graph.members(e).size();
  double sum = 0;
  int open = 0;
  for (GroupId v : order) {
    for (NetId e : graph.nets_of(v)) {
      if (left[e] == graph.members(e).size()) ++open;
      if (--left[e] == 0) --open;
    }
    sum += std::pow(kGrowth, open);
  }
  return sum;
}

std::vector<GroupId> narrow_order(const NetGraph& graph, std::uint64_t seed, const Budget* budget) {
  return NarrowOrder(graph, seed, budget).run();
}

}  // namespace partita::detail
