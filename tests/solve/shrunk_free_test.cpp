// SPDX-License-Identifier: Apache-2.0
// Bounds of free and contiguous splits on smaller graphs: what they refute has no split, by brute force, and certificates hold.
#include "partita/solve/free/shrunk_free.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partita/check/certificate.h"
#include "partita/solve/configuration/narrow_order.h"
#include "partita/solve/configuration/pair_tree.h"
#include "partita/solve/free/free_certificate.h"
#include "partita/solve/free/volume.h"
#include "partita/util/dice.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

// Every other case is about contiguous splits, some of them with backward parts in shape.
struct FreeCase {
  Problem problem;
  FreeInstance instance;
  NodeOrder order;
  std::optional<double> best;

  explicit FreeCase(std::uint64_t seed) {
    problem.workload = random_workload(seed);
    problem.shape = seed % 2 == 0 ? Shape::Contiguous : Shape::Free;
    problem.backward_shape = seed % 3 == 0;
    instance = make_free_instance(problem);
    if (contiguous()) order = order_of_nodes(problem, instance.group_of, instance.graph.size());
    if (instance.is_plain() && instance.graph.size() > 1) best = brute_force(problem);
  }
  bool contiguous() const { return problem.shape == Shape::Contiguous; }
  const NodeOrder* shape() const { return order.order.empty() ? nullptr : &order; }
};

ConfigurationLp lp_of(const FreeCase& one, const ShrunkFree& small, Dice& dice) {
  return ConfigurationLp(small.model(one.instance), small.without_removed(volume_bound(one.instance).prices),
                         narrow_order(small.graph(), small.order(), dice.below(1000)),
                         {dice.one_in(4) ? 3 : std::size_t{10'000}});
}

ShrinkDose random_dose(Dice& dice) {
  ShrinkDose dose;
  if (!dice.one_in(3)) dose = dice.one_in(2) ? ShrinkDose{1} : ShrinkDose{1, 1};
  dose.followers = dice.one_in(2);
  return dose;
}

double largest_load(const ShrunkFree& small, const FreeInstance& instance, const FreeSplit& split) {
  double most = 0;
  for (std::size_t d = 0; d < instance.devices.size(); ++d) {
    std::vector<GroupId> set;
    for (GroupId v : split.device_of.all()) {
      if (split.device_of[v] == DeviceId(d)) set.push_back(v);
    }
    const bool host = d >= static_cast<std::size_t>(instance.stage_platform().accelerators);
    most = std::max(most, host ? host_load(small.graph(), set) : accelerator_load(small.graph(), set));
  }
  return most;
}

TEST(ShrunkFree, LoadsAreNoLarger) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    Problem problem;
    problem.workload = random_workload(seed);
    problem.shape = Shape::Free;
    const FreeInstance instance = make_free_instance(problem);
    if (!instance.is_plain()) continue;
    Dice dice(seed);
    const auto small = ShrunkFree::make(instance, {}, 1 + dice.between(0, 20), random_dose(dice), Budget());
    if (!small) continue;
    ++tried;
    for (int i = 0; i < 20; ++i) {
      FreeSplit split{0, {}};
      for ([[maybe_unused]] GroupId v : instance.graph.all())
        split.device_of.push_back(DeviceId(dice.below(instance.devices.size())));
      double most = 0;
      for (std::size_t d = 0; d < instance.devices.size(); ++d) {
        std::vector<GroupId> set;
        for (GroupId v : split.device_of.all()) {
          if (split.device_of[v] == DeviceId(d)) set.push_back(v);
        }
        const bool host = d >= static_cast<std::size_t>(instance.stage_platform().accelerators);
        most = std::max(most, host ? host_load(instance.graph, set) : accelerator_load(instance.graph, set));
      }
      EXPECT_LE(largest_load(*small, instance, small->without_removed(split)), most * (1 + 1e-12)) << "seed " << seed;
      const FreeSplit again = small->with_removed(small->without_removed(split));
      EXPECT_EQ(small->without_removed(again).device_of, small->without_removed(split).device_of) << "seed " << seed;
    }
  }
  EXPECT_GT(tried * 10, cases(2000));
}

// Convex sets stay convex without what was removed, and paths are what they were.
TEST(OrderLeft, KeepsConvexSetsAndPaths) {
  std::size_t convex_sets = 0;
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    Problem problem;
    problem.workload = random_workload(seed);
    problem.backward_shape = seed % 3 == 0;
    const FreeInstance instance = make_free_instance(problem);
    const ConvexOrder order = order_of_nodes(problem, instance.group_of, instance.graph.size()).order;
    if (order.empty()) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*problem.workload));
    Dice dice(seed);
    Lift lift(instance.graph.size());
    std::size_t kept = 0;
    for (GroupId v : lift.all()) {
      if (!dice.one_in(3)) lift[v] = GroupId(kept++);
    }
    const OrderLeft left = order_without(order, lift, kept);
    for (PointId p : left.order.all()) {
      EXPECT_EQ(left.order.group_of(p), lift[order.group_of(left.before[p])]);
      for (PointId q : left.order.all())
        EXPECT_EQ(left.order.leads_to(p, q), order.leads_to(left.before[p], left.before[q]));
    }
    for (std::uint32_t set = 0; set < (1u << lift.size()); ++set) {
      std::vector<GroupId> all, others;
      for (GroupId v : lift.all()) {
        if ((set >> v.index() & 1) == 0) continue;
        all.push_back(v);
        if (lift[v].valid()) others.push_back(lift[v]);
      }
      if (!order.is_convex(all)) continue;
      ++convex_sets;
      EXPECT_TRUE(left.order.is_convex(others));
    }
  }
  EXPECT_GT(convex_sets, cases(300));
}

