// SPDX-License-Identifier: Apache-2.0
// Cheap neighbour. Let w be the only successor of v in the transitive reduction, or the only predecessor. Moving v to
// the stage W of w keeps the order valid, at every level of clusters: what precedes v is in v's stage A or before it,
// hence before W, and what follows v follows w. v must be able to run wherever w can within the limit, and cost nothing
// there in memory (unless memory cannot bind) and, where copies exchange weights, in weights.
//   Free of charge: v takes no time, and every net of v has w in it. Then nobody pays more. W cuts the nets {v, w, ...}
//     already. A cuts them before, and holds fewer of their members after. A producer elsewhere has w as a reader
//     anyhow, so its way is no longer. Only where v itself is the producer do in and out change places, in A and in W;
//     where they are told apart, such nets must be exactly {v, w}, which then vanish.
//   For a price, where transfers are summed and there are no clusters: for every class that can run w,
//     time(v) + price of (nets of v without w)  <=  price of (nets that are exactly {v, w}),
//     and without time(v) for every class, as A may be on any. The proof is that of presolve/cheap_neighbour.cpp, class
//     by class.
//
// Unaffordable pair. If u and v are apart, the stage of u pays at least u's own time and the nets that hold both, at
// the least factor and the least latency of any cluster. If that is too much in every way of running it, u and v are together in every
// pipeline within the limit. If it is too much but on hosts, and likewise for v, and there is only one host, they are
// together too.
#include "partita/reduce/setup_presolve.h"

#include <algorithm>
#include <tuple>

#include "partita/reduce/stage_cost.h"
#include "partita/util/statistics.h"
#include "partita/util/union_find.h"

namespace partita::detail {
namespace {

constexpr double kSetupTie = 1e-15;  // sums that are equal on paper may differ in the last bits
constexpr std::size_t kLargestSetupNet = 24;

class SetupPresolver {
 public:
  SetupPresolver(const SetupGraph& graph, const SetupRules& rules, double limit)
      : rules_(rules), limit_(limit), devices_(all_devices(rules)) {
    result_.graph = graph;
    result_.lift.resize(graph.size());
    for (GroupId v : graph.all()) result_.lift[v] = v;
    for (int count : devices_) most_devices_ += count;
    const SetupRules best = without_clusters(rules);
    least_factor_ = best.root().factor;
    least_links_ = best.root().links;
    const GroupMemory all = total_memory(graph);
    for (ClassId c : rules.classes.all()) {
      memory_binds_.push_back(stage_memory({0, c, 1, false}, all, samples_in_flight(rules, most_devices_, 1)) >
                              rules.classes[c].memory);
    }
  }

  SetupContraction run(const PresolveSettings& options, const Budget& budget) && {
    bool changed = true;
    while (changed && !budget.exhausted()) {
      changed = false;
      const auto use = [&](const char* technique, auto rule) {
        Technique scope(budget, technique, "groups removed");
        const std::size_t before = result_.graph.size();
        changed |= apply(rule);
        scope.yield(static_cast<double>(before - result_.graph.size()));
      };
      if (options.unaffordable_pair)
        use("presolve.unaffordable_pair", [&](auto& merge) { return join_unaffordable_pairs(merge); });
      if (options.cheap_neighbour)
        use("presolve.cheap_neighbour", [&](auto& merge) { return join_cheap_neighbours(merge); });
    }
    return std::move(result_);
  }

 private:
  static GroupMemory total_memory(const SetupGraph& graph) {
    GroupMemory all;
    for (GroupId v : graph.all()) {
      const GroupMemory& m = graph.memory(v);
      all.weights += m.weights;
      all.resident += m.resident;
      // Whether a stage recomputes or not.
      all.activation += m.activation + m.kept;
    }
    return all;
  }

