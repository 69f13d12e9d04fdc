// SPDX-License-Identifier: Apache-2.0
// The configuration LP over convex sets: its sets, its prices and what it refutes, by brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "partita/check/certificate.h"
#include "partita/solve/configuration/convex_bound.h"
#include "partita/solve/configuration/convex_order.h"
#include "partita/solve/configuration/crossing_sets.h"
#include "partita/solve/configuration/pair_tree.h"
#include "partita/solve/configuration/tiling_sets.h"
#include "partita/solve/free/free_certificate.h"
#include "partita/solve/staged/linear.h"
#include "partita/solve/staged/orders.h"
#include "partita/util/dice.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/narrowed_load.h"
#include "tests/support/random_workload.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

constexpr std::size_t kWideLayer = 100'000;

// Contiguous sets of a workload: colour classes with several points, backward parts, orphans.
struct NodeCase {
  Problem problem;
  FreeInstance instance;
  NodeOrder order;

  explicit NodeCase(std::uint64_t seed) {
    problem.workload = random_workload(seed);
    problem.shape = Shape::Contiguous;
    problem.backward_shape = seed % 3 == 0;
    instance = make_free_instance(problem);
    order = order_of_nodes(problem, instance.group_of, instance.graph.size());
  }

  // By the definition: does a path leave the set of nodes and come back?
  bool keeps_shape(std::uint32_t set) const {
    const Graph& graph = problem.workload->graph;
    const auto in = [&](NodeId v) { return (set >> instance.group_of[v].index() & 1) != 0; };
    const auto counts = [&](const Edge& e) {
      const bool backward = graph.nodes[e.from].backward;
      return backward == graph.nodes[e.to].backward && (!backward || problem.backward_shape);
    };
    IdVector<NodeId, char> left(graph.nodes.size(), 0);  // reached from the set by a path that has left it
    for (std::size_t round = 0; round < graph.nodes.size(); ++round) {
      for (const Edge& e : graph.edges) {
        if (!counts(e) || in(e.to)) continue;
        if (in(e.from) || left[e.from]) left[e.to] = 1;
      }
    }
    return std::ranges::none_of(graph.edges, [&](const Edge& e) { return counts(e) && left[e.from] && in(e.to); });
  }
};

std::vector<GroupId> members_of(std::uint32_t set, std::size_t groups) {
  std::vector<GroupId> result;
  for (GroupId v : ids<GroupId>(groups)) {
    if (set >> v.index() & 1) result.push_back(v);
  }
  return result;
}

// The least load of a path that takes just these groups, or nothing if there is none.
std::optional<Load> least_load_along(const Trellis& trellis, std::uint32_t set) {
  std::map<std::int32_t, Load> at{{0, 0}};
  for (std::size_t t = 0; t + 1 < trellis.layers().size(); ++t) {
    const auto& layer = trellis.layers()[t];
    const bool take = set >> layer.group.index() & 1;
    std::map<std::int32_t, Load> next;
    for (const auto& [state, load] : at) {
      for (std::size_t i = layer.first[state]; i < layer.first[state + 1]; ++i) {
        const Trellis::Arc& arc = layer.arcs[i];
        if (arc.take != take) continue;
        const auto [it, added] = next.try_emplace(arc.to, load + arc.load);
        it->second = std::min(it->second, load + arc.load);
      }
    }
    at = std::move(next);
  }
  std::optional<Load> least;
  for (const auto& [state, load] : at) least = std::min(least.value_or(load), load);
  return least;
}

std::vector<GroupId> random_order(std::size_t groups, Dice& dice) {
  std::vector<GroupId> order;
  for (GroupId v : ids<GroupId>(groups)) order.push_back(v);
  for (std::size_t i = groups; i > 1; --i) std::swap(order[i - 1], order[dice.below(i)]);
  return order;
}

std::vector<PairDecision> random_pairs(std::size_t groups, Dice& dice) {
  std::vector<PairDecision> pairs;
  for (std::size_t i = dice.below(4); i > 0 && groups > 1; --i) {
    const GroupId a(dice.below(groups)), b(dice.below(groups));
    if (a != b) pairs.push_back({std::min(a, b), std::max(a, b), dice.one_in(2)});
  }
  return pairs;
}

