// SPDX-License-Identifier: Apache-2.0
// Windows against all ideals of small graphs: nothing that a split within the limit uses is ever ruled out.
#include "partita/reduce/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

using Set = std::uint32_t;

bool has(Set set, GroupId v) { return (set >> v.index() & 1) != 0; }

// All ideals, all stages within the limit, and the ideals that lie on a split within the limit at each level.
class AllIdeals {
 public:
  AllIdeals(const StageGraph& graph, const Threshold& question)
      : graph_(graph), question_(question), whole_((Set{1} << graph.size()) - 1) {
    for (Set set = 0; set <= whole_; ++set) {
      if (is_ideal(graph_, set)) ideals.push_back(set);
    }
    for (const bool host : {false, true}) {
      affordable_[host].assign(whole_ + std::size_t{1}, 0);
      for (const Set from : ideals) {
        for (const Set to : ideals) {
          if ((from & to) == from) affordable_[host][to & ~from] = fits(to & ~from, host);
        }
      }
    }
    find_alive();
  }

  bool affordable(Set from, Set to, bool host) const { return affordable_[host][to & ~from]; }
  const std::vector<char>& alive(int hosts, int accelerators) const { return alive_[level(hosts, accelerators)]; }
  bool feasible() const { return alive(0, 0)[0]; }
  Set whole() const { return whole_; }

  std::vector<Set> ideals;

 private:
  std::size_t level(int hosts, int accelerators) const {
    return static_cast<std::size_t>(hosts) * (question_.platform.accelerators + 1) + accelerators;
  }

  bool fits(Set set, bool host) const {
    double load = 0, memory = 0;
    for (GroupId v : graph_.all()) {
      if (!has(set, v)) continue;
      const Group& g = graph_.group(v);
      if (!(host ? g.on_host : g.on_accelerator)) return false;
      load += host ? g.host_time : g.accelerator_time;
      memory += g.memory;
    }
    for (NetId e : graph_.nets()) {
      std::size_t inside = 0;
      for (GroupId v : graph_.members(e)) inside += has(set, v);
      if (!host && inside > 0 && inside < graph_.members(e).size()) load += graph_.cost(e);
    }
    const StagePlatform& platform = question_.platform;
    // Loads just below the limit are for rounding to decide.
    return load <= question_.limit * (1 - 1e-9) &&
           memory <= (host ? platform.host_memory : platform.accelerator_memory);
  }

  // May a device of the kind take the stage? Accelerators may idle; so may hosts, but for the host of a case.
  bool step(Set from, Set to, bool host) const {
    if ((from & to) != from) return false;
    if (from == to) return !host || !question_.host_case;
    return affordable(from, to, host);
  }

  void find_alive() {
    const int k = question_.platform.accelerators, l = question_.platform.hosts;
    const std::vector<char> none(whole_ + std::size_t{1}, 0);
    std::vector<std::vector<char>> reached((k + 1) * (l + 1), none);
    alive_ = reached;
    const auto host_here = [&](int f) { return !question_.host_case || question_.host_case->most == f; };
    const auto accelerator_here = [&](int c, int f) {
      return !question_.host_case || c > 0 || f < question_.host_case->most;
    };
    reached[level(0, 0)][0] = 1;
    for (int c = 0; c <= l; ++c) {
      for (int f = 0; f <= k; ++f) {
        for (const Set from : ideals) {
          if (!reached[level(c, f)][from]) continue;
          for (const Set to : ideals) {
            if (f < k && accelerator_here(c, f) && step(from, to, false)) reached[level(c, f + 1)][to] = 1;
            if (c < l && host_here(f) && step(from, to, true)) reached[level(c + 1, f)][to] = 1;
          }
        }
      }
    }
    for (int c = l; c >= 0; --c) {
      for (int f = k; f >= 0; --f) {
        for (const Set from : ideals) {
          if (!reached[level(c, f)][from]) continue;
          bool ends = c == l && f == k && from == whole_;
          for (const Set to : ideals) {
            ends = ends || (f < k && accelerator_here(c, f) && alive_[level(c, f + 1)][to] && step(from, to, false)) ||
                   (c < l && host_here(f) && alive_[level(c + 1, f)][to] && step(from, to, true));
          }
          alive_[level(c, f)][from] = ends;
        }
      }
    }
  }