  template <class Rule>
  bool apply(Rule rule) {
    UnionFind<GroupId> merge(result_.graph.size());
    if (rule(merge) == 0) return false;
    IdVector<GroupId, GroupId> label(result_.graph.size());
    for (GroupId v : label.all()) label[v] = merge.find(v);
    SetupContraction contraction = contract(result_.graph, label);
    result_.graph = std::move(contraction.graph);
    result_.lift = compose(result_.lift, contraction.lift);
    return true;
  }

  // --- cheap neighbours ---

  std::size_t join_cheap_neighbours(UnionFind<GroupId>& merge) const {
    const StageGraph& order = result_.graph.order();
    IdVector<GroupId, char> used(order.size(), 0);
    std::size_t joins = 0;
    const auto try_join = [&](GroupId v, std::span<const GroupId> neighbours) {
      if (used[v] || neighbours.size() != 1 || used[neighbours[0]]) return;
      if (!may_follow(v, neighbours[0])) return;
      used[v] = used[neighbours[0]] = 1;
      joins += merge.join(v, neighbours[0]);
    };
    for (GroupId v : order.all()) {
      try_join(v, order.successors(v));
      try_join(v, order.predecessors(v));
    }
    return joins;
  }

  bool may_follow(GroupId v, GroupId w) const {
    const SetupGraph& graph = result_.graph;
    const GroupMemory& m = graph.memory(v);
    if (rules_.replicas > 1 && m.weights > 0 && rules_.sync_bandwidth < kUnlimited) return false;
    Traffic without, exact;    // of nets of v: those w is not in, and those of the two alone
    bool turns_round = false;  // some transfer out of v becomes one into A, and out of W
    for (NetId e : graph.nets_of(v)) {
      const auto members = graph.members(e);
      if (!std::binary_search(members.begin(), members.end(), w)) {
        without.add(graph.traffic(e));
      } else if (members.size() == 2) {
        exact.add(graph.traffic(e));
      } else if (graph.producer(e) == v) {
        turns_round = true;
      }
    }
    const bool for_a_price = rules_.transfers == TransferMode::Sum && !rules_.has_clusters();
    for (ClassId c : rules_.classes.all()) {
      if (!may_be_on(c, w)) continue;
      if (!graph.time(c, v).can_run) return false;
      const bool weightless = m.resident <= 0 && m.activation <= 0 && m.kept <= 0;
      if (memory_binds_[c] && !weightless) return false;
      const double time = graph.compute(c, v) + graph.time(c, v).recompute;
      if (for_a_price) {
        const Link& link = rules_.link(c, rules_.root());
        if (time + price(link, without) > price(link, exact) + kSetupTie * limit_) return false;
      } else if (time > 0) {
        return false;
      }
    }
    // In A, whichever class it is on, and for hosts at no price at all:
    if (for_a_price) {
      return std::ranges::all_of(rules_.root().links,
                                 [&](const Link& link) { return price(link, without) <= price(link, exact); });
    }
    return without.amount <= 0 && !turns_round;
  }

  // Whether the group alone is within the limit on devices of the class, on as many of them as may share it.
  bool may_be_on(ClassId c, GroupId w) const {
    const ClassTime& time = result_.graph.time(c, w);
    if (devices_[c] == 0 || !time.can_run) return false;
    const double copies = std::min(devices_[c], rules_.replicas) * cluster_copies();
    if (result_.graph.compute(c, w) > limit_ * copies * (1 + kSetupTie)) return false;
    const int in_flight = samples_in_flight(rules_, 1, 1);
    const double least = std::min(stage_memory({0, c, 1, false}, result_.graph.memory(w), in_flight),
                                  stage_memory({0, c, 1, rules_.recompute}, result_.graph.memory(w), in_flight));
    return least <= rules_.classes[c].memory;
  }

  // --- unaffordable pairs ---

  struct Shared {
    GroupId u, v;
    NetId net;
    friend auto operator<=>(const Shared&, const Shared&) = default;
  };

