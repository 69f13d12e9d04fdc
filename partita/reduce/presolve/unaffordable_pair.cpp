// SPDX-License-Identifier: Apache-2.0
// Two groups that no device could afford to keep apart share a device.
//
// Rule. Let d be the cost of all nets that hold both u and v. If u and v are apart, u's accelerator pays at least
// time(u) + d. So if time(u) + d > limit, either u is on a host or u and v are together. Hence join them
//   - if u fits no host, or
//   - if the same holds of v and there is at most one host: they cannot both be on hosts and yet apart.
// Any number of such pairs may be joined at once: each join holds in every split within the limit.
// Tests: tests/reduce/presolve_test.cpp, tests/property.
#include "partita/reduce/presolve/unaffordable_pair.h"

#include <algorithm>
#include <tuple>

namespace partita::detail {
namespace {

// Pairs of a net grow with its square. Beyond this size a net is looked at by itself, not summed up with others.
constexpr std::size_t kLargeNet = 24;

struct PairCost {
  GroupId u, v;
  double cost;
};

std::vector<PairCost> shared_net_costs(const StageGraph& graph) {
  std::vector<PairCost> pairs;
  for (NetId e : graph.nets()) {
    const auto members = graph.members(e);
    if (members.size() > kLargeNet) continue;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t j = i + 1; j < members.size(); ++j) pairs.push_back({members[i], members[j], graph.cost(e)});
    }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const PairCost& a, const PairCost& b) { return std::tie(a.u, a.v) < std::tie(b.u, b.v); });
  std::size_t kept = 0;
  for (const PairCost& pair : pairs) {
    if (kept > 0 && pairs[kept - 1].u == pair.u && pairs[kept - 1].v == pair.v) {
      pairs[kept - 1].cost += pair.cost;
    } else {
      pairs[kept++] = pair;
    }
  }
  pairs.resize(kept);
  return pairs;
}

}  // namespace

std::size_t join_unaffordable_pairs(const StageGraph& graph, const Threshold& question, UnionFind<GroupId>& merge,
                                    GroupPairs* joined) {
  std::size_t joins = 0;
  const auto join = [&](GroupId u, GroupId v) {
    if (!merge.join(u, v)) return;
    ++joins;
    if (joined) joined->emplace_back(u, v);
  };
  const auto pays_too_much = [&](GroupId u, double cost) { return graph.accelerator_time(u) + cost > question.limit; };
  const auto stuck = [&](GroupId u, double cost) {
    return pays_too_much(u, cost) && !question.fits_host(graph.group(u));
  };

  for (const auto& [u, v, cost] : shared_net_costs(graph)) {
    const bool both_pay = question.platform.hosts <= 1 && pays_too_much(u, cost) && pays_too_much(v, cost);
    if (stuck(u, cost) || stuck(v, cost) || both_pay) join(u, v);
  }
  for (NetId e : graph.nets()) {
    const auto members = graph.members(e);
    if (members.size() <= kLargeNet) continue;
    const auto u = std::find_if(members.begin(), members.end(), [&](GroupId m) { return stuck(m, graph.cost(e)); });
    if (u == members.end()) continue;
    for (GroupId v : members) join(*u, v);
  }
  return joins;
}

}  // namespace partita::detail
