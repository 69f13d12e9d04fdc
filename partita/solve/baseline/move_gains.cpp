// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/move_gains.h"

namespace partita::detail {
namespace {

// What one net of cost 1 adds to the load of an accelerator that holds h of its s members, one of which leaves.
double leaving_share(std::uint32_t h, std::size_t s) { return (h == s ? 1 : 0) - (h == 1 ? 1 : 0); }
// The same for one that joins them.
double joining_share(std::uint32_t h, std::size_t s) { return (h == 0 ? 1 : 0) - (h + 1 == s ? 1 : 0); }

}  // namespace

MoveGains::MoveGains(const NetGraph& graph, const StagePlatform& platform)
    : graph_(graph),
      accelerators_(static_cast<std::size_t>(platform.accelerators)),
      load_(accelerators_ + static_cast<std::size_t>(platform.hosts)),
      leaving_(graph.size()),
      joining_(graph.size() * load_.size()) {}

void MoveGains::reset(const IdVector<GroupId, DeviceId>& device_of) {
  device_of_ = device_of;
  held_.assign(graph_.net_count() * load_.size(), 0);
  load_.assign(load_.size(), 0);
  for (GroupId v : graph_.all()) {
    load_[device_of_[v]] += time(v, device_of_[v]);
    for (NetId e : graph_.nets_of(v)) ++held(e, device_of_[v]);
  }
  for (NetId e : graph_.nets()) {
    for (std::size_t d = 0; d < accelerators_; ++d) {
      const std::uint32_t h = held(e, DeviceId(d));
      if (h > 0 && h < graph_.members(e).size()) load_[DeviceId(d)] += graph_.cost(e);
    }
  }
  for (GroupId v : graph_.all()) weigh(v);
}

void MoveGains::move(GroupId v, DeviceId to) {
  const DeviceId from = device_of_[v];
  if (from == to) return;
  load_[to] = load_with(v, to);
  load_[from] = load_without(v);
  device_of_[v] = to;
  for (NetId e : graph_.nets_of(v)) {
    change_held(e, from, held(e, from) - 1, v);
    change_held(e, to, held(e, to) + 1, v);
  }
  weigh(v);
}

// One group's numbers, from scratch.
void MoveGains::weigh(GroupId v) {
  const DeviceId home = device_of_[v];
  leaving_[v] = -time(v, home);
  for (DeviceId d : load_.all()) joining_[cell(v, d)] = time(v, d);
  for (NetId e : graph_.nets_of(v)) {
    const std::size_t size = graph_.members(e).size();
    for (std::size_t i = 0; i < accelerators_; ++i) {
      const DeviceId d(i);
      if (d == home) {
        leaving_[v] += graph_.cost(e) * leaving_share(held(e, d), size);
      } else {
        joining_[cell(v, d)] += graph_.cost(e) * joining_share(held(e, d), size);
      }
    }
  }
}

// The device holds `now` members of the net from now on; the others' numbers follow, not those of the one that moves.
void MoveGains::change_held(NetId e, DeviceId d, std::uint32_t now, GroupId moving) {
  const std::size_t size = graph_.members(e).size();
  const std::uint32_t before = held(e, d);
  held(e, d) = now;
  if (!pays(d)) return;
  const double leaving = graph_.cost(e) * (leaving_share(now, size) - leaving_share(before, size));
  const double joining = graph_.cost(e) * (joining_share(now, size) - joining_share(before, size));
  if (leaving == 0 && joining == 0) return;
  for (GroupId u : graph_.members(e)) {
    if (u == moving) continue;
    if (device_of_[u] == d) {
      leaving_[u] += leaving;
    } else {
      joining_[cell(u, d)] += joining;
    }
  }
}

}  // namespace partita::detail