  std::size_t join_unaffordable_pairs(UnionFind<GroupId>& merge) const {
    const SetupGraph& graph = result_.graph;
    std::vector<Shared> shared;
    for (NetId e : graph.nets()) {
      const auto members = graph.members(e);
      if (members.size() > kLargestSetupNet) continue;
      for (GroupId u : members) {
        for (GroupId v : members) {
          if (u < v) shared.push_back({u, v, e});
        }
      }
    }
    std::sort(shared.begin(), shared.end());
    std::size_t joins = 0;
    for (std::size_t i = 0; i < shared.size();) {
      std::size_t j = i;
      std::vector<NetId> nets;
      for (; j < shared.size() && shared[j].u == shared[i].u && shared[j].v == shared[i].v; ++j)
        nets.push_back(shared[j].net);
      const Affordable u = without_other(shared[i].u, shared[i].v, nets);
      const Affordable v = without_other(shared[i].v, shared[i].u, nets);
      const bool one_host = host_devices() <= 1;
      if ((!u.on_hosts && !u.elsewhere) || (!v.on_hosts && !v.elsewhere) || (!u.elsewhere && !v.elsewhere && one_host))
        joins += merge.join(shared[i].u, shared[i].v);
      i = j;
    }
    return joins;
  }

  struct Affordable {
    bool on_hosts = false, elsewhere = false;
  };

  // Where u can be without v, as far as u's own time and the nets of both tell.
  Affordable without_other(GroupId u, GroupId v, const std::vector<NetId>& nets) const {
    const SetupGraph& graph = result_.graph;
    Affordable found;
    for (ClassId c : rules_.classes.all()) {
      if (devices_[c] == 0 || !graph.time(c, u).can_run) continue;
      const SetupClass& its = rules_.classes[c];
      const Link& link = its.pays() ? least_links_[its.tariff] : kPaysNothing;
      StageSums sums;
      sums.add(graph, c, u);
      for (NetId e : nets) {
        const double cost = price(link, graph.traffic(e));
        const auto pass = static_cast<std::size_t>(graph.pass(e));
        if (graph.producer(e) == u) {
          sums.out[pass] += cost;
        } else if (graph.producer(e) == v || rules_.transfers != TransferMode::Duplex) {
          sums.in[pass] += cost;
        }
      }
      for (int r = 1; r <= std::min(devices_[c], rules_.replicas); ++r) {
        if (stage_load(rules_, graph.passes(), least_factor_, {0, c, r, false}, sums) / cluster_copies() > limit_)
          continue;
        (its.pays() ? found.elsewhere : found.on_hosts) = true;
      }
    }
    return found;
  }

  // Clusters may share what a stage of one of them would have to do, level by level.
  double cluster_copies() const {
    double most = 1;
    for (const ClusterType& type : rules_.clusters) {
      int inside = 1;
      for (const ClusterMember& member : type.members) {
        if (member.is_cluster()) inside = std::max(inside, std::min(member.count, rules_.replicas));
      }
      most *= inside;
    }
    return most;
  }

  int host_devices() const {
    int hosts = 0;
    for (ClassId c : rules_.classes.all()) hosts += rules_.classes[c].pays() ? 0 : devices_[c];
    return hosts;
  }

  const SetupRules& rules_;
  const double limit_;
  const IdVector<ClassId, int> devices_;
  SetupContraction result_;
  IdVector<ClassId, char> memory_binds_;
  int most_devices_ = 0;
  double least_factor_ = 1;
  std::vector<Link> least_links_;  // by tariff
};

}  // namespace

SetupContraction presolve(const SetupGraph& graph, const SetupRules& rules, double limit,
                          const PresolveSettings& options, const Budget& budget) {
  return SetupPresolver(graph, rules, limit).run(options, budget);
}

SetupGraph without_idle_weights(const SetupGraph& graph) {
  SetupGraph result = graph;
  for (GroupId v : graph.all()) {
    bool idle = true;
    for (ClassId c : graph.classes()) idle = idle && graph.compute(c, v) <= 0;
    if (idle) result.drop_weights(v);
  }
  return result;
}

}  // namespace partita::detail