// Sets, loads and prices of one class of devices of the model, against all subsets of its groups.
void check_one_class(const NodeCase& one, std::size_t c, const ConfigurationModel& model, double limit, Dice& dice,
                     std::size_t& convex_sets) {
  const ConfigurationModel::Devices& devices = model.classes[c];
  const std::vector<PairDecision> pairs = random_pairs(model.groups, dice);
  const std::size_t widest = dice.one_in(3) ? 1 + dice.below(6) : kWideLayer;  // sometimes things have to be forgotten
  const Scaled scaled = scale(devices.graph, devices.memory, limit);
  const Trellis trellis(devices.graph, scaled, random_order(model.groups, dice), {widest}, {&model.order, pairs});
  ASSERT_FALSE(trellis.too_large());
  Prices prices(model.groups, 0);
  for (Price& price : prices) price = (static_cast<Price>(dice.below(2000)) - 800) * (kPriceUnit / 2000);
  Price dearest = 0;
  for (std::uint32_t set = 0; set < (1u << model.groups); ++set) {
    const std::vector<GroupId> groups = members_of(set, model.groups);
    bool allowed = std::ranges::all_of(groups, [&](GroupId v) { return scaled.may_hold[v] != 0; });
    for (const PairDecision& pair : pairs) allowed = allowed && pair.allows(groups);
    const bool shape = one.keeps_shape(set);
    EXPECT_EQ(model.order.is_convex(groups), shape);
    const double load = accelerator_load(devices.graph, groups);
    const std::optional<Load> along = least_load_along(trellis, set);
    if (allowed && shape && load <= limit) {
      ++convex_sets;
      ASSERT_TRUE(along);
      const double narrowed = narrowed_load(devices.graph, trellis, groups);
      EXPECT_LE(static_cast<double>(*along), narrowed * scaled.units_per_time * (1 + 1e-12));
      EXPECT_LE(narrowed, load * (1 + 1e-12));
    }
    if (!along || *along > scaled.limit) continue;
    if (trellis.forgotten().empty()) {
      EXPECT_TRUE(allowed && shape);
    }
    if (trellis.forgotten().empty() && trellis.narrowed().empty()) {
      EXPECT_GE(static_cast<double>(*along), load * scaled.units_per_time - 100);
    }
    Price price = 0;
    for (GroupId v : groups) price += prices[v];
    dearest = std::max(dearest, price);
  }
  Pricing pricing(trellis, scaled.limit);
  EXPECT_GE(pricing.set_prices(prices), dearest);
  Budget budget;
  const auto found = pricing.good_column(4000, 0, budget);
  EXPECT_EQ(found.has_value(), dearest > 0);
  if (found) {
    EXPECT_LE(found->price, dearest);
  }
  EXPECT_FALSE(dearest > 0 && pricing.none_above(4000, dearest - 1, budget));
  EXPECT_TRUE(pricing.none_above(100'000, dearest + kPriceUnit / 100, budget));
}

TEST(ConvexTrellis, HasEveryContiguousSetAndPricesAreExact) {
  std::size_t convex_sets = 0;
  for (std::uint64_t seed = 1; seed <= cases(600); ++seed) {
    const NodeCase one(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.problem.workload));
    Dice dice(seed);
    const ConfigurationModel model =
        model_of(one.instance, list_load_weights(TransferMode::Sum, false)[0], one.order.order);
    double total = 0;
    for (GroupId v : one.instance.graph.all()) total += one.instance.graph.accelerator_time(v);
    const double limit = std::max(1e-6, total * (0.1 + dice.chance()));
    for (std::size_t c = 0; c < model.classes.size(); ++c) check_one_class(one, c, model, limit, dice, convex_sets);
  }
  EXPECT_GT(convex_sets, cases(600));
}

TEST(ConvexBound, NeverRefutesAStagedSplitAndMostlyRefutesTheRest) {
  std::size_t refuted = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const StageCase one = seed % 3 == 0 ? branched_stage_case(seed) : random_stage_case(seed);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit || best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ConvexBound bound(one.graph, one.platform,
                      {.seed = seed, .widest_layer = seed % 4 == 0 ? std::size_t{3} : kWideLayer});
    for (const double limit : {best, best * (1 + 1e-9), best * 1.1}) {
      Budget budget(Budget::Limits{.ticks = 2'000'000});
      EXPECT_NE(bound.refute(limit, budget), Refutation::Refuted);
    }
    Budget budget(Budget::Limits{.ticks = 2'000'000});
    ++tried;
    refuted += bound.refute(best * (1 - 1e-6), budget) == Refutation::Refuted;
  }
  EXPECT_GT(refuted * 2, tried);
}

