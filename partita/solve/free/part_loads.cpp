// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/part_loads.h"

#include <algorithm>

namespace partita::detail {
namespace {

double pass_load_in_mode(const PartLoads::Parts& parts, std::size_t p, TransferMode mode) {
  const double compute = parts.compute[p], in = parts.in[p], out = parts.out[p];
  switch (mode) {
    case TransferMode::Sum: return compute + in + out;
    case TransferMode::Overlap: return std::max(compute, in + out);
    case TransferMode::Duplex: return std::max({compute, in, out});
  }
  return 0;
}

double load_in_mode(const PartLoads::Parts& parts, TransferMode mode) {
  double load = 0;
  for (std::size_t p = 0; p < kPasses; ++p) load += pass_load_in_mode(parts, p, mode);
  return load;
}

// From the definition. O(pins + devices).
IdVector<DeviceId, PartLoads::Parts> measure(const FreeInstance& instance,
                                             const IdVector<GroupId, DeviceId>& device_of) {
  IdVector<DeviceId, PartLoads::Parts> parts(instance.devices.size());
  for (GroupId v : instance.graph.all()) {
    const DeviceId d = device_of[v];
    parts[d].memory += instance.graph.group(v).memory;
    for (std::size_t p = 0; p < kPasses; ++p)
      parts[d].compute[p] += instance.time[instance.devices.class_number(d)][v].pass[p];
  }
  std::vector<DeviceId> holders;
  for (NetId e : instance.graph.nets()) {
    for_each_cutter(instance.graph.members(e), device_of, holders, [&](DeviceId d) {
      const Link& link = instance.link(instance.devices.class_number(d));
      for (const NetTransfer& t : instance.moved[e])
        parts[d].transfers(t.pass, device_of[t.producer] == d) += price(link, t.traffic);
    });
  }
  return parts;
}

}  // namespace

bool is_legal(const FreeInstance& instance, const IdVector<GroupId, DeviceId>& device_of) {
  IdVector<DeviceId, double> memory(instance.devices.size(), 0);
  for (GroupId v : instance.graph.all()) {
    const DeviceId d = device_of[v];
    if (!d.valid() || d.index() >= memory.size() || !instance.time[instance.devices.class_number(d)][v].can_run)
      return false;
    memory[d] += instance.graph.group(v).memory;
  }
  for (DeviceId d : memory.all()) {
    if (memory[d] > instance.devices.class_of(d).memory) return false;
  }
  return true;
}

double free_value(const FreeInstance& instance, const IdVector<GroupId, DeviceId>& device_of) {
  const IdVector<DeviceId, PartLoads::Parts> parts = measure(instance, device_of);
  double largest = 0;
  for (DeviceId d : parts.all()) largest = std::max(largest, load_in_mode(parts[d], instance.mode));
  return largest;
}

PartLoads::PartLoads(const FreeInstance& instance)
    : instance_(instance),
      graph_(instance.graph),
      holders_(graph_, instance.devices.size()),
      parts_(instance.devices.size()),
      load_(instance.devices.size(), 0) {}

void PartLoads::reset(const IdVector<GroupId, DeviceId>& device_of) {
  holders_.reset(device_of);
  refresh();
}

double PartLoads::load_of(DeviceId d) const { return load_in_mode(parts_[d], instance_.mode); }

double PartLoads::pass_load(DeviceId d, std::size_t pass) const {
  return pass_load_in_mode(parts_[d], pass, instance_.mode);
}

void PartLoads::refresh() {
  parts_ = measure(instance_, device_of());
  for (DeviceId d : load_.all()) load_[d] = load_of(d);
}

double PartLoads::largest() const { return load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end()); }

bool PartLoads::memory_fits() const {
  for (DeviceId d : parts_.all()) {
    if (parts_[d].memory > memory_limit(d)) return false;
  }
  return true;
}

// How many members of e the two devices hold before v moves; counts it as moved.
NetHolders::Counts PartLoads::shift(NetId e, std::span<const GroupId> members, GroupId v, DeviceId from, DeviceId to) {
  if (members.size() != 2) return holders_.shift(e, members, from, to);
  const DeviceId other = device_of(members[members[0] == v ? 1 : 0]);
  return {other == from ? 2U : 1U, other == to ? 1U : 0U};
}

void PartLoads::move(GroupId v, DeviceId to) {
  const DeviceId from = device_of(v);
  if (from == to) return;
  Parts& left = parts_[from];
  Parts& entered = parts_[to];
  const Link left_link = instance_.link(instance_.devices.class_number(from));
  const Link entered_link = instance_.link(instance_.devices.class_number(to));
  for (NetId e : graph_.nets_of(v)) {
    const auto members = graph_.members(e);
    const NetHolders::Counts before = shift(e, members, v, from, to);
    const bool was_whole = before.from == members.size(), is_whole = before.to + 1 == members.size();
    for (const NetTransfer& t : instance_.moved[e]) {
      const DeviceId source = device_of(t.producer);  // before the move
      const bool moves = t.producer == v;
      const double there = price(left_link, t.traffic), here = price(entered_link, t.traffic);
      if (!was_whole) left.transfers(t.pass, source == from) -= there;
      if (before.from > 1) left.transfers(t.pass, source == from && !moves) += there;
      if (before.to > 0) entered.transfers(t.pass, source == to) -= here;
      if (!is_whole) entered.transfers(t.pass, source == to || moves) += here;
    }
    if (was_whole)
      holders_.list_cut(e);
    else if (is_whole)
      holders_.unlist_cut(e);
  }
  const ClassTime& there = instance_.time[instance_.devices.class_number(from)][v];
  const ClassTime& here = instance_.time[instance_.devices.class_number(to)][v];
  for (std::size_t p = 0; p < kPasses; ++p) {
    left.compute[p] -= there.pass[p];
    entered.compute[p] += here.pass[p];
  }
  left.memory -= graph_.group(v).memory;
  entered.memory += graph_.group(v).memory;
  holders_.place(v, to);
  load_[from] = load_of(from);
  load_[to] = load_of(to);
}

}  // namespace partita::detail
