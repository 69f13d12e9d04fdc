// SPDX-License-Identifier: Apache-2.0
// The enumerator against all ideals: what it finds is affordable, and it finds a way on wherever there is one.
#include "partita/solve/staged/stage_enumerator.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <tuple>

#include "partita/solve/staged/staged_split.h"
#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

using Set = std::uint32_t;  // of groups: the first word of a set of bits

bool has(Set set, GroupId v) { return (set >> v.index() & 1) != 0; }

// Which stages are affordable and which ideals can be completed, by trying everything.
class Everything {
 public:
  Everything(const StageGraph& graph, const Threshold& question) : graph_(graph), question_(question) {}

  Set whole() const { return (Set{1} << graph_.size()) - 1; }

  bool affordable(Set stage, bool host, double limit) const {
    std::vector<GroupId> groups;
    double memory = 0;
    for (GroupId v : graph_.all()) {
      if (!has(stage, v)) continue;
      if (!(host ? graph_.group(v).on_host : graph_.group(v).on_accelerator)) return false;
      memory += graph_.group(v).memory;
      groups.push_back(v);
    }
    if (memory > (host ? question_.platform.host_memory : question_.platform.accelerator_memory)) return false;
    return (host ? host_load(graph_, groups) : accelerator_load(graph_, groups)) <= limit;
  }

  bool can_be_completed(Set ideal, int hosts, int accelerators) {
    if (ideal == whole()) return true;
    const auto [known, fresh] = known_.try_emplace({ideal, hosts, accelerators}, false);
    if (fresh) {
      const bool can = (accelerators > 0 && can_go_on(ideal, false, hosts, accelerators - 1)) ||
                       (hosts > 0 && can_go_on(ideal, true, hosts - 1, accelerators));
      known_[{ideal, hosts, accelerators}] = can;
      return can;
    }
    return known->second;
  }

  // Can a device of this kind take a stage, and the devices left then the rest?
  bool can_go_on(Set ideal, bool host, int hosts_left, int accelerators_left) {
    for (Set to = ideal + 1; to <= whole(); ++to) {
      if ((ideal & to) != ideal || !is_ideal(graph_, to) || !affordable(to & ~ideal, host, question_.limit)) continue;
      if (can_be_completed(to, hosts_left, accelerators_left)) return true;
    }
    return false;
  }

 private:
  const StageGraph& graph_;
  const Threshold question_;
  std::map<std::tuple<Set, int, int>, bool> known_;
};

class Enumeration {
 public:
  Enumeration(const StageGraph& graph, const Threshold& question, int buckets)
      : graph_(graph), question_(question), table_(graph.size()), all_(graph, question) {
    places_.time[0] = Windows(graph, question, {buckets, Windows::Measure::Time, true}, budget_);
    if (graph.total_memory() > question.platform.accelerator_memory)
      places_.memory = Windows(graph, question, {buckets, Windows::Measure::Memory, true}, budget_);
    enumerator_.emplace(graph, question, places_, table_, budget_);
  }

  // From the base on, all levels down: returns how many ideals were found.
  std::size_t follow(Set base, int hosts, int accelerators, int depth) {
    std::size_t count = 0;
    for (const bool host : {false, true}) {
      const int c = hosts + host, f = accelerators + !host;
      const StagePlatform& platform = question_.platform;
      if (c > platform.hosts || f > platform.accelerators) continue;
      const bool expected = all_.can_go_on(base, host, platform.hosts - c, platform.accelerators - f);
      if (enumerator_->rest_fits(bits_of(base), host)) {
        EXPECT_TRUE(expected);
        continue;  // nobody looks further then
      }
      const std::vector<Set> found = run(base, host, {c, f});
      bool way_on = false;
      for (const Set ideal : found)
        way_on = way_on || all_.can_be_completed(ideal, platform.hosts - c, platform.accelerators - f);
      EXPECT_EQ(way_on, expected) << "base " << base << ", " << (host ? "host" : "accelerator") << ", level " << c
                                  << " " << f;
      count += found.size();
      if (depth == 0) continue;
      for (std::size_t i = 0; i < found.size() && i < 3; ++i) count += follow(found[i], c, f, depth - 1);
    }
    return count;
  }

 private:
  std::vector<Word> bits_of(Set set) const { return {set}; }

  std::vector<Set> run(Set base, bool host, StageEnumerator<StageGraph>::Level level) {
    const std::vector<Word> bits = bits_of(base);
    const auto [base_hash, base_time, base_memory] = sums(base);
    const StageEnumerator<StageGraph>::Ideal from{bits, base_hash, {base_time, base_memory}};
    std::vector<Set> found;
    EXPECT_TRUE(enumerator_->run(from, host, level, [&](const StageEnumerator<StageGraph>::Ideal& one) {
      const Set ideal = static_cast<Set>(one.bits[0]);
      const auto [hash, time, memory] = sums(ideal);
      EXPECT_EQ(one.hash, hash);
      EXPECT_NEAR(one.amount[0], time, 1e-9);
      EXPECT_NEAR(one.amount[1], memory, 1e-9);
      EXPECT_TRUE(is_ideal(graph_, ideal));
      EXPECT_TRUE((ideal & base) == base && ideal != base && ideal != all_.whole());
      EXPECT_TRUE(all_.affordable(ideal & ~base, host, question_.limit * (1 + 1e-12)));
      EXPECT_EQ(std::count(found.begin(), found.end(), ideal), 0);
      found.push_back(ideal);
      return true;
    }));
    return found;
  }

  std::tuple<std::uint64_t, double, double> sums(Set set) const {
    std::uint64_t hash = 0;
    double time = 0, memory = 0;
    for (GroupId v : graph_.all()) {
      if (!has(set, v)) continue;
      hash ^= table_.key(v.index());
      time += graph_.accelerator_time(v);
      memory += graph_.group(v).memory;
    }
    return {hash, time, memory};
  }

  const StageGraph& graph_;
  const Threshold question_;
  Budget budget_;
  ViewPlaces<StageGraph> places_;
  const IdealTable table_;
  Everything all_;
  std::optional<StageEnumerator<StageGraph>> enumerator_;
};

TEST(StageEnumerator, FindsAWayOnWhereverThereIsOne) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const StageCase one = random_stage_case(seed, 7);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const double limit = best * (seed % 2 == 0 ? 1.0001 : 1.2) + 1e-6;
    found += Enumeration(one.graph, {one.platform, limit}, 1 + static_cast<int>(seed % 30)).follow(0, 0, 0, 2);
  }
  EXPECT_GT(found, 0u);
}

TEST(StageEnumerator, StopsWhenTold) {
  const StageGraph graph(IdVector<GroupId, Group>(6, Group{1, 1, 0, true, true}), {}, {});
  Budget budget;
  const Threshold question{{3, 0, 1e9, 0}, 2};
  ViewPlaces<StageGraph> places;
  places.time[0] = Windows(graph, question, {}, budget);
  const IdealTable table(6);
  StageEnumerator enumerator(graph, question, places, table, budget);
  const std::vector<Word> empty{0};
  std::size_t calls = 0;
  EXPECT_FALSE(enumerator.run({empty, 0, {}}, false, {0, 1}, [&](const auto&) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2u);
}

}  // namespace
}  // namespace partita::detail::test
