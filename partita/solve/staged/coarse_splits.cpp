// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/coarse_splits.h"

#include <algorithm>
#include <cmath>

#include "partita/solve/staged/anneal.h"
#include "partita/solve/staged/coarsen.h"
#include "partita/solve/staged/linear.h"

namespace partita::detail {
namespace {

constexpr double kLargestPart = 1.0 / 8, kSmallestPart = 1.0 / 100;  // of the value, that a class may weigh
constexpr double kFewestPerDevice = 4;                               // groups of a coarse graph
constexpr double kWorthAnnealing = 1.1;  // times the best value: what is further off hardly ever gets there
constexpr std::size_t kSmallestGraph = 40;
constexpr double kHot = 0.005, kCold = 0.00005;
constexpr std::uint64_t kMovesPerGroup = 60, kLeastMoves = 20'000;

double random_between(double low, double high, Rng& rng) {  // log-uniform
  return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(rng));
}

}  // namespace

std::optional<StagedSplit> split_coarsely(const StageGraph& graph, const StagePlatform& platform, double below,
                                          Rng& rng, Budget& budget) {
  const double groups = static_cast<double>(graph.size());
  if (!graph.has_closure() || graph.size() < kSmallestGraph) return std::nullopt;
  const double fewest = std::min(groups, kFewestPerDevice * (platform.accelerators + platform.hosts));
  const AnnealOptions annealing{std::max<std::uint64_t>(kLeastMoves, kMovesPerGroup * graph.size()), kHot, kCold};
  std::optional<StagedSplit> best;
  while (!budget.exhausted()) {
    const double part = random_between(kSmallestPart, kLargestPart, rng);
    const auto left = static_cast<std::size_t>(random_between(fewest, groups, rng));
    const Contraction coarse = coarsen(graph, {below * part, platform.accelerator_memory * part, left}, rng, budget);
    std::uint64_t steps = 0;
    const auto order = rng() % 2 == 0 ? file_order(coarse.graph) : late_order(coarse.graph);
    auto split =
        linear_split(coarse.graph, platform, order, {.below = below * kWorthAnnealing, .steps = &steps}, budget);
    budget.spend(1 + steps / kIntervalStepsPerTick);
    if (!split) continue;
    split->stages = lift_stages(coarse.lift, split->stages);
    split->value = largest_load(graph, split->stages);
    if (auto better = anneal(graph, platform, *split, annealing, rng, budget)) split = std::move(better);
    if (split->value >= below) continue;
    below = split->value;
    best = std::move(split);
  }
  return best;
}

}  // namespace partita::detail
