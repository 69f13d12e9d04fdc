// SPDX-License-Identifier: Apache-2.0
// From solutions of the integer program for latency to splits, and back.
#include <algorithm>

#include "partita/solve/mip/block_schedule.h"
#include "partita/solve/mip/latency_program.h"

namespace partita::detail {
namespace {

bool has_column(const std::vector<DeviceId>& devices, DeviceId d) {
  return std::find(devices.begin(), devices.end(), d) != devices.end();
}

}  // namespace

Split LatencyFormulation::decode(std::span<const double> x) const {
  IdVector<GroupId, DeviceId> device_of(instance_.group_count());
  for (GroupId g : device_of.all()) {
    double most = -1;
    for (std::size_t d = 0; d < device_.size(); ++d) {
      if (!device_[d][g].valid() || x[device_[d][g].index()] <= most) continue;
      most = x[device_[d][g].index()];
      device_of[g] = device_number_[d];
    }
  }
  Split lifted = table().lift(instance_.group_of, device_of);
  if (instance_.subgraphs == 1) return lifted;

  // A seat's number among those of its accelerator and pass is that of the subgraph.
  lifted.subgraph_of.assign(instance_.size(), 0);
  for (const Seats& seats : seats_) {
    std::vector<std::uint32_t> run(accelerators(), 0);
    for (const Seat& seat : seats) {
      const auto chosen = [&](ColumnId column) { return column.valid() && x[column.index()] > 0.5; };
      const auto owner = std::find_if(seat.owner.begin(), seat.owner.end(), chosen);
      if (owner == seat.owner.end()) continue;
      std::uint32_t& subgraph = run[static_cast<std::size_t>(owner - seat.owner.begin())];
      for (NodeId v : seat.holds.all()) {
        if (chosen(seat.holds[v])) lifted.subgraph_of[v] = subgraph;
      }
      ++subgraph;
    }
  }
  return lifted;
}

// Rounds without a block come first: they start and finish at 0, so that nothing waits for them.
LatencyFormulation::Seating LatencyFormulation::seat_blocks(const BlockSchedule& schedule) const {
  Seating seating;
  for (std::size_t b = 0; b < schedule.blocks.size(); ++b) {
    const BlockSchedule::Block& block = schedule.blocks[b];
    if (block.accelerator.valid()) seating.block_on[block.backward ? 1 : 0].push_back(b);
  }
  for (std::size_t pass = 0; pass < seats_.size(); ++pass) {
    std::vector<std::size_t>& blocks = seating.block_on[pass];
    if (!seats_[pass].empty()) blocks.insert(blocks.begin(), seats_[pass].back().round + 1 - blocks.size(), kNoBlock);
  }
  // Accelerators are numbered by their first seat of the first pass; those without one take the numbers left over.
  const std::vector<std::size_t>& blocks = seating.block_on[first_is_backward_ ? 1 : 0];
  const auto empty = static_cast<std::size_t>(std::count(blocks.begin(), blocks.end(), kNoBlock));
  std::vector<std::size_t> given(table().accelerator_classes(), 0);  // by class
  if (seats_are_accelerators(first_is_backward_) && !given.empty()) given[0] = empty;
  seating.number.resize(accelerators());
  const auto give_number = [&](DeviceId d) {
    const DeviceTable::Class& equals = table().class_of(d);
    if (seating.number[d].valid()) return;
    seating.number[d] = DeviceId(equals.first + given[table().class_number(d)]++ % equals.count);
  };
  for (std::size_t b : blocks) {
    if (b != kNoBlock) give_number(schedule.blocks[b].accelerator);
  }
  for (DeviceId d : seating.number.all()) give_number(d);
  return seating;
}

std::vector<double> LatencyFormulation::encode(const Split& split) const {
  const IdVector<GroupId, DeviceId> device_of =
      table().devices_of(problem_.workload->platform, instance_.group_of, split);
  const BlockSchedule schedule = schedule_blocks(instance_, transfers_, device_of, split.subgraph_of);
  const Seating seating = seat_blocks(schedule);

  std::vector<double> x(model_.columns().size(), 0);
  const auto set = [&](ColumnId column, double value) {
    if (column.valid()) x[column.index()] = value;
  };
  for (GroupId g : device_of.all()) {
    const DeviceId d = device_of[g];
    // One host may stand for all of its class: then it is the first of them.
    const DeviceId number = !table().is_host(d)             ? seating.number[d]
                            : has_column(device_number_, d) ? d
                                                            : DeviceId(table().class_of(d).first);
    const auto at = std::find(device_number_.begin(), device_number_.end(), number);
    set(device_[static_cast<std::size_t>(at - device_number_.begin())][g], 1);
  }
  for (std::size_t pass = 0; pass < seats_.size(); ++pass) {
    for (std::size_t s = 0; s < seats_[pass].size(); ++s) {
      const Seat& seat = seats_[pass][s];
      const std::size_t b = seating.block_on[pass][seat.round];
      if (b == kNoBlock) continue;
      const BlockSchedule::Block& block = schedule.blocks[b];
      const std::size_t runs = table().class_number(block.accelerator);
      set(seat.start, block.start / time_unit_);
      set(seat.finish, (seat.device_class == runs ? block.finish : block.start) / time_unit_);
      for (NodeId v : instance_.nodes.all())
        set(seat.before[v], schedule.block_of[v] < b + (seat.device_class > runs ? 1 : 0));
      if (seat.device_class != runs) continue;
      if (!seat.owner.empty()) set(seat.owner[seating.number[block.accelerator].index()], 1);
      const auto here = [&](NodeId v) { return schedule.block_of[v] == b; };
      for (NodeId v : instance_.nodes.all()) {
        if (here(v)) set(seat.holds[v], 1);
      }
      for (std::size_t e = 0; e < transfers_.size(); ++e) {
        const Transfer& transfer = transfers_[e];
        const auto& readers = transfer.consumers;
        const bool made_here = here(transfer.producer);
        set(seat.in[e], !made_here && std::any_of(readers.begin(), readers.end(), here));
        set(seat.out[e], made_here && !std::all_of(readers.begin(), readers.end(), here));
      }
      set(seat.used, 1);
    }
  }
  for (NodeId v : done_.all()) {
    const double done = schedule.blocks[schedule.block_of[v]].finish / time_unit_;
    set(done_[v], done);
    set(latency_, std::max(x[latency_.index()], done));
  }
  for (const Step& step : steps_) {  // in topological order
    double computed = step.time.least + (step.from.valid() ? x[computed_[step.from].index()] : 0);
    for (const Term& term : step.time.more) computed += term.factor * x[term.column.index()];
    set(computed_[step.to], std::max(x[computed_[step.to].index()], computed));
  }
  return x;
}

}  // namespace partita::detail
