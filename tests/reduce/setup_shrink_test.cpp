// SPDX-License-Identifier: Apache-2.0
// On no class of devices does any set of groups cost more in the small graph: set by set, in exact sums.
#include "partita/reduce/setup_shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/cases.h"
#include "tests/support/random_setup.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

__extension__ using ExactSum = __float128;  // 113 bits: sums of a few products of doubles are exact

// Compute and transfers of a device of the class that holds the set.
ExactSum exact_load_on(const SetupGraph& graph, const SetupRules& rules, ClassId c, std::uint32_t set) {
  const Link& link = rules.link(c, rules.root());
  ExactSum load = 0;
  for (GroupId v : graph.all()) {
    if (set >> v.index() & 1) load += static_cast<ExactSum>(graph.time(c, v).pass[0]);
  }
  for (NetId e : graph.nets()) {
    std::size_t inside = 0;
    for (GroupId v : graph.members(e)) inside += set >> v.index() & 1;
    if (inside == 0 || inside == graph.members(e).size()) continue;
    load += static_cast<ExactSum>(link.factor) * static_cast<ExactSum>(graph.traffic(e).amount) +
            static_cast<ExactSum>(link.latency) * static_cast<ExactSum>(graph.traffic(e).transfers);
  }
  return load;
}

bool runs_on(const SetupGraph& graph, ClassId c, std::uint32_t set) {
  for (GroupId v : graph.all()) {
    if ((set >> v.index() & 1) && !graph.time(c, v).can_run) return false;
  }
  return true;
}

GroupMemory memory_of_set(const SetupGraph& graph, std::uint32_t set) {
  GroupMemory sum;
  for (GroupId v : graph.all()) {
    if (set >> v.index() & 1) sum.add(graph.memory(v));
  }
  return sum;
}

// Nets with members that no net of the large graph has together come of links.
std::size_t linked_nets(const SetupGraph& graph, const ShrunkSetups& shrunk) {
  std::size_t count = 0;
  for (NetId e : shrunk.graph.nets()) {
    const auto members = shrunk.graph.members(e);
    bool known = false;
    for (NetId f : graph.nets()) {
      std::vector<GroupId> kept;
      for (GroupId v : graph.members(f)) kept.push_back(shrunk.lift[v]);
      known |= std::ranges::all_of(members, [&](GroupId v) { return std::ranges::count(kept, v) > 0; });
    }
    count += !known;
  }
  return count;
}

TEST(SetupShrink, NoSetOfGroupsCostsMoreOnAnyClass) {
  const Budget budget;
  std::size_t changed = 0, on_two_links = 0, links = 0;
  for (std::uint64_t seed = 1; seed <= cases(600); ++seed) {
    SetupFeatures features;
    features.transfers = features.clusters = false;
    const SetupInstance instance = make_setup_instance(random_setup(seed, features));
    const SetupGraph& graph = instance.graph;
    const SetupRules& rules = instance.rules;
    if (!setups_can_shrink(rules) || graph.size() > 9) continue;
    double limit = 0;
    for (GroupId v : graph.all()) limit += graph.order().accelerator_time(v) / 3;
    for (const ShrinkDose& dose : {ShrinkDose{}, {0.01}, {0.3, 0.1}, {2}, {2, 2}, {2, 2, true}, {0.3, 0, false, 2}}) {
      const ShrunkSetups shrunk = shrink_setups(graph, rules, limit, dose, budget);
      if (!shrunk.changed()) continue;
      ++changed;
      links += linked_nets(graph, shrunk);
      on_two_links += rules.tariffs() > 1;
      for (std::uint32_t set = 0; set < 1u << graph.size(); ++set) {
        std::uint32_t kept = 0;
        for (GroupId v : graph.all()) {
          if ((set >> v.index() & 1) && shrunk.lift[v].valid()) kept |= 1u << shrunk.lift[v].index();
        }
        for (ClassId c : graph.classes()) {
          if (!runs_on(graph, c, set)) continue;
          ASSERT_TRUE(runs_on(shrunk.graph, c, kept)) << "seed " << seed;
          // Equal nets are added up, to the nearest number.
          ASSERT_LE(static_cast<double>(exact_load_on(shrunk.graph, rules, c, kept)),
                    static_cast<double>(exact_load_on(graph, rules, c, set)) * (1 + 1e-15))
              << "seed " << seed << ", doses " << dose.floaters << " " << dose.spine << ", class " << c.index();
        }
        const GroupMemory before = memory_of_set(graph, set), after = memory_of_set(shrunk.graph, kept);
        ASSERT_TRUE(after.weights <= before.weights && after.resident <= before.resident &&
                    after.activation <= before.activation && after.kept <= before.kept)
            << "seed " << seed;
        if (is_ideal(graph.order(), set)) {
          ASSERT_TRUE(is_ideal(shrunk.graph.order(), kept)) << "seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(changed, 0u);
  if (all_usual_cases()) {
    EXPECT_GT(links, 100u);
    EXPECT_GT(on_two_links, 0u);
  }
}

}  // namespace
}  // namespace partita::detail::test
