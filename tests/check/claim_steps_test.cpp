// SPDX-License-Identifier: Apache-2.0
// Steps of certificates: whatever split is within the limit still is, on what the steps leave; and certificates with
// steps never hold for a limit within which there is a split.
#include "partita/check/claim_steps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "partita/read/certificate.h"
#include "partita/report/certificate_json.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/prices_by_enumeration.h"
#include "tests/support/random_workload.h"

namespace partita::detail {
namespace {

using Nodes = std::vector<std::int64_t>;
const Shape kAllShapes[] = {Shape::Staged, Shape::Contiguous, Shape::Free};

// At most three devices, so that every assignment can be looked at.
Problem problem_of_few_devices(std::uint64_t seed) {
  Problem problem{random_workload(seed)};
  problem.shape = kAllShapes[seed % 3];
  problem.backward_shape = seed % 4 == 0;
  auto& classes = problem.workload.change().platform.classes;
  const int hosts = static_cast<int>(seed / 3 % 3 == 2 ? 2 : seed / 3 % 3);
  for (DeviceClass& device : classes) device.count = device.kind == DeviceKind::Host ? hosts : 3 - hosts;
  return problem;
}

ClaimInstance after_steps(const Problem& problem, const Certificate& certificate, bool& taken) {
  ClaimInstance instance = claim_instance(problem, certificate);
  Budget budget;
  taken = take_steps(problem, certificate, instance, budget).holds;
  return instance;
}

class StepMaker {
 public:
  StepMaker(const Problem& problem, std::uint64_t seed) : problem_(problem), random_(seed) {}

  // Adds steps that are taken, and counts them.
  void add_steps(Certificate& certificate, std::size_t tries) {
    for (; tries > 0; --tries) {
      bool taken = false;
      const ClaimInstance now = after_steps(problem_, certificate, taken);
      ASSERT_TRUE(taken);
      if (now.groups.size() < 2) return;
      certificate.steps.push_back(below(2) == 0 ? random_join(now) : random_removal(now));
      after_steps(problem_, certificate, taken);
      (certificate.steps.back().join ? joins : removals) += taken;
      if (taken) {
        for (const Certificate::Step::Link& link : certificate.steps.back().links)
          links += link.a != link.b && link.cost > 0;
      }
      if (!taken) certificate.steps.pop_back();
    }
  }

  std::size_t joins = 0, removals = 0, links = 0;

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  Certificate::Step random_join(const ClaimInstance& now) {
    Certificate::Step step;
    step.node = now.groups[below(now.groups.size())].node;
    step.join = now.groups[below(now.groups.size())].node;
    return step;
  }

  Certificate::Step random_removal(const ClaimInstance& now) {
    const std::size_t group = below(now.groups.size());
    Certificate::Step step;
    step.node = now.groups[group].node;
    std::vector<Nodes> transfers;
    for (const ClaimInstance::Transfer& transfer : now.transfers) {
      if (std::count(transfer.members.begin(), transfer.members.end(), group) == 0) continue;
      Nodes& others = transfers.emplace_back();
      for (const std::size_t g : transfer.members) {
        if (g != group) others.push_back(now.groups[g].node);
      }
    }
    std::shuffle(transfers.begin(), transfers.end(), random_);
    for (const Nodes& transfer : transfers) {
      if (below(3) > 0) step.shifts.push_back({transfer, transfer[below(transfer.size())]});
    }
    if (transfers.empty() || below(4) == 0) return step;
    for (std::size_t i = below(4); i > 0; --i) {  // a transfer with itself at times, or for more than it costs
      const auto cost = static_cast<std::int64_t>(below(2) == 0 ? random_() % (kLoadUnits / 4) : random_() % 1000);
      step.links.push_back(
          {transfers[below(transfers.size())], transfers[below(transfers.size())], below(8) == 0 ? -cost : cost, {}});
      if (below(3) == 0) step.links.back().without = {now.groups[below(now.groups.size())].node};
    }
    if (below(3) == 0) return step;
    step.bridge = transfers[0];
    for (std::size_t i = below(2); i < transfers.size(); ++i) step.into.push_back(transfers[i]);  // the bridge at times
    if (below(4) == 0) step.into.push_back(transfers.back());
    return step;
  }