// Groups in a few chains, which meet at random: many sets that are convex, and many that cross.
StageCase random_chains(std::uint64_t seed) {
  Dice dice(seed);
  const std::size_t groups = 4 + dice.below(5), chains = 2 + dice.below(2);
  IdVector<GroupId, Group> all;
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  for (GroupId v : ids<GroupId>(groups)) {
    const double time = static_cast<double>(1 + dice.below(6));
    all.push_back({time, static_cast<double>(1 + dice.below(30)), 0, !dice.one_in(12), !dice.one_in(4)});
    if (!all[v].on_accelerator) all[v].on_host = true;
    if (v.index() >= chains) precedence.emplace_back(GroupId(v.index() - chains), v);
    if (v.index() > 0 && dice.one_in(8)) precedence.emplace_back(GroupId(dice.below(v.index())), v);
  }
  for (std::size_t i = dice.below(2 * groups); i > 0; --i) {
    Net net{static_cast<double>(1 + dice.below(4)), {GroupId(dice.below(groups)), GroupId(dice.below(groups))}};
    nets.push_back(net);
  }
  for (Net& net : nets) {
    std::sort(net.members.begin(), net.members.end());
    net.members.erase(std::unique(net.members.begin(), net.members.end()), net.members.end());
  }
  StageCase result;
  result.graph = StageGraph(std::move(all), precedence, std::move(nets));
  result.platform = {1 + static_cast<int>(dice.below(4)), dice.one_in(3) ? 1 : 0, 1, 1};
  return result;
}

TEST(ConvexBound, CasesRefuteWhatIsBelowTheBestPipelineAndNothingElse) {
  std::size_t refuted = 0, refuted_without = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const StageCase one = random_chains(seed);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit || best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ConvexBound bound(one.graph, one.platform,
                      {.seed = seed, .widest_layer = seed % 8 == 0 ? std::size_t{3} : kWideLayer});
    bound.suggest_orders({file_order(one.graph), late_order(one.graph)});
    for (const double limit : {best, best * (1 + 1e-9), best * 1.1}) {
      Budget budget(Budget::Limits{.ticks = 2'000'000});
      EXPECT_NE(bound.refute_by_cases(limit, budget), Refutation::Refuted);
    }
    Budget budget(Budget::Limits{.ticks = 2'000'000});
    ++tried;
    refuted_without += bound.refute(best * (1 - 1e-6), budget) == Refutation::Refuted;
    refuted += bound.refute_by_cases(best * (1 - 1e-6), budget) == Refutation::Refuted;
  }
  EXPECT_GT(refuted * 20, tried * 17);
  EXPECT_GT(refuted, refuted_without);
}

TEST(CrossingSets, AreRuledOutOneInEitherCase) {
  // Two chains, 0 -> 2 and 1 -> 3. The sets {0, 3} and {1, 2} wait for each other.
  const ConvexOrder order(4, {GroupId(0), GroupId(1), GroupId(2), GroupId(3)},
                          {{PointId(0), PointId(2)}, {PointId(1), PointId(3)}});
  const std::vector<GroupId> one{GroupId(0), GroupId(3)}, other{GroupId(1), GroupId(2)};
  const auto edge = edge_to_decide({{one, 0, 1.0}, {other, 0, 1.0}}, order);
  ASSERT_TRUE(edge);
  EXPECT_TRUE(order.is_convex(one) && order.is_convex(other));
  const ConvexOrder first = order.with({*edge}), second = order.with({{edge->second, edge->first}});
  EXPECT_NE(first.is_convex(one), first.is_convex(other));
  EXPECT_NE(second.is_convex(one), second.is_convex(other));
  EXPECT_FALSE(edge_to_decide({{{GroupId(0), GroupId(1)}, 0, 1.0}, {{GroupId(2), GroupId(3)}, 0, 1.0}}, order));
}

