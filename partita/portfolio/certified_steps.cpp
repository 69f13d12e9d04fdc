// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/certified_steps.h"

#include <algorithm>
#include <utility>

#include "partita/reduce/memory_need.h"
#include "partita/reduce/presolve/unaffordable_cut.h"
#include "partita/reduce/presolve/unaffordable_pair.h"
#include "partita/reduce/removal_step.h"
#include "partita/reduce/shrink.h"

namespace partita::detail {
namespace {

// Relative. The check's loads are too small by two parts in 2^40 for each time and transfer in a sum, and there may be
// thousands.
constexpr double kJoinsAboveLimit = 1e-7;

}  // namespace

CertifiedSteps::CertifiedSteps(const Problem& problem, const StagedInstance& instance, double limit,
                               const Budget& budget)
    : CertifiedSteps(instance.platform, instance.graph, {}, limit, budget) {
  name_.resize(instance.graph.size(), 0);
  for (NodeId v : instance.group_of.all()) name_[instance.group_of[v]] = problem.workload->graph.nodes[v].original_id;
}

CertifiedSteps::CertifiedSteps(const StagePlatform& platform, StageGraph graph, IdVector<GroupId, std::int64_t> node,
                               double limit, const Budget& budget)
    : platform_(platform), limit_(limit), budget_(budget), graph_(std::move(graph)), name_(std::move(node)) {
  if (!memory_can_bind(graph_, Threshold{platform_, limit_})) forget_memory(graph_);
}

void CertifiedSteps::presolve() {
  bool changed = true;
  while (changed && !budget_.exhausted()) {
    changed = join_pairs();
    changed |= remove_cheap_ones();
    if (!changed) changed = join_cuts();
  }
}

bool CertifiedSteps::join_pairs() {
  UnionFind<GroupId> merge(graph_.size());
  GroupPairs pairs;
  join_unaffordable_pairs(graph_, {platform_, limit_ * (1 + kJoinsAboveLimit)}, merge, &pairs);
  return join_all(pairs);
}

bool CertifiedSteps::join_cuts() {
  UnionFind<GroupId> merge(graph_.size());
  GroupPairs pairs;
  join_unaffordable_cuts(graph_, {platform_, limit_ * (1 + kJoinsAboveLimit)}, budget_, merge, &pairs);
  return join_all(pairs);
}

bool CertifiedSteps::join_all(const GroupPairs& pairs) {
  if (pairs.empty()) return false;
  UnionFind<GroupId> merge(graph_.size());
  for (const auto& [a, b] : pairs) {
    merge.join(a, b);
    Certificate::Step& step = steps_.emplace_back();
    step.node = name_[a];
    step.join = name_[b];
  }
  contract_to(merge, name_);
  return true;
}

// Pairs are disjoint, but one's group may be in the nets of another: by then it goes by its neighbour's name.
bool CertifiedSteps::remove_cheap_ones() {
  const Threshold question{platform_, limit_};
  const CheapNeighbourView view{graph_, question};
  UnionFind<GroupId> merge(graph_.size());
  GroupPairs pairs;
  join_cheap_neighbours({&view, 1}, merge, &pairs);
  if (pairs.empty()) return false;
  IdVector<GroupId, std::int64_t> names = name_;
  for (const auto& [v, w] : pairs) {
    Certificate::Step& step = steps_.emplace_back();
    step.node = name_[v];
    step.shifts.push_back({{name_[w]}, name_[w]});
    step.bridge = {name_[w]};
    names[v] = name_[w];
    for (NetId e : graph_.nets_of(v)) {
      const auto members = graph_.members(e);
      if (std::binary_search(members.begin(), members.end(), w)) continue;
      Nodes& others = step.into.emplace_back();
      for (GroupId u : members) {
        if (u != v) others.push_back(names[u]);
      }
      std::sort(others.begin(), others.end());
      others.erase(std::unique(others.begin(), others.end()), others.end());
    }
  }
  contract_to(merge, names);
  return true;
}

void CertifiedSteps::contract_to(const UnionFind<GroupId>& merge, const IdVector<GroupId, std::int64_t>& names) {
  IdVector<GroupId, GroupId> label(graph_.size());
  for (GroupId v : graph_.all()) label[v] = merge.find(v);
  Contraction smaller = contract(graph_, label);
  IdVector<GroupId, std::int64_t> of_smaller(smaller.graph.size());
  for (GroupId v : smaller.lift.all()) of_smaller[smaller.lift[v]] = names[v];
  name_ = std::move(of_smaller);
  graph_ = std::move(smaller.graph);
}

std::vector<Certificate::Step> CertifiedSteps::shrunk(const ShrinkDose& dose) const {
  ShrinkLog log;
  shrink(graph_, Threshold{platform_, limit_}, dose, budget_, &log);
  std::vector<Certificate::Step> steps = steps_;
  for (const ShrinkLog::Removal& removal : log.removals) steps.push_back(removal_step(removal, name_, limit_));
  return steps;
}

}  // namespace partita::detail
