// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pass_graphs.h"

#include <algorithm>
#include <limits>
#include <random>

#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

using Points = std::vector<PassPoint>;

void add_point(Points& points, const PassPoint& p) {
  for (const PassPoint& q : points) {
    if (q.forward <= p.forward && q.backward <= p.backward) return;
  }
  std::erase_if(points, [&](const PassPoint& q) { return p.forward <= q.forward && p.backward <= q.backward; });
  points.push_back(p);
}

double stage_load(const StageGraph& graph, std::uint32_t set, bool host) {
  const auto has = [&](GroupId v) { return (set >> v.index() & 1) != 0; };
  double load = 0;
  for (GroupId v : graph.all()) {
    if (has(v)) load += host ? graph.group(v).host_time : graph.group(v).accelerator_time;
  }
  for (NetId e : graph.nets()) {
    std::size_t inside = 0;
    for (GroupId v : graph.members(e)) inside += has(v);
    if (!host && inside > 0 && inside < graph.members(e).size()) load += graph.cost(e);
  }
  return load;
}

bool can_hold(const StageGraph& graph, const StagePlatform& platform, std::uint32_t set, bool host) {
  double memory = 0;
  for (GroupId v : graph.all()) {
    if ((set >> v.index() & 1) == 0) continue;
    if (!(host ? graph.group(v).on_host : graph.group(v).on_accelerator)) return false;
    memory += graph.group(v).memory;
  }
  return memory <= (host ? platform.host_memory : platform.accelerator_memory);
}

PassCase dealt_to_passes(const StageCase& one, std::uint64_t seed) {
  std::mt19937_64 rng(seed * 7919 + 1);
  const auto draw = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(rng); };
  const int style = draw(8);  // 0: all forward, 1: all backward, 2 and 3: much alike everywhere, else anything
  const auto forward_share = [&] {
    if (style == 0) return 1.0;
    if (style == 1) return 0.0;
    if (style <= 3) return draw(3) == 0 ? 0.5 : 0.25;
    return draw(3) == 0 ? draw(5) / 4.0 : draw(2);
  };
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::array<IdVector<GroupId, Group>, kPasses> groups;
  std::array<std::vector<Net>, kPasses> nets;
  for (GroupId v : one.graph.all()) {
    for (GroupId w : one.graph.successors(v)) precedence.emplace_back(v, w);
    const double share = forward_share();
    for (std::size_t p = 0; p < kPasses; ++p) {
      Group g = one.graph.group(v);
      g.accelerator_time *= p == 0 ? share : 1 - share;
      g.host_time *= p == 0 ? share : 1 - share;
      groups[p].push_back(g);
    }
  }
  for (NetId e : one.graph.nets()) {
    const double share = forward_share();
    const auto members = one.graph.members(e);
    for (std::size_t p = 0; p < kPasses; ++p)
      nets[p].push_back({one.graph.cost(e) * (p == 0 ? share : 1 - share), {members.begin(), members.end()}});
  }
  PassCase result{{one.graph, {}}, one.platform};
  for (std::size_t p = 0; p < kPasses; ++p)
    result.graphs.pass[p] = StageGraph(std::move(groups[p]), precedence, std::move(nets[p]));
  return result;
}

}  // namespace

PassCase random_pass_case(std::uint64_t seed, int most) { return dealt_to_passes(random_stage_case(seed, most), seed); }
PassCase sums_pass_case(std::uint64_t seed, int most) { return dealt_to_passes(sums_stage_case(seed, most), seed); }

std::vector<PassPoint> best_points(const PassGraphs& graphs, const StagePlatform& platform) {
  const std::uint32_t whole = (std::uint32_t{1} << graphs.size()) - 1;
  std::vector<std::uint32_t> ideals;
  for (std::uint32_t set = 0; set <= whole; ++set) {
    if (is_ideal(graphs.both, set)) ideals.push_back(set);
  }
  // by hosts, accelerators, ideal; devices added one at a time, and a device may stay empty
  const int k = platform.accelerators, l = platform.hosts;
  std::vector<std::vector<Points>> best((k + 1) * (l + 1), std::vector<Points>(std::size_t{1} << graphs.size()));
  for (auto& level : best) level[0].push_back({0, 0});
  for (const std::uint32_t to : ideals) {
    for (const std::uint32_t from : ideals) {
      if ((from & to) != from) continue;
      for (const bool host : {false, true}) {
        const std::uint32_t stage = to & ~from;
        if (!can_hold(graphs.both, platform, stage, host)) continue;
        const double forward = stage_load(graphs.pass[0], stage, host);
        const double backward = stage_load(graphs.pass[1], stage, host);
        // An ideal's subsets come before it, but for empty stages, which the levels below take care of.
        for (int c = host ? 1 : 0; c <= l; ++c) {
          for (int f = host ? 0 : 1; f <= k; ++f) {
            const Points& before = best[(c - host) * (k + 1) + f - !host][from];
            for (const PassPoint& p : Points(before))
              add_point(best[c * (k + 1) + f][to], {std::max(p.forward, forward), std::max(p.backward, backward)});
          }
        }
      }
    }
  }
  return best.back()[whole];
}

bool has_split_within(const PassGraphs& graphs, const PassQuestion& question) {
  const StagePlatform& platform = question.both.platform;
  const std::uint32_t whole = (std::uint32_t{1} << graphs.size()) - 1;
  const auto fits = [&](std::uint32_t stage, bool host) {
    return can_hold(graphs.both, platform, stage, host) &&
           stage_load(graphs.both, stage, host) <= question.both.limit &&
           stage_load(graphs.pass[0], stage, host) <= question.pass[0].limit &&
           stage_load(graphs.pass[1], stage, host) <= question.pass[1].limit;
  };
  // by hosts and accelerators in use; every device holds something
  const int k = platform.accelerators, l = platform.hosts;
  std::vector<std::vector<char>> held((k + 1) * (l + 1), std::vector<char>(std::size_t{whole} + 1, 0));
  held[0][0] = 1;
  for (std::uint32_t to = 1; to <= whole; ++to) {
    if (!is_ideal(graphs.both, to)) continue;
    for (std::uint32_t from = (to - 1) & to;; from = (from - 1) & to) {
      for (const bool host : {false, true}) {
        if (!fits(to & ~from, host)) continue;
        for (int c = host ? 1 : 0; c <= l; ++c) {
          for (int f = host ? 0 : 1; f <= k; ++f) {
            if (held[(c - host) * (k + 1) + f - !host][from]) held[c * (k + 1) + f][to] = 1;
          }
        }
      }
      if (from == 0) break;
    }
  }
  return std::any_of(held.begin(), held.end(), [&](const auto& level) { return level[whole] != 0; });
}

double least_gpipe_value(const std::vector<PassPoint>& points) {
  double least = std::numeric_limits<double>::infinity();
  for (const PassPoint& p : points) least = std::min(least, p.forward + p.backward);
  return least;
}

}  // namespace partita::detail::test