TEST(TilingSets, AreConvexAndCoverTheOrderWithTheFewestDevices) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const StageCase one = random_stage_case(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ConfigurationModel model = model_of(one.graph, one.platform);
    double total = 0;
    for (GroupId v : one.graph.all()) total += one.graph.accelerator_time(v);
    Dice dice(seed);
    const double limit = std::max(1e-6, total * (0.2 + dice.chance()));
    const std::vector<GroupId> order = late_order(one.graph);
    Budget budget;
    std::vector<std::size_t> place(one.graph.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i].index()] = i;
    std::vector<char> reached(one.graph.size() + 1, 0);
    reached[0] = 1;
    const auto sets = tiling_sets(model, order, limit, budget);
    for (std::size_t at = 0; at < order.size(); ++at) {
      for (const std::vector<GroupId>& set : sets) {
        if (reached[at] && place[set.front().index()] == at) reached[at + set.size()] = 1;
      }
    }
    EXPECT_EQ(!sets.empty(), reached[order.size()] != 0);
    for (const std::vector<GroupId>& set : sets) {
      EXPECT_TRUE(model.order.is_convex(set));
      const bool held = std::ranges::any_of(model.classes, [&](const ConfigurationModel::Devices& devices) {
        double memory = 0;
        bool can = true;
        for (GroupId v : set) {
          memory += devices.graph.group(v).memory;
          can = can && devices.graph.group(v).on_accelerator;
        }
        return can && memory <= devices.memory && accelerator_load(devices.graph, set) <= limit * (1 + 1e-12);
      });
      EXPECT_TRUE(held);
    }
    // Whatever the fewest is, the linearised DP needs no fewer.
    if (!sets.empty() || one.platform.accelerators == 0) continue;
    StagePlatform many = one.platform;
    many.accelerators = static_cast<int>(one.graph.size());
    many.hosts = std::min(many.hosts, 1);
    EXPECT_FALSE(linear_split(one.graph, many, order, {.below = limit * (1 - 1e-9)}, budget));
  }
}

// Groups that share a row and a price: whichever they are, nothing is refuted that a split is within. Where they can be
// exchanged, as good as all is refuted that is with a row for each.
TEST(ConvexBound, LosesNothingByGroupsThatAreAlike) {
  std::size_t refuted = 0, refuted_apart = 0, shared = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const StageCase one = branched_stage_case(seed);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit || best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    ConfigurationModel model = model_of(one.graph, one.platform);
    const bool at_random = seed % 4 == 0;
    if (at_random) {
      for (std::size_t& row : model.alike) row = dice.below(1 + one.graph.size() / 2);
    }
    shared += *std::ranges::max_element(model.alike) + 1 < one.graph.size();
    const GroupPrices prices = prices_by_time(model);
    ConfigurationLp lp(std::move(model), prices, random_order(one.graph.size(), dice), {kWideLayer});
    for (const double limit : {best, best * (1 + 1e-9), best * 1.1}) {
      Budget budget(Budget::Limits{.ticks = 1'000'000});
      EXPECT_NE(lp.refute(limit, budget), Refutation::Refuted);
    }
    if (at_random) continue;
    ++tried;
    const double limit = best * (1 - (seed % 2 == 0 ? 1e-6 : dice.chance() / 4));
    Budget budget(Budget::Limits{.ticks = 2'000'000});
    refuted += lp.refute(limit, budget) == Refutation::Refuted;
    lp.tell_apart();
    refuted_apart += lp.refute(limit, budget) == Refutation::Refuted;
  }
  EXPECT_GE(refuted * 100, refuted_apart * 99);  // near the LP's own limit it is a matter of rounding
  EXPECT_GT(refuted * 2, tried);
  EXPECT_GT(shared * 2, tried);
}

TEST(ConvexBound, NeverRefutesAContiguousSplit) {
  std::size_t refuted = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(600); ++seed) {
    const NodeCase one(seed);
    const std::optional<double> best = brute_force(one.problem);
    if (!best || *best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.problem.workload));
    Dice dice(seed);
    ConfigurationModel model = model_of(one.instance, list_load_weights(TransferMode::Sum, false)[0], one.order.order);
    GroupPrices prices{std::vector<double>(model.groups, 1), std::vector<double>(model.classes.size(), 0)};
    ConfigurationLp lp(std::move(model), prices, random_order(one.instance.graph.size(), dice),
                       {dice.one_in(4) ? std::size_t{3} : kWideLayer});
    for (const double limit : {*best * (1 + 1e-9), *best * 1.1}) {
      Budget budget(Budget::Limits{.ticks = 2'000'000});
      EXPECT_NE(lp.refute(limit, budget), Refutation::Refuted);
    }
    Budget budget(Budget::Limits{.ticks = 2'000'000});
    ++tried;
    refuted += lp.refute(*best * (1 - 1e-6), budget) == Refutation::Refuted;
  }
  EXPECT_GT(refuted * 2, tried);
}

