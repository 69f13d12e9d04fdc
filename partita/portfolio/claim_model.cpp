// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/claim_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "partita/check/claim_steps.h"

namespace partita::detail {
namespace {

// Scaled to units again, it is as many.
double in_units(std::int64_t units) { return units > 0 ? static_cast<double>(units) + 1 : 0; }

}  // namespace

std::optional<ClaimModel> ClaimModel::make(const Problem& problem, const Certificate& claim, Budget& budget) {
  ClaimInstance instance = claim_instance(problem, claim);
  if (!take_steps(problem, claim, instance, budget).holds) return std::nullopt;
  return ClaimModel(problem, std::move(instance));
}

ClaimModel::ClaimModel(const Problem& problem, ClaimInstance claim) : problem_(&problem), claim_(std::move(claim)) {
  for (const bool host : {false, true}) {
    for (std::size_t c = 0; c < claim_.devices.size(); ++c) {
      if (is_host(c) == host) classes_.push_back(c);
    }
  }
  IdVector<GroupId, Group> groups;
  for (std::size_t g = 0; g < claim_.groups.size(); ++g) {
    Group least;
    least.accelerator_time = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < claim_.devices.size(); ++c) {
      if (!is_host(c)) least.accelerator_time = std::min(least.accelerator_time, in_units(claim_.groups[g].on[c].load));
    }
    if (std::isinf(least.accelerator_time)) least.accelerator_time = 0;  // there are hosts only
    groups.push_back(least);
  }
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (const auto& [from, to] : claim_.arcs) precedence.emplace_back(GroupId(from), GroupId(to));
  std::vector<Net> nets;
  for (const ClaimInstance::Transfer& transfer : claim_.transfers) {
    nets.push_back({1, {}});  // its cost is asked of the classes
    for (const std::size_t g : transfer.members) nets.back().members.emplace_back(g);
  }
  IdVector<GroupId, GroupId> each(groups.size());
  for (GroupId v : each.all()) each[v] = v;
  Contraction sorted = contract(groups, precedence, nets, each);  // along the order; there are no cycles left
  graph_ = std::move(sorted.graph);
  claim_group_.resize(graph_.size());
  for (GroupId v : sorted.lift.all()) {
    group_.push_back(sorted.lift[v]);
    claim_group_[sorted.lift[v]] = v.index();
  }
}

// As a class of devices sees it, as if its devices were accelerators.
Group ClaimModel::group_on(std::size_t g, std::size_t c) const {
  const ClaimInstance::GroupOn& on = claim_.groups[g].on[c];
  return {in_units(on.load), 0, std::min(in_units(on.memory), kLimit), on.may_be_held, false};
}

std::vector<Net> ClaimModel::nets_on(std::size_t c) const {
  std::vector<Net> nets;
  for (const ClaimInstance::Transfer& transfer : claim_.transfers) {
    if (transfer.load[c] <= 0) continue;
    nets.push_back({in_units(transfer.load[c]), {}});
    for (const std::size_t g : transfer.members) nets.back().members.push_back(group_[g]);
  }
  return nets;
}

ConfigurationModel ClaimModel::configuration() const {
  ConfigurationModel model{graph_.size(), {}, {}, order_of_groups(graph_)};
  for (const std::size_t c : classes_) {
    const DeviceClass& from = platform().classes[claim_.devices[c]];
    IdVector<GroupId, Group> groups;
    for (GroupId v : graph_.all()) groups.push_back(group_on(claim_group_[v], c));
    model.classes.push_back({is_host(c), from.count, std::isinf(from.memory) ? from.memory : kLimit,
                             NetGraph(std::move(groups), nets_on(c))});
  }
  return model;
}

std::vector<GroupId> ClaimModel::order(std::uint64_t seed, Budget& budget) const {
  return narrow_order(graph_, order_of_groups(graph_), seed, &budget);
}

std::vector<std::vector<GroupId>> ClaimModel::sets_of(const Split& split) const {
  std::vector<std::set<GroupId>> sets(platform().device_count());
  for (NodeId v : split.device_of.all()) {
    if (claim_.group_of[v] != ClaimInstance::kNone) sets[split.device_of[v].index()].insert(group_[claim_.group_of[v]]);
  }
  std::vector<std::vector<GroupId>> result;
  for (const std::set<GroupId>& set : sets) result.emplace_back(set.begin(), set.end());
  return result;
}

std::vector<Certificate::Transfer> ClaimModel::names_of(const std::vector<std::vector<GroupId>>& nets) const {
  std::vector<Certificate::Transfer> result;
  if (nets.empty()) return result;
  const std::set<std::vector<GroupId>> wanted(nets.begin(), nets.end());
  for (const ClaimInstance::Transfer& transfer : claim_.transfers) {
    std::vector<GroupId> members;
    for (const std::size_t g : transfer.members) members.push_back(group_[g]);
    std::sort(members.begin(), members.end());
    if (!wanted.contains(members)) continue;
    for (const auto& [producer, consumer] : transfer.names) result.push_back({producer, consumer});
  }
  return result;
}

Certificate::Leaf ClaimModel::leaf(const FreeProof& proof) const {
  Certificate::Leaf result;
  for (const PairDecision& pair : proof.decisions)
    result.decisions.push_back({node_of(pair.a), node_of(pair.b), pair.together});
  for (GroupId v : proof.order) result.classes.push_back({node_of(v), proof.prices[v]});
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const FreeProof::Devices& from = proof.devices[i];
    Certificate::Devices& devices = result.devices.emplace_back();
    devices.name = platform().classes[claim_.devices[classes_[i]]].name;
    devices.memory_toll = from.memory_toll;
    devices.theta = from.theta;
    devices.buckets = from.buckets;
    devices.most = from.most;
    devices.ignored = names_of(from.ignored);
    for (PointId p : from.forgotten) devices.forgotten.push_back(node_of(GroupId(p.index())));
  }
  return result;
}

}  // namespace partita::detail
