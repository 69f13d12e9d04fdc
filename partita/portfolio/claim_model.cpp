// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/claim_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "partita/solve/configuration/proof_words.h"

namespace partita::detail {
namespace {

// Scaled to units again, it is as many.
double in_units(std::int64_t units) { return units > 0 ? static_cast<double>(units) + 1 : 0; }

}  // namespace

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

ClaimModel::Question ClaimModel::question() const {
  // What a host can hold by itself is known of each group; of its memory nothing more is asked.
  Question result{{0, 0, static_cast<double>(kLoadLimit), kUnlimited}, {}, {}};
  IdVector<GroupId, Group> groups(graph_.size(), {0, 0, 0, false, false});
  std::vector<Net> nets;
  for (std::size_t c = 0; c < claim_.devices.size(); ++c) {
    (is_host(c) ? result.platform.hosts : result.platform.accelerators) += platform().classes[claim_.devices[c]].count;
    for (GroupId v : graph_.all()) {
      const ClaimInstance::GroupOn& on = claim_.groups[claim_group_[v]].on[c];
      (is_host(c) ? groups[v].host_time : groups[v].accelerator_time) = static_cast<double>(on.load);
      (is_host(c) ? groups[v].on_host : groups[v].on_accelerator) = on.may_be_held;
      if (!is_host(c)) groups[v].memory = static_cast<double>(on.memory);
    }
    if (is_host(c)) continue;
    for (const ClaimInstance::Transfer& transfer : claim_.transfers) {
      nets.push_back({static_cast<double>(transfer.load[c]), {}});
      for (const std::size_t g : transfer.members) nets.back().members.push_back(group_[g]);
    }
  }
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (const auto& [from, to] : claim_.arcs) precedence.emplace_back(group_[from], group_[to]);
  IdVector<GroupId, GroupId> each(groups.size());
  for (GroupId v : each.all()) each[v] = v;
  Contraction sorted = contract(groups, precedence, nets, each);
  result.graph = std::move(sorted.graph);
  result.node.resize(result.graph.size());
  for (GroupId v : sorted.lift.all()) result.node[sorted.lift[v]] = node_of(v);
  return result;
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

void ClaimModel::write(const ProofTree& proof, Certificate& certificate) const {
  ProofWords words;
  words.node = [&](GroupId v) { return node_of(v); };
  words.point = [&](PointId p) { return node_of(GroupId(p.index())); };
  for (const std::size_t c : classes_) words.classes.push_back(platform().classes[claim_.devices[c]].name);
  write_proof(proof, words, certificate);
}

}  // namespace partita::detail