  const Problem& problem_;
  std::mt19937_64 random_;
};

std::int64_t load_of(const ClaimInstance& instance, const std::vector<char>& set, std::size_t c) {
  std::int64_t load = 0;
  for (std::size_t g = 0; g < set.size(); ++g) load += set[g] ? instance.groups[g].on[c].load : 0;
  for (const ClaimInstance::Transfer& transfer : instance.transfers) {
    const auto inside = std::count_if(transfer.members.begin(), transfer.members.end(), [&](auto g) { return set[g]; });
    if (inside > 0 && inside < static_cast<std::ptrdiff_t>(transfer.members.size())) load += transfer.load[c];
  }
  return load;
}

bool may_hold(const ClaimInstance& instance, const std::vector<char>& set, std::size_t c) {
  for (std::size_t g = 0; g < set.size(); ++g) {
    if (set[g] && !instance.groups[g].on[c].may_be_held) return false;
  }
  return load_of(instance, set, c) <= kLoadLimit;
}

bool convex(const ClaimInstance& instance, const std::vector<char>& set) {
  std::vector<char> in(instance.points, 0), left(instance.points, 0);
  for (NodeId v : instance.point_of.all()) {
    if (instance.point_of[v] != ClaimInstance::kNone) in[instance.point_of[v]] = set[instance.group_of[v]];
  }
  for (std::size_t round = 0; round <= instance.points; ++round) {
    for (const auto& [u, v] : instance.arcs) {
      if (left[u] && in[v]) return false;
      if ((in[u] || left[u]) && !in[v]) left[v] = 1;
    }
  }
  return true;
}

TEST(ClaimSteps, KeepEverySplitWithinTheLimit) {
  std::size_t splits = 0, joins = 0, removals = 0, links = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(120); ++seed) {
    const Problem problem = problem_of_few_devices(seed);
    const std::optional<double> best = brute_force(problem);
    if (!best || *best <= 0) continue;
    Certificate certificate;
    certificate.shape = problem.shape;
    certificate.limit = *best * (1 + 1e-9) * (seed % 5 == 0 ? 1.5 : 1);
    StepMaker maker(problem, seed);
    maker.add_steps(certificate, 6);
    joins += maker.joins;
    removals += maker.removals;
    links += maker.links;
    const ClaimInstance before = claim_instance(problem, certificate);
    bool taken = false;
    const ClaimInstance after = after_steps(problem, certificate, taken);
    ASSERT_TRUE(taken);
    const Platform& platform = problem.workload->platform;
    std::vector<std::size_t> class_of;  // by device, as in the instance
    for (std::size_t c = 0; c < before.devices.size(); ++c)
      class_of.insert(class_of.end(), static_cast<std::size_t>(platform.classes[before.devices[c]].count), c);
    std::size_t assignments = 1;
    for (std::size_t g = 0; g < before.groups.size(); ++g) assignments *= class_of.size();
    for (std::size_t code = 0; code < assignments; ++code) {
      std::vector<std::size_t> device(before.groups.size());
      for (std::size_t g = 0, rest = code; g < device.size(); ++g, rest /= class_of.size())
        device[g] = rest % class_of.size();
      const auto sets_of = [&](std::size_t d, std::vector<char>& old_set, std::vector<char>& new_set) {
        old_set.assign(before.groups.size(), 0);
        new_set.assign(after.groups.size(), 0);
        bool whole = true;
        for (NodeId v : before.group_of.all()) {
          const bool here = device[before.group_of[v]] == d;
          if (here) old_set[before.group_of[v]] = 1;
          if (here && after.group_of[v] != ClaimInstance::kNone) new_set[after.group_of[v]] = 1;
        }
        for (NodeId v : before.group_of.all()) {
          const bool here = device[before.group_of[v]] == d;
          if (!here && after.group_of[v] != ClaimInstance::kNone && new_set[after.group_of[v]]) whole = false;
        }
        return whole;
      };
      std::vector<char> old_set, new_set;
      bool within = true;
      for (std::size_t d = 0; d < class_of.size() && within; ++d) {
        sets_of(d, old_set, new_set);
        within = may_hold(before, old_set, class_of[d]);
      }
      if (!within) continue;
      std::vector<std::size_t> device_of;
      for (NodeId v : before.group_of.all()) device_of.push_back(device[before.group_of[v]]);
      const Evaluation evaluation = evaluate_by_definition(problem, device_of);
      if (!evaluation.shape_ok || !evaluation.memory_ok) continue;
      ++splits;
      for (std::size_t d = 0; d < class_of.size(); ++d) {
        ASSERT_TRUE(sets_of(d, old_set, new_set)) << "seed " << seed << ": apart what was joined";
        EXPECT_LE(load_of(after, new_set, class_of[d]), load_of(before, old_set, class_of[d])) << "seed " << seed;
        EXPECT_TRUE(may_hold(after, new_set, class_of[d])) << "seed " << seed;
        EXPECT_TRUE(convex(after, new_set)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(splits, 0u);
  EXPECT_GT(joins, 0u);
  EXPECT_GT(removals, 0u);
  EXPECT_GT(links, test::cases(120) / 4);
}

// a - v - b, where v weighs nothing: v's transfers of 3 and 5 pay for one of at most 3 between a and b, whatever the
// step says, and twice the same transfer, or one that is not there, pays for nothing.
TEST(ClaimSteps, ALinkCostsAtMostWhatItsTransfersPay) {
  Problem problem{graph_from_text("a 20 -; v 0 -; b 20 -; a -> v : 3; v -> b : 5")};
  problem.shape = Shape::Free;
  const auto cost_between = [&](const Nodes& a, const Nodes& b, std::int64_t cost) {
    Certificate certificate;
    certificate.shape = Shape::Free;
    certificate.limit = 32;
    Certificate::Step step;
    step.node = 2;
    step.links.push_back({a, b, cost, {}});
    certificate.steps.push_back(step);
    bool taken = false;
    const ClaimInstance after = after_steps(problem, certificate, taken);
    EXPECT_TRUE(taken);
    return after.transfers.empty() ? 0 : after.transfers.front().load.front();
  };
  const std::int64_t unit = kLoadUnits / 32;
  EXPECT_EQ(cost_between({1}, {3}, unit), unit);
  EXPECT_LE(cost_between({1}, {3}, 4 * unit), 3 * unit);
  EXPECT_GE(cost_between({1}, {3}, kLoadUnits), 3 * unit - 2);
  EXPECT_EQ(cost_between({1}, {3}, -unit), 0);
  EXPECT_EQ(cost_between({1}, {1}, unit), 0);
  EXPECT_EQ(cost_between({1}, {1, 3}, unit), 0);
}

// One step may ask for more than the limits allow, so they are looked at between its links.
TEST(ClaimSteps, LinksOfOneStepKeepToTheLimits) {
  std::string text = "v 0 -";
  constexpr int kReaders = 40;
  for (int i = 0; i < kReaders; ++i) text += fmt::format("; u{0} 1 -; u{0} -> v : 1", i);
  const Problem problem{graph_from_text(text), {.shape = Shape::Free}};
  Certificate certificate;
  certificate.shape = Shape::Free;
  certificate.limit = 2;
  Certificate::Step& step = certificate.steps.emplace_back();
  step.node = 1;
  for (std::int64_t a = 0; a < kReaders; ++a) {
    for (std::int64_t b = 0; b < a; ++b) step.links.push_back({{a + 2}, {b + 2}, kLoadUnits / 1000, {}});
  }
  for (const bool enough : {false, true}) {
    ClaimInstance instance = claim_instance(problem, certificate);
    Budget budget(Budget::Limits{.memory_bytes = enough ? 10'000'000u : 100'000u});
    const CertificateVerdict verdict = take_steps(problem, certificate, instance, budget);
    EXPECT_EQ(verdict.holds, enough) << verdict.reason;
    EXPECT_EQ(verdict.undecided, !enough);
  }
}

// Prices for all sets of what the steps leave; nothing where there are none.
bool add_prices(const Problem& problem, Certificate& certificate) {
  bool taken = false;
  const ClaimInstance instance = after_steps(problem, certificate, taken);
  if (!taken) return false;
  std::vector<DeviceSets> devices;
  for (std::size_t c = 0; c < instance.devices.size(); ++c) {
    const ClassId id = instance.devices[c];
    DeviceSets& here = devices.emplace_back(DeviceSets{id.index(), problem.workload->platform.classes[id].count, {}});
    for (std::uint32_t bits = 0; bits < 1u << instance.groups.size(); ++bits) {
      std::vector<char> set(instance.groups.size());
      for (std::size_t g = 0; g < set.size(); ++g) set[g] = bits >> g & 1;
      if (may_hold(instance, set, c) && convex(instance, set)) here.sets.push_back(std::move(set));
    }
  }
  const std::optional<SeparatingPrices> found = separating_prices(devices, instance.groups.size());
  if (!found) return false;
  for (std::size_t g = 0; g < instance.groups.size(); ++g)
    certificate.classes.push_back({instance.groups[g].node, found->prices[g]});
  for (std::size_t d = 0; d < devices.size(); ++d) {
    Certificate::Devices& of_class = certificate.devices.emplace_back();
    of_class.name = problem.workload->platform.classes[ClassId(devices[d].device_class)].name;
    of_class.buckets = 1'000'000;
    of_class.most = found->most[d];
  }
  return true;
}

TEST(ClaimSteps, WithPricesProveBoundsAndNothingWrong) {
  std::size_t held = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(120); ++seed) {
    Problem problem{random_workload(seed)};
    problem.shape = kAllShapes[seed % 3];
    problem.backward_shape = seed % 4 == 0;
    const std::optional<double> best = brute_force(problem);
    if (!best || *best <= 0) continue;
    for (const double share : {0.8, 1 - 1e-4}) {
      Certificate certificate;
      certificate.shape = problem.shape;
      certificate.limit = *best * share;
      StepMaker(problem, seed).add_steps(certificate, 3);
      if (certificate.steps.empty() || !add_prices(problem, certificate)) continue;
      Certificate copy = parse_certificate(certificate_json(problem, certificate), "test");
      const CertificateVerdict verdict = verify(problem, copy);
      EXPECT_TRUE(verdict.holds) << "seed " << seed << ": " << verdict.reason << "\n" << describe(*problem.workload);
      ++held;
      copy.limit = *best * (1 + 1e-9);
      EXPECT_FALSE(verify(problem, copy).holds) << "seed " << seed << "\n" << describe(*problem.workload);
      // A step less, or another node in one, proves the same or nothing.
      std::mt19937_64 random(seed);
      for (int variant = 0; variant < 4; ++variant) {
        Certificate changed = certificate;
        changed.limit = variant % 2 == 0 ? certificate.limit : copy.limit;
        Certificate::Step& step = changed.steps[random() % changed.steps.size()];
        const auto& nodes = problem.workload->graph.nodes;
        step.node = nodes[NodeId(random() % nodes.size())].original_id;
        if (!step.links.empty() && variant == 0) {
          Certificate::Step::Link& link = step.links[random() % step.links.size()];
          link.cost = static_cast<std::int64_t>(random() % (4 * kLoadUnits));
          std::swap(link.a, step.links[random() % step.links.size()].b);
          step.links.push_back(link);
        }
        if (variant > 1) step.join = nodes[NodeId(random() % nodes.size())].original_id;
        EXPECT_FALSE(verify(problem, changed).holds && changed.limit > *best) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(held, 0u);
}

}  // namespace
}  // namespace partita::detail
