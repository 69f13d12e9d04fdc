// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/free/narrow_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace partita {
namespace {

constexpr double kGrowth = 2.2;         // states per open net, as measured on the paper's inputs: most are pruned
constexpr std::size_t kWork = 4'000'000;  // group visits to spend on each half of the search

class NarrowOrder {
 public:
  NarrowOrder(const NetGraph& graph, std::uint64_t seed) : graph_(graph), rng_(seed) {}

  std::vector<GroupId> run() {
    const std::size_t tries = std::clamp<std::size_t>(kWork / (20 * graph_.size() + 1), 2, 400);
    std::vector<GroupId> best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < tries; ++i) {
      std::vector<GroupId> order = i == 0 ? file_order() : greedy(i % 3 == 0 ? 0.01 : 1.5 * unit());
      const double size = estimated_states(graph_, order);
      if (size >= least) continue;
      least = size;
      best = std::move(order);
    }
    improve(best, least);
    return best;
  }

 private:
  double unit() { return std::uniform_real_distribution<double>(0, 1)(rng_); }
  std::size_t draw(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(rng_); }

  std::vector<GroupId> file_order() const {
    std::vector<GroupId> order;
    for (GroupId v : graph_.all()) order.push_back(v);
    return order;
  }

  // Grows from one group along nets; old open nets press to be closed.
  std::vector<GroupId> greedy(double noise) {
    const std::size_t n = graph_.size();
    IdVector<NetId, std::size_t> left(graph_.net_count(), 0), opened(graph_.net_count(), 0);
    for (NetId e : graph_.nets()) left[e] = graph_.members(e).size();
    IdVector<GroupId, char> known(n, 0);
    std::vector<GroupId> order, candidates;
    std::size_t next_unknown = 0;
    const auto enter = [&](GroupId v) {
      if (known[v]) return;
      known[v] = 1;
      candidates.push_back(v);
    };
    enter(GroupId(draw(n)));
    while (order.size() < n) {
      if (candidates.empty()) {
        while (known[GroupId(next_unknown)]) ++next_unknown;
        enter(GroupId(next_unknown));
      }
      std::size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        double growth = noise * unit(), age = 0;
        for (NetId e : graph_.nets_of(candidates[i])) {
          if (opened[e] == 0 && left[e] > 1) growth += 1;
          if (opened[e] != 0 && left[e] == 1) growth -= 1;
          if (opened[e] != 0) age = std::max(age, static_cast<double>(order.size() + 1 - opened[e]));
        }
        growth -= 0.003 * std::min(age, 100.0);
        if (growth < least) {
          least = growth;
          best = i;
        }
      }
      const GroupId v = candidates[best];
      candidates[best] = candidates.back();
      candidates.pop_back();
      order.push_back(v);
      for (NetId e : graph_.nets_of(v)) {
        if (opened[e] == 0) opened[e] = order.size();
        --left[e];
        for (GroupId w : graph_.members(e)) enter(w);
      }
    }
    return order;
  }

  void improve(std::vector<GroupId>& best, double least) {
    const std::size_t n = best.size();
    if (n < 4) return;
    for (std::size_t i = 0; i < kWork / (2 * n + graph_.net_count()); ++i) {
      std::vector<GroupId> order = best;
      const std::size_t length = 1 + draw(std::min<std::size_t>(4, n - 1)), from = draw(n - length + 1);
      std::vector<GroupId> piece(order.begin() + from, order.begin() + from + length);
      order.erase(order.begin() + from, order.begin() + from + length);
      const std::size_t near = std::min(order.size(), from > 10 ? from - 10 + draw(21) : draw(21));
      const std::size_t to = draw(2) == 0 ? draw(order.size() + 1) : near;
      if (draw(3) == 0) std::reverse(piece.begin(), piece.end());
      order.insert(order.begin() + to, piece.begin(), piece.end());
      const double size = estimated_states(graph_, order);
      if (size > least) continue;
      least = size;
      best = std::move(order);
    }
  }

  const NetGraph& graph_;
  std::mt19937_64 rng_;
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

std::vector<GroupId> narrow_order(const NetGraph& graph, std::uint64_t seed) { return NarrowOrder(graph, seed).run(); }

}  // namespace partita