// A case of a tree: pairs that were decided are wishes of a user.
TEST(ConvexBound, NeverRefutesASplitWithPairsAsDecided) {
  std::size_t refuted = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(900); ++seed) {
    NodeCase one(seed);
    const std::size_t nodes = one.problem.workload->graph.nodes.size();
    if (std::pow(one.problem.workload->platform.device_count(), nodes) > 5000) continue;
    Dice dice(seed);
    const bool free = seed % 2 == 0;
    if (free) one.problem.shape = Shape::Free;
    const std::vector<PairDecision> pairs = random_pairs(one.instance.graph.size(), dice);
    for (const PairDecision& pair : pairs) {
      const auto node_in = [&](GroupId v) {
        NodeId first(0);
        while (one.instance.group_of[first] != v) ++first;
        return first;
      };
      auto& wishes = pair.together ? one.problem.wishes.together : one.problem.wishes.apart;
      wishes.push_back({node_in(pair.a), node_in(pair.b)});
    }
    const std::optional<double> best = brute_force(one.problem);
    if (!best || *best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.problem.workload));
    ConfigurationModel model =
        model_of(one.instance, list_load_weights(TransferMode::Sum, false)[0], free ? ConvexOrder() : one.order.order);
    GroupPrices prices{std::vector<double>(model.groups, 1), std::vector<double>(model.classes.size(), 0)};
    ConfigurationLp lp(std::move(model), prices, random_order(one.instance.graph.size(), dice),
                       {dice.one_in(4) ? std::size_t{3} : kWideLayer});
    for (const double limit : {*best * (1 + 1e-9), *best * 1.1}) {
      Budget budget(Budget::Limits{.ticks = 2'000'000});
      EXPECT_NE(lp.refute(limit, budget, pairs), Refutation::Refuted);
    }
    Budget budget(Budget::Limits{.ticks = 2'000'000});
    ++tried;
    refuted += lp.refute(*best * (1 - 1e-6), budget, pairs) == Refutation::Refuted;
  }
  EXPECT_GT(refuted * 2, tried);
  EXPECT_GT(tried * 10, cases(900));
}

// Trees of pairs end in a proof below the optimum, which the independent check accepts, and in none from the optimum on.
// Every other question is about free splits, whose LP needs more of them.
TEST(PairTree, ProvesOptimaAndNothingElse) {
  std::size_t refuted = 0, verified = 0, with_cases = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(600); ++seed) {
    NodeCase one(seed);
    const bool free = seed % 2 == 0;
    if (free) one.problem.shape = Shape::Free;
    const std::optional<double> best = brute_force(one.problem);
    if (!best || *best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.problem.workload));
    Dice dice(seed);
    ConfigurationModel model =
        model_of(one.instance, list_load_weights(TransferMode::Sum, false)[0], free ? ConvexOrder() : one.order.order);
    GroupPrices prices{std::vector<double>(model.groups, 1), std::vector<double>(model.classes.size(), 0)};
    ConfigurationLp lp(std::move(model), prices, random_order(one.instance.graph.size(), dice),
                       {dice.one_in(4) ? std::size_t{3} : kWideLayer});
    for (const double limit : {*best * (1 + 1e-9), *best * 1.05}) {
      Budget budget(Budget::Limits{.ticks = 2'000'000});
      PairTree tree(lp, limit);
      EXPECT_NE(tree.refute(budget), Refutation::Refuted);
    }
    Budget budget(Budget::Limits{.ticks = 4'000'000});
    PairTree tree(lp, *best * (1 - 1e-6));
    ++tried;
    if (tree.refute(budget) != Refutation::Refuted) continue;
    ++refuted;
    with_cases += tree.leaves().size() > 1;
    Certificate certificate = make_certificate(one.problem, one.instance, tree.leaves(), free ? nullptr : &one.order);
    verified += verify(one.problem, certificate).holds;
    certificate.limit = *best * (1 + 1e-9);
    EXPECT_FALSE(verify(one.problem, certificate).holds);
  }
  EXPECT_GT(refuted * 10, tried * 6);
  EXPECT_GT(verified * 10, refuted * 9);
  if (all_usual_cases()) {
    EXPECT_GT(with_cases, 0u);
  }
}

TEST(ConvexBound, GivesUpWhereTheTrellisIsTooLarge) {
  const StageCase one = random_stage_case(7);
  ConvexBound bound(one.graph, one.platform, {.most_states = 1});
  Budget budget;
  EXPECT_EQ(bound.refute(1e-3, budget), Refutation::LpFeasible);
}

}  // namespace
}  // namespace partita::detail::test