  const StageGraph& graph_;
  const Threshold& question_;
  const Set whole_;
  std::vector<char> affordable_[2];
  std::vector<std::vector<char>> alive_;
};

std::pair<int, int> places_of(const StageGraph& graph, const Windows& windows, Windows::Measure measure, Set ideal,
                              Set whole) {
  if (ideal == 0) return {0, 0};
  if (ideal == whole) return {windows.last_place(), windows.last_place()};
  double sum = 0;
  for (GroupId v : graph.all()) {
    if (has(ideal, v)) sum += measure == Windows::Measure::Time ? graph.accelerator_time(v) : graph.group(v).memory;
  }
  return windows.places_of(sum);
}

struct WindowsCase {
  StageCase one;
  Threshold question;
  Windows::Options options;
};

// Limits from hopeless to generous, few and many buckets, both measures, with flows and without, cases of one host.
std::vector<WindowsCase> window_cases(std::uint64_t seed) {
  std::vector<WindowsCase> result;
  const StageCase one = random_stage_case(seed, 7);
  const double best = least_value(one.graph, one.platform);
  for (const double factor : {0.7, 1.01, 1.5}) {
    const double limit = best == kNoSplit ? 20 * factor : best * factor + 0.001;
    Windows::Options options;
    options.buckets = 1 + static_cast<int>(seed * 7 % 37);
    options.measure = seed % 2 == 0 ? Windows::Measure::Time : Windows::Measure::Memory;
    options.flows = seed % 3 != 0;
    result.push_back({one, {one.platform, limit}, options});
    if (one.platform.hosts != 1) continue;
    result.push_back(result.back());
    const int before = static_cast<int>(seed % static_cast<std::uint64_t>(one.platform.accelerators + 1));
    result.back().question.host_case = {before, before};
  }
  return result;
}

template <class Look>
void for_all_windows(Look look) {
  for (std::uint64_t seed = 1; seed <= cases(250); ++seed) {
    for (const WindowsCase& c : window_cases(seed)) {
      const Budget budget;
      Windows windows(c.one.graph, c.question, c.options, budget);
      const AllIdeals all(c.one.graph, c.question);
      look(c, windows, all, "seed " + std::to_string(seed) + ", limit " + std::to_string(c.question.limit));
    }
  }
}

TEST(Windows, SayInfeasibleOnlyWhereNoSplitIsWithinTheLimit) {
  std::size_t refuted = 0;
  for_all_windows([&](const WindowsCase&, const Windows& windows, const AllIdeals& all, const std::string& where) {
    refuted += !windows.feasible();
    if (all.feasible()) {
      EXPECT_TRUE(windows.feasible()) << where;
    }
  });
  EXPECT_GT(refuted, 0u);
}

TEST(Windows, AllowThePlacesOfEverySplitWithinTheLimit) {
  for_all_windows([&](const WindowsCase& c, const Windows& windows, const AllIdeals& all, const std::string& where) {
    for (int hosts = 0; hosts <= c.question.platform.hosts; ++hosts) {
      for (int accelerators = 0; accelerators <= c.question.platform.accelerators; ++accelerators) {
        const auto [first, last] = windows.allowed_range(hosts, accelerators);
        for (const Set ideal : all.ideals) {
          if (!all.alive(hosts, accelerators)[ideal]) continue;
          const auto [low, high] = places_of(c.one.graph, windows, c.options.measure, ideal, all.whole());
          EXPECT_TRUE(windows.allowed(hosts, accelerators, low) || windows.allowed(hosts, accelerators, high)) << where;
          if (ideal != 0 && ideal != all.whole()) {
            EXPECT_TRUE(first <= high && low <= last) << where;
          }
        }
      }
    }
  });
}

TEST(Windows, KnowWhatIsSurelyInAndSurelyOut) {
  for_all_windows([&](const WindowsCase& c, const Windows& windows, const AllIdeals& all, const std::string& where) {
    for (const Set ideal : all.ideals) {
      const auto [low, high] = places_of(c.one.graph, windows, c.options.measure, ideal, all.whole());
      for (GroupId v : c.one.graph.all()) {
        EXPECT_TRUE(has(ideal, v) || windows.entry(v) > high) << where;
        EXPECT_TRUE(!has(ideal, v) || windows.exit(v) < low) << where;
      }
    }
  });
}

