// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/tried_gains.h"

#include <algorithm>

namespace partita::detail {

void TriedGains::reset(const IdVector<GroupId, DeviceId>& device_of) {
  loads_.reset(device_of);
  forget();
}

void TriedGains::move(GroupId v, DeviceId to) {
  loads_.move(v, to);
  forget();
}

void TriedGains::forget() {
  left_ = GroupId();
  neighbours_of_ = DeviceId();
}

double TriedGains::load_without(GroupId v) {
  if (left_ == v) return load_left_;
  if (device_count() < 2) return load(device_of(v));  // there is nowhere to go
  left_ = v;
  load_left_ = attempt(v, DeviceId(device_of(v).index() == 0 ? 1 : 0)).from;
  return load_left_;
}

double TriedGains::load_with(GroupId v, DeviceId d) { return attempt(v, d).to; }

TriedGains::Ends TriedGains::attempt(GroupId v, DeviceId to) {
  const DeviceId from = device_of(v);
  const PartLoads::Saved left = loads_.save(from), entered = loads_.save(to);
  loads_.move(v, to);
  const Ends ends{load(from), load(to)};
  loads_.move(v, from);
  loads_.restore(left);
  loads_.restore(entered);
  return ends;
}

void TriedGains::find_neighbours(DeviceId d) {
  if (neighbours_of_ == d) return;
  neighbours_of_ = d;
  std::fill(neighbour_.begin(), neighbour_.end(), 0);
  for (NetId e : graph_.nets()) {
    const auto members = graph_.members(e);
    if (std::none_of(members.begin(), members.end(), [&](GroupId v) { return device_of(v) == d; })) continue;
    for (GroupId v : members) neighbour_[v] = 1;
  }
}

}  // namespace partita::detail
