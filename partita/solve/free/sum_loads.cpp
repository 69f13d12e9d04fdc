// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/sum_loads.h"

#include <algorithm>

namespace partita::detail {

SumLoads::SumLoads(const FreeInstance& instance)
    : graph_(instance.graph),
      devices_(instance.devices),
      classes_(instance.class_count()),
      holders_(instance.graph, instance.devices.size()),
      load_(instance.devices.size(), 0),
      memory_(load_) {
  for (GroupId v : graph_.all()) {
    for (std::size_t c = 0; c < classes_; ++c) {
      weights_.push_back(instance.time[c][v].total());
      runs_.push_back(instance.time[c][v].can_run);
    }
    weights_.push_back(graph_.group(v).memory);
  }
  for (std::size_t c = 0; c < classes_; ++c) link_.push_back(instance.link(c).factor);
  std::vector<std::pair<GroupId, Pin>> pins;
  for (NetId e : graph_.nets()) {
    const auto members = graph_.members(e);
    if (members.size() == 2) {
      pins.push_back({members[0], {graph_.cost(e), members[1], e}});
      pins.push_back({members[1], {graph_.cost(e), members[0], e}});
      continue;
    }
    for (GroupId v : members) pins.push_back({v, {graph_.cost(e), GroupId(), e}});
  }
  pins_ = Csr<GroupId, Pin>(graph_.size(), pins);
}

void SumLoads::reset(const IdVector<GroupId, DeviceId>& device_of) {
  holders_.reset(device_of);
  refresh();
}

void SumLoads::refresh() {
  std::fill(load_.begin(), load_.end(), 0);
  std::fill(memory_.begin(), memory_.end(), 0);
  for (GroupId v : graph_.all()) {
    load_[device_of(v)] += time(v, device_of(v));
    memory_[device_of(v)] += graph_.group(v).memory;
  }
  std::vector<DeviceId> holders;
  for (NetId e : graph_.nets()) {
    for_each_cutter(graph_.members(e), device_of(), holders, [&](DeviceId d) { load_[d] += cost_at(e, d); });
  }
}

double SumLoads::largest() const { return load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end()); }

bool SumLoads::memory_fits() const {
  for (DeviceId d : memory_.all()) {
    if (memory_[d] > memory_limit(d)) return false;
  }
  return true;
}

void SumLoads::move(GroupId v, DeviceId to) {
  const DeviceId from = device_of(v);
  if (from == to) return;
  double left = 0, entered = 0;  // changes of cut at the two devices
  for (const Pin& pin : pins_[v]) {
    if (pin.other.valid()) {
      const DeviceId other = device_of(pin.other);
      left += other == from ? pin.cost : -pin.cost;
      entered += other == to ? -pin.cost : pin.cost;
      if (other == from)
        holders_.list_cut(pin.net);
      else if (other == to)
        holders_.unlist_cut(pin.net);
      continue;
    }
    const auto members = graph_.members(pin.net);
    const NetHolders::Counts before = holders_.shift(pin.net, members, from, to);
    if (before.from == members.size())
      left += pin.cost;
    else if (before.from == 1)
      left -= pin.cost;
    if (before.to == 0)
      entered += pin.cost;
    else if (before.to + 1 == members.size())
      entered -= pin.cost;
    if (before.from == members.size())
      holders_.list_cut(pin.net);
    else if (before.to + 1 == members.size())
      holders_.unlist_cut(pin.net);
  }
  const double* const weights = &weights_[v.index() * (classes_ + 1)];
  load_[from] += link_[class_of(from)] * left - weights[class_of(from)];
  load_[to] += link_[class_of(to)] * entered + weights[class_of(to)];
  memory_[from] -= weights[classes_];
  memory_[to] += weights[classes_];
  holders_.place(v, to);
}

}  // namespace partita::detail