TEST(Windows, LetEveryAffordableStageThrough) {
  std::size_t stopped = 0;
  for_all_windows([&](const WindowsCase& c, Windows& windows, const AllIdeals& all, const std::string& where) {
    for (const Set from : all.ideals) {
      for (const Set to : all.ideals) {
        if ((from & to) != from || from == to) continue;
        const auto [from_low, from_high] = places_of(c.one.graph, windows, c.options.measure, from, all.whole());
        const auto [to_low, to_high] = places_of(c.one.graph, windows, c.options.measure, to, all.whole());
        const bool accelerator =
            windows.accelerator_step(from_low, to_low) && windows.accelerator_step(from_high, to_high);
        const bool host = windows.host_step(from_low, to_low) && windows.host_step(from_high, to_high);
        stopped += !accelerator + !host;
        if (c.question.platform.accelerators > 0 && all.affordable(from, to, false)) {
          EXPECT_TRUE(accelerator) << where;
        }
        if (c.question.platform.hosts > 0 && all.affordable(from, to, true)) {
          EXPECT_TRUE(host) << where;
        }
      }
    }
  });
  EXPECT_GT(stopped, 0u);
}

TEST(Windows, JoinOnlyWhatNoSplitWithinTheLimitSeparates) {
  std::size_t joins = 0;
  for_all_windows([&](const WindowsCase& c, const Windows& windows, const AllIdeals& all, const std::string& where) {
    if (!windows.feasible()) return;
    UnionFind<GroupId> merge(c.one.graph.size());
    joins += windows.join_never_separated(merge);
    for (int hosts = 0; hosts <= c.question.platform.hosts; ++hosts) {
      for (int accelerators = 0; accelerators <= c.question.platform.accelerators; ++accelerators) {
        for (const Set ideal : all.ideals) {
          if (!all.alive(hosts, accelerators)[ideal]) continue;
          for (GroupId v : c.one.graph.all()) EXPECT_EQ(has(ideal, v), has(ideal, merge.find(v))) << where;
        }
      }
    }
  });
  EXPECT_GT(joins, 0u);
}

TEST(Windows, KeepOffHostsOnlyWhatNoSplitWithinTheLimitPutsThere) {
  std::size_t kept_off = 0;
  for_all_windows([&](const WindowsCase& c, const Windows& windows, const AllIdeals& all, const std::string& where) {
    const int l = c.question.platform.hosts, k = c.question.platform.accelerators;
    Set on_host = 0;
    for (int hosts = 0; hosts < l; ++hosts) {
      for (int accelerators = 0; accelerators <= k; ++accelerators) {
        if (c.question.host_case && accelerators != c.question.host_case->most) continue;
        for (const Set from : all.ideals) {
          for (const Set to : all.ideals) {
            if ((from & to) != from || !all.alive(hosts, accelerators)[from] || !all.alive(hosts + 1, accelerators)[to])
              continue;
            if (all.affordable(from, to, true)) on_host |= to & ~from;
          }
        }
      }
    }
    for (GroupId v : c.one.graph.all()) {
      const bool can = windows.feasible() && windows.can_be_on_host(v);
      if (has(on_host, v)) {
        EXPECT_TRUE(can) << where;
      }
      kept_off += !can && c.question.fits_host(c.one.graph.group(v));
    }
  });
  EXPECT_GT(kept_off, 0u);
}

TEST(Windows, RefuteNothingForLackOfBudget) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const StageCase one = random_stage_case(seed, 7);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit) continue;
    const Budget budget(Budget::Limits{.ticks = 0});
    EXPECT_TRUE(Windows(one.graph, {one.platform, best * 1.001 + 0.001}, {}, budget).feasible()) << "seed " << seed;
  }
}

// Nothing to measure, nothing to hold: no division by the total, and one place is as good as another.
TEST(Windows, StandAGraphWithoutWork) {
  const StageGraph graph(IdVector<GroupId, Group>(3), {{GroupId(0), GroupId(1)}}, {});
  const Budget budget;
  for (const Windows::Measure measure : {Windows::Measure::Time, Windows::Measure::Memory}) {
    const Windows windows(graph, {{2, 0, 0, 0}, 0}, {8, measure, true}, budget);
    EXPECT_TRUE(windows.feasible());
    EXPECT_TRUE(windows.allowed(0, 1, windows.places_of(0).first));
  }
}

}  // namespace
}  // namespace partita::detail::test
