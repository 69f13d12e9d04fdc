// SPDX-License-Identifier: Apache-2.0
// Certificates of contiguous and staged splits, and by cases: those made by enumeration hold, and whatever is changed,
// none holds for a limit within which there is a split.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "partita/check/certificate.h"
#include "partita/read/certificate.h"
#include "partita/report/certificate_json.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/optima.h"
#include "tests/support/prices_by_enumeration.h"
#include "tests/support/random_narrowed.h"

namespace partita::detail {
namespace {

Problem random_shaped_problem(std::uint64_t seed) {
  Problem problem{random_workload(seed)};
  problem.shape = seed % 2 == 0 ? Shape::Staged : Shape::Contiguous;
  problem.backward_shape = seed % 3 == 0;
  return problem;
}
// A fifth of them about free splits.
Problem random_problem_of_any_shape(std::uint64_t seed) {
  Problem problem = random_shaped_problem(seed);
  if (seed % 5 == 0) problem.shape = Shape::Free;
  return problem;
}

Certificate of_one_leaf(double limit, Shape shape, Certificate::Leaf leaf) {
  Certificate certificate;
  certificate.limit = limit;
  certificate.shape = shape;
  certificate.classes = std::move(leaf.classes);
  certificate.devices = std::move(leaf.devices);
  return certificate;
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return random_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::int64_t magnitude(int bits) { return static_cast<std::int64_t>(random_() >> 1 >> (63 - below(bits + 1))); }
  template <class List>
  void shuffle(List& list) {
    std::shuffle(list.begin(), list.end(), random_);
  }

 private:
  std::mt19937_64 random_;
};

void make_smaller(const Problem& problem, Certificate::Leaf& leaf, Chance& chance) {
  chance.shuffle(leaf.classes);
  for (Certificate::Devices& devices : leaf.devices) {
    if (chance.one_in(2)) devices.buckets = static_cast<int>(1 + chance.below(1000));
    if (chance.one_in(2)) devices.theta = chance.magnitude(55);
    if (chance.one_in(2)) {
      devices.narrowed = test::random_narrowed(problem.workload->graph, [&](std::size_t n) { return chance.below(n); });
    }
    for (const Node& node : problem.workload->graph.nodes) {
      if (chance.one_in(8)) devices.forgotten.push_back(node.original_id);
      if (chance.one_in(8)) devices.ignored.push_back({node.original_id, std::nullopt});
    }
  }
}

const Shape kShapes[] = {Shape::Free, Shape::Contiguous, Shape::Staged};

bool is_no_narrower(Shape claim, Shape question) {
  return claim == Shape::Free || claim == question || question == Shape::Staged;
}

TEST(ConvexCertificate, MadeByEnumerationHoldsAndSurvivesAFile) {
  std::size_t held = 0, beyond_free = 0, beyond_contiguous = 0;
  for_each_optimum(
      test::cases(400), random_shaped_problem, [&](std::uint64_t seed, const Problem& problem, double best) {
        const double limit = best * (1 - 1e-4);
        std::optional<Certificate::Leaf> by_shape[3];
        for (const Shape shape : kShapes) {
          auto& leaf = by_shape[static_cast<std::size_t>(shape)] = prices_by_enumeration(problem, shape, limit);
          if (!leaf) continue;
          Chance chance(seed);
          chance.shuffle(leaf->classes);
          const Certificate certificate = of_one_leaf(limit, shape, *leaf);
          const Certificate copy = parse_certificate(certificate_json(problem, certificate), "test");
          const CertificateVerdict verdict = verify(problem, copy);
          EXPECT_EQ(verdict.holds, is_no_narrower(shape, problem.shape)) << to_string(shape) << ": " << verdict.reason;
          held += verdict.holds;
        }
        const auto& [staged, contiguous, free] = by_shape;
        beyond_free += !free && contiguous;
        beyond_contiguous += problem.shape == Shape::Staged && !contiguous && staged;
      });
  EXPECT_GT(held, 0u);
  EXPECT_GT(beyond_free, 0u);
  if (test::all_usual_cases()) {
    EXPECT_GT(beyond_contiguous, 0u);
  }
}

// Prices that prove a limit just below the optimum come closest to proving the optimum itself.
TEST(ConvexCertificate, NeverHoldsAtTheOptimum) {
  std::size_t weaker = 0;
  for_each_optimum(
      test::cases(150), random_shaped_problem, [&](std::uint64_t seed, const Problem& problem, double best) {
        Chance chance(seed);
        const std::optional<Certificate::Leaf> close = prices_by_enumeration(problem, problem.shape, best * (1 - 1e-6));
        for (int variant = 0; variant < 12; ++variant) {
          Certificate::Leaf leaf;
          if (close && variant % 3 != 0) {
            leaf = *close;
            for (Certificate::Class& one : leaf.classes) {
              if (variant % 3 == 2) one.price += static_cast<std::int64_t>(chance.below(5)) - 2;
            }
          } else {
            leaf = {{}, {}, std::vector<Certificate::Devices>(1)};
            std::vector<std::int64_t> colours;
            for (const Node& node : problem.workload->graph.nodes) {
              if (node.colour && std::count(colours.begin(), colours.end(), *node.colour) > 0) continue;
              if (node.colour) colours.push_back(*node.colour);
              leaf.classes.push_back({node.original_id, chance.magnitude(44) * (chance.one_in(3) ? -1 : 1)});
            }
          }
          make_smaller(problem, leaf, chance);
          for (Certificate::Devices& devices : leaf.devices) {
            if (chance.one_in(4)) devices.memory_toll = chance.magnitude(40);
            if (chance.one_in(4)) devices.most.reset();
          }
          const CertificateVerdict below = verify(problem, of_one_leaf(best * (1 - 1e-6), problem.shape, leaf));
          weaker += !below.holds;
          const CertificateVerdict verdict = verify(problem, of_one_leaf(best * (1 + 1e-9), problem.shape, leaf));
          EXPECT_FALSE(verdict.holds) << "variant " << variant;
        }
      });
  EXPECT_GT(weaker, 0u);
}

// A random tree; nothing where some leaf has no prices.
std::optional<Certificate> random_tree(const Problem& problem, Shape shape, double limit, Chance& chance) {
  Certificate tree;
  tree.limit = limit;
  tree.shape = shape;
  const Graph& graph = problem.workload->graph;
  const auto any_node = [&] { return graph.nodes[NodeId(chance.below(graph.nodes.size()))].original_id; };
  const std::function<bool(std::vector<Certificate::Decision>)> grow =
      [&](std::vector<Certificate::Decision> decisions) {
        if (decisions.size() == 3 || (!decisions.empty() && chance.one_in(3))) {
          std::optional<Certificate::Leaf> leaf = prices_by_enumeration(problem, shape, limit, decisions);
          if (leaf) tree.leaves.push_back(std::move(*leaf));
          return leaf.has_value();
        }
        const std::int64_t a = any_node(), b = any_node();
        decisions.push_back({a, b, true});
        if (!grow(decisions)) return false;
        decisions.back() = {b, a, false};
        return grow(decisions);
      };
  if (!grow({})) return std::nullopt;
  chance.shuffle(tree.leaves);
  return tree;
}

TEST(CertificateTree, HoldsWhereAllItsCasesDo) {
  std::size_t grown = 0;
  for_each_optimum(
      test::cases(150), random_problem_of_any_shape, [&](std::uint64_t seed, const Problem& problem, double best) {
        Chance chance(seed);
        const double limit = best * (1 - 1e-4);
        const std::optional<Certificate> tree = random_tree(problem, problem.shape, limit, chance);
        if (!tree) return;
        ++grown;
        const CertificateVerdict verdict = verify(problem, parse_certificate(certificate_json(problem, *tree), "test"));
        EXPECT_TRUE(verdict.holds) << verdict.reason;
        // Some leaves missing, twice there, or of other cases.
        const std::size_t victim = chance.below(tree->leaves.size());
        const auto refused = [&](const auto& change) {
          Certificate changed = *tree;
          change(changed);
          const CertificateVerdict answer = verify(problem, changed);
          EXPECT_FALSE(answer.holds);
          EXPECT_FALSE(answer.reason.empty());
        };
        refused([&](Certificate& c) {
          c.leaves.erase(c.leaves.begin() + static_cast<std::ptrdiff_t>(victim));
          if (c.leaves.empty()) c.limit = 0;
        });
        refused([&](Certificate& c) { c.leaves.push_back(c.leaves[victim]); });
        refused([&](Certificate& c) { c.leaves[victim].decisions.back().together ^= true; });
        refused([&](Certificate& c) { c.leaves[victim].decisions.pop_back(); });
        refused([&](Certificate& c) { c.leaves[victim].decisions.push_back(c.leaves[victim].decisions.front()); });
        refused([&](Certificate& c) { c.leaves[victim].decisions[0].a = 4711; });
        refused([&](Certificate& c) { c.leaves[victim].classes.pop_back(); });
        if (problem.workload->platform.classes[ClassId(0)].count > 0)
          refused([&](Certificate& c) { c.leaves[victim].devices.clear(); });
        refused([&](Certificate& c) { c.classes = c.leaves[victim].classes; });
        refused([&](Certificate& c) { c.leaves[victim].decisions.assign(2000, c.leaves[victim].decisions[0]); });
      });
  EXPECT_GT(grown, 0u);
}

// Two triangles on three devices, each of which has room for an edge: half of every edge is fine, but three nodes are
// no two edges. So no prices prove it, and cases do.
TEST(CertificateTree, ProvesWhatNoPricesProve) {
  Problem problem{graph_from_text(
      "a 1 9; b 1 9; c 1 9; d 1 9; e 1 9; f 1 9; a -> b : 0.2; a -> c : 0.21; b -> c : 0.2; d -> e : 0.2; "
      "d -> f : 0.21; e -> f : 0.2",
      3, 1e9, 0)};
  problem.shape = Shape::Free;
  const double limit = 2.7;
  ASSERT_GT(brute_force(problem).value_or(0), limit);
  EXPECT_FALSE(prices_by_enumeration(problem, Shape::Free, limit));
  Certificate tree;
  tree.limit = limit;
  const std::vector<std::vector<Certificate::Decision>> cases = {
      {{1, 2, true}}, {{1, 2, false}, {3, 1, true}}, {{2, 1, false}, {1, 3, false}}};
  for (const auto& decisions : cases) {
    const std::optional<Certificate::Leaf> leaf = prices_by_enumeration(problem, Shape::Free, limit, decisions);
    ASSERT_TRUE(leaf);
    tree.leaves.push_back(*leaf);
  }
  EXPECT_TRUE(verify(problem, tree).holds) << verify(problem, tree).reason;
  for (Certificate::Leaf& leaf : tree.leaves) {
    leaf.decisions.back().together ^= true;
    EXPECT_FALSE(verify(problem, tree).holds);
    leaf.decisions.back().together ^= true;
  }
}

TEST(CertificateTree, NeverHoldsAtTheOptimum) {
  std::size_t grown = 0;
  for_each_optimum(test::cases(150), random_problem_of_any_shape,
                   [&](std::uint64_t seed, const Problem& problem, double best) {
                     Chance chance(seed);
                     std::optional<Certificate> tree = random_tree(problem, problem.shape, best * (1 - 1e-6), chance);
                     if (!tree) return;
                     ++grown;
                     for (int variant = 0; variant < 6; ++variant) {
                       Certificate changed = *tree;
                       changed.limit = best * (1 + 1e-9);
                       for (Certificate::Leaf& leaf : changed.leaves) {
                         if (variant > 0) make_smaller(problem, leaf, chance);
                         if (variant > 2) leaf.devices[0].most.reset();
                         if (variant > 4)
                           leaf.classes[chance.below(leaf.classes.size())].price += chance.magnitude(10) - 100;
                       }
                       EXPECT_FALSE(verify(problem, changed).holds);
                     }
                   });
  EXPECT_GT(grown, 0u);
}

// Each number in turn made larger and smaller: what still passes proves no more than is true.
TEST(ConvexCertificate, WithAnyNumberChangedProvesNothingWrong) {
  std::size_t refused = 0;
  for_each_optimum(test::cases(50), random_shaped_problem, [&](std::uint64_t, const Problem& problem, double best) {
    const std::optional<Certificate::Leaf> leaf = prices_by_enumeration(problem, problem.shape, best * (1 - 1e-6));
    if (!leaf) return;
    const Certificate good = of_one_leaf(best * (1 - 1e-6), problem.shape, *leaf);
    const auto expect_true = [&](const auto& change) {
      Certificate certificate = good;
      change(certificate);
      refused += !verify(problem, certificate).holds;
      certificate.limit = best * (1 + 1e-9);
      EXPECT_FALSE(verify(problem, certificate).holds);
    };
    for (const std::int64_t add : {-1'000'000'000'000LL, -64LL, -1LL, 1LL, 64LL, 1'000'000'000'000LL}) {
      for (std::size_t d = 0; d < good.devices.size(); ++d) {
        expect_true([&](Certificate& c) { c.devices[d].memory_toll += add; });
        expect_true([&](Certificate& c) { c.devices[d].theta += add; });
        expect_true([&](Certificate& c) { c.devices[d].buckets += static_cast<int>(add % 1'000'000); });
        expect_true([&](Certificate& c) { *c.devices[d].most += add; });
        expect_true([&](Certificate& c) { c.devices[d].forgotten.push_back(add); });
        expect_true([&](Certificate& c) { c.devices[d].name = "no such device"; });
      }
      for (std::size_t i = 0; i < good.classes.size(); ++i) {
        expect_true([&](Certificate& c) { c.classes[i].price += add; });
        expect_true([&](Certificate& c) { c.classes[i].node += add; });
      }
    }
    for (const Shape shape : kShapes) expect_true([&](Certificate& c) { c.shape = shape; });
  });
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace partita::detail