// From the optimum on nothing is refuted; below it, what is refuted has a certificate that the independent check accepts.
TEST(ShrunkFree, NeverRefutesWhatExistsAndCertificatesHold) {
  std::size_t tried = 0, refuted = 0, verified = 0, with_cases = 0, in_shape = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const FreeCase one(seed);
    if (!one.best || *one.best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.problem.workload));
    Dice dice(seed);
    const auto small = ShrunkFree::make(one.instance, one.order.order, *one.best, random_dose(dice), Budget());
    if (!small) continue;
    ++tried;
    ConfigurationLp lp = lp_of(one, *small, dice);
    if (seed % 3 == 0) lp.go_far();
    for (const double limit : {*one.best * (1 + 1e-9), *one.best * 1.1}) {
      Budget budget(Budget::Limits{.ticks = 2'000'000});
      EXPECT_NE(PairTree(lp, limit).refute(budget), Refutation::Refuted);
    }
    for (const double share : {1 - 1e-6, 0.9}) {
      Budget budget(Budget::Limits{.ticks = 2'000'000});
      PairTree tree(lp, share * *one.best);
      if (tree.refute(budget) != Refutation::Refuted) continue;
      ++refuted;
      with_cases += tree.leaves().size() > 1;
      in_shape += one.shape() != nullptr;
      ProofTree proof;
      for (const FreeProof& leaf : tree.leaves()) proof.push_back(small->with_removed(leaf));
      Certificate certificate = make_certificate(one.problem, one.instance, proof, one.shape());
      EXPECT_EQ(certificate.steps.size(), small->removed());
      verified += verify(one.problem, certificate).holds;
      certificate.limit = *one.best * (1 + 1e-9);
      EXPECT_FALSE(verify(one.problem, certificate).holds);
      break;
    }
  }
  EXPECT_GT(tried * 10, cases(1500));
  EXPECT_GT(refuted * 2, tried);
  EXPECT_GT(verified * 10, refuted * 9);
  EXPECT_GT(in_shape * 10, refuted);
  if (all_usual_cases()) {
    EXPECT_GT(with_cases, 0u);
  }
}

}  // namespace
}  // namespace partita::detail::test
