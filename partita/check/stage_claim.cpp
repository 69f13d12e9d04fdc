// SPDX-License-Identifier: Apache-2.0
#include "partita/check/stage_claim.h"

#include <algorithm>
#include <limits>

#include "partita/check/knapsack.h"
#include "partita/util/topological_order.h"

namespace partita::detail {
namespace {

// By group of the instance, as the best device of each kind has it.
std::array<StageClaim::GroupOn, 2> best_of_all(const Platform& platform, const ClaimInstance& instance,
                                               const ClaimInstance::Group& group) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::array<StageClaim::GroupOn, 2> best{{{kNever, kNever, false}, {kNever, kNever, false}}};
  for (std::size_t c = 0; c < instance.devices.size(); ++c) {
    const ClaimInstance::GroupOn& on = group.on[c];
    StageClaim::GroupOn& least = best[platform.classes[instance.devices[c]].kind != DeviceKind::Host];
    least.load = std::min(least.load, on.load);
    least.memory = std::min(least.memory, on.memory);
    least.may_be_held |= on.may_be_held && on.load <= kLoadLimit && on.memory <= kLoadLimit;
  }
  for (StageClaim::GroupOn& least : best) {
    if (least.load == kNever) least = {};  // there are no such devices
  }
  return best;
}

// What groups within the limit need of memory fits all the same: then it is none.
void forget_memory_that_cannot_bind(StageClaim& claim) {
  for (const std::size_t kind : {StageClaim::kHost, StageClaim::kAccelerator}) {
    std::vector<std::pair<std::int64_t, std::int64_t>> items;  // load, memory
    for (const auto& on : claim.on) {
      if (on[kind].may_be_held) items.emplace_back(on[kind].load, on[kind].memory);
    }
    if (most_that_fits(std::move(items), kLoadLimit) > kLoadLimit) continue;
    for (auto& on : claim.on) on[kind].memory = 0;
  }
}

}  // namespace

std::int64_t StageClaim::total_memory() const {
  std::int64_t total = 0;
  for (const auto& one : on) total += one[kAccelerator].memory;
  return total;
}

std::optional<StageClaim> stage_claim(const Platform& platform, const ClaimInstance& instance, std::size_t most_bytes) {
  const std::size_t n = instance.groups.size();
  if (n > 0 && words_for(n) * sizeof(Word) > most_bytes / 2 / n) return std::nullopt;
  std::vector<std::pair<GroupId, GroupId>> arcs;
  for (const auto& [from, to] : instance.arcs) arcs.emplace_back(GroupId(from), GroupId(to));
  const Csr<GroupId, GroupId> successors(n, arcs);
  const std::vector<GroupId> order = topological_order(successors);
  if (order.size() < n) return std::nullopt;

  StageClaim claim;
  for (const ClassId id : instance.devices) {
    const DeviceClass& devices = platform.classes[id];
    claim.count[devices.kind != DeviceKind::Host] += devices.count;
  }
  std::vector<std::size_t> place(n);
  claim.nets_of.resize(n);
  claim.before.resize(n);
  for (const GroupId g : order) {
    place[g.index()] = claim.group.size();
    claim.group.push_back(g.index());
    claim.on.push_back(best_of_all(platform, instance, instance.groups[g.index()]));
  }
  forget_memory_that_cannot_bind(claim);
  claim.ancestors = claim.descendants = BitMatrix(n, n);
  for (std::size_t v = 0; v < n; ++v) {
    claim.ancestors.set(v, v);
    claim.descendants.set(v, v);
    for (const GroupId next : successors[GroupId(claim.group[v])]) claim.before[place[next.index()]].push_back(v);
  }
  for (std::size_t v = 0; v < n; ++v) {
    for (const std::size_t u : claim.before[v]) claim.ancestors.join_row(v, u);
  }
  for (std::size_t v = n; v-- > 0;) {
    for (const std::size_t u : claim.before[v]) claim.descendants.join_row(u, v);
  }
  for (const ClaimInstance::Transfer& transfer : instance.transfers) {
    std::int64_t cost = std::numeric_limits<std::int64_t>::max();
    for (std::size_t c = 0; c < instance.devices.size(); ++c) {
      if (platform.classes[instance.devices[c]].kind != DeviceKind::Host) cost = std::min(cost, transfer.load[c]);
    }
    if (claim.count[StageClaim::kAccelerator] == 0 || cost <= 0) continue;
    StageClaim::Net net{cost, {}};
    for (const std::size_t g : transfer.members) net.members.push_back(place[g]);
    for (const std::size_t v : net.members) claim.nets_of[v].push_back(claim.nets.size());
    claim.nets.push_back(std::move(net));
  }
  return claim;
}

}  // namespace partita::detail
