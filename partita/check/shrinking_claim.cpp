// SPDX-License-Identifier: Apache-2.0
#include "partita/check/shrinking_claim.h"

#include <algorithm>

namespace partita::detail {
namespace {

using Int = std::int64_t;

// Sums stay small enough to be added up again; what is larger than a device can hold need not be told apart.
constexpr Int kMostLoad = 4 * kLoadUnits;
Int clipped_sum(Int a, Int b) { return std::min(a + b, kMostLoad); }

void make_set(std::vector<std::size_t>& members) {
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
}

std::vector<std::size_t> without(std::vector<std::size_t> members, std::size_t group) {
  std::erase(members, group);
  return members;
}

}  // namespace

ShrinkingClaim::ShrinkingClaim(const ClaimInstance& instance, std::vector<char> is_host)
    : is_host_(std::move(is_host)),
      parts_(instance.groups.size()),
      gone_(instance.groups.size(), 0),
      nets_of_(instance.groups.size()) {
  for (const ClaimInstance::Group& group : instance.groups) on_.push_back(group.on);
  for (const ClaimInstance::Transfer& transfer : instance.transfers)
    put({transfer.load, transfer.members, transfer.names});
}

std::vector<std::size_t> ShrinkingClaim::nets_of(std::size_t group) const {
  std::vector<std::size_t> result;
  for (const std::size_t e : nets_of_[group]) {
    if (std::binary_search(nets_[e].members.begin(), nets_[e].members.end(), group)) result.push_back(e);
  }
  return result;
}

void ShrinkingClaim::put(Net net) {
  make_set(net.members);
  if (net.members.size() < 2 || std::all_of(net.load.begin(), net.load.end(), [](Int load) { return load <= 0; }))
    return;
  const auto shorter = [&](std::size_t a, std::size_t b) { return nets_of_[a].size() < nets_of_[b].size(); };
  for (const std::size_t e : nets_of_[*std::min_element(net.members.begin(), net.members.end(), shorter)]) {
    if (nets_[e].members != net.members) continue;
    for (std::size_t c = 0; c < net.load.size(); ++c) nets_[e].load[c] = clipped_sum(nets_[e].load[c], net.load[c]);
    auto& names = nets_[e].names;
    const std::size_t before = names.size();
    names.insert(names.end(), net.names.begin(), net.names.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    bytes_ += (names.size() - before) * sizeof(ClaimInstance::TransferName);
    return;
  }
  bytes_ += sizeof(Net) + (net.load.size() + 2 * net.members.size()) * sizeof(Int) +
            net.names.size() * sizeof(ClaimInstance::TransferName);
  for (const std::size_t v : net.members) nets_of_[v].push_back(nets_.size());
  nets_.push_back(std::move(net));
}

ShrinkingClaim::Net ShrinkingClaim::take(std::size_t net) {
  Net taken = std::move(nets_[net]);
  nets_[net] = {};
  return taken;
}

void ShrinkingClaim::join(std::size_t a, std::size_t b) {
  const auto [kept, lost] = std::minmax(a, b);
  parts_.join(GroupId(kept), GroupId(lost));
  for (std::size_t c = 0; c < on_[kept].size(); ++c) {
    ClaimInstance::GroupOn& sum = on_[kept][c];
    const ClaimInstance::GroupOn& more = on_[lost][c];
    sum.load = clipped_sum(sum.load, more.load);
    sum.memory = clipped_sum(sum.memory, more.memory);
    sum.may_be_held = sum.may_be_held && more.may_be_held && sum.memory <= kLoadLimit;
  }
  const std::vector<std::size_t> nets = nets_of(lost);
  nets_of_[lost].clear();
  for (const std::size_t e : nets) {
    Net net = take(e);
    std::replace(net.members.begin(), net.members.end(), lost, kept);
    put(std::move(net));
  }
}

bool ShrinkingClaim::keep_off_hosts(std::size_t group) {
  bool any = false;
  for (std::size_t c = 0; c < is_host_.size(); ++c) {
    if (!is_host_[c]) continue;
    any |= on_[group][c].may_be_held;
    on_[group][c].may_be_held = false;
  }
  return any;
}

std::optional<std::size_t> ShrinkingClaim::find_net(std::size_t group, std::vector<std::size_t> others) const {
  others.push_back(group);
  make_set(others);
  for (const std::size_t e : nets_of_[group]) {
    if (nets_[e].members == others) return e;
  }
  return std::nullopt;
}

void ShrinkingClaim::shift(std::size_t from, std::size_t net, std::size_t to) {
  for (std::size_t c = 0; c < is_host_.size(); ++c) {
    if (is_host_[c]) continue;
    const Int part = std::min(on_[from][c].load, nets_[net].load[c]);
    on_[from][c].load -= part;
    on_[to][c].load = clipped_sum(on_[to][c].load, part);
    nets_[net].load[c] -= part;
  }
}

void ShrinkingClaim::link(std::size_t group, std::size_t a, std::size_t b, Int cost,
                          const std::vector<std::size_t>& but) {
  Net link{std::vector<Int>(is_host_.size(), std::max<Int>(cost, 0)), nets_[a].members, nets_[a].names};
  for (std::size_t c = 0; c < is_host_.size(); ++c) {
    link.load[c] = std::min({link.load[c], nets_[a].load[c], nets_[b].load[c]});
    nets_[a].load[c] -= link.load[c];
    nets_[b].load[c] -= link.load[c];
  }
  link.members.insert(link.members.end(), nets_[b].members.begin(), nets_[b].members.end());
  make_set(link.members);
  link.members = without(std::move(link.members), group);
  for (const std::size_t other : but) link.members = without(std::move(link.members), other);
  put(std::move(link));
}

void ShrinkingClaim::remove(std::size_t group, std::optional<std::size_t> bridge,
                            const std::vector<std::size_t>& into) {
  const std::vector<std::size_t> mine = nets_of(group);
  nets_of_[group].clear();
  gone_[group] = 1;
  if (bridge) {
    Net left = take(*bridge);
    left.members = without(std::move(left.members), group);
    for (const std::size_t e : into) {
      Net rest = take(e), extended = rest;
      rest.members = without(std::move(rest.members), group);
      extended.members = rest.members;
      extended.members.insert(extended.members.end(), left.members.begin(), left.members.end());
      for (std::size_t c = 0; c < left.load.size(); ++c) {
        extended.load[c] = std::min(left.load[c], rest.load[c]);
        left.load[c] -= extended.load[c];
        rest.load[c] -= extended.load[c];
      }
      put(std::move(extended));
      put(std::move(rest));
    }
    put(std::move(left));
  }
  for (const std::size_t e : mine) {
    if (nets_[e].members.empty()) continue;  // the bridge, or one that it led into
    Net net = take(e);
    net.members = without(std::move(net.members), group);
    put(std::move(net));
  }
}

}  // namespace partita::detail
