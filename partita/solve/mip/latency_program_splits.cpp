// SPDX-License-Identifier: Apache-2.0
// From solutions of the integer program for latency to splits, and back.
#include <algorithm>

#include "partita/solve/mip/block_schedule.h"
#include "partita/solve/mip/latency_program.h"

namespace partita {
Split LatencyFormulation::decode(std::span<const double> x) const {
  FreeSplit split;
  split.device_of.resize(instance_.group_count());
  for (GroupId g : split.device_of.all()) {
    double most = -1;
    for (std::size_t d = 0; d < device_.size(); ++d) {
      if (!device_[d][g].valid() || x[device_[d][g].index()] <= most) continue;
      most = x[device_[d][g].index()];
      split.device_of[g] = DeviceId(d);
    }
  }
  Split lifted = lift_free(problem_, instance_.classes, split);
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

// Seats without a block come first: they start and finish at 0, so that nothing waits for them.
LatencyFormulation::Seating LatencyFormulation::seat_blocks(const BlockSchedule& schedule) const {
  Seating seating;
  for (std::size_t b = 0; b < schedule.blocks.size(); ++b) {
    const BlockSchedule::Block& block = schedule.blocks[b];
    if (block.accelerator.valid()) seating.block_on[block.backward ? 1 : 0].push_back(b);
  }
  for (std::size_t pass = 0; pass < seats_.size(); ++pass) {
    std::vector<std::size_t>& blocks = seating.block_on[pass];
    blocks.insert(blocks.begin(), seats_[pass].size() - blocks.size(), kNoBlock);
  }
  // Accelerators are numbered by their first seat of the first pass; those without one take the numbers left over.
  const std::vector<std::size_t>& blocks = seating.block_on[first_is_backward_ ? 1 : 0];
  const auto empty = static_cast<std::size_t>(std::count(blocks.begin(), blocks.end(), kNoBlock));
  std::size_t next = seats_are_accelerators(first_is_backward_) ? empty : 0;
  seating.number.resize(accelerators());
  const auto give_number = [&](DeviceId d) {
    if (!seating.number[d].valid()) seating.number[d] = DeviceId(next++ % accelerators());
  };
  for (std::size_t b : blocks) {
    if (b != kNoBlock) give_number(schedule.blocks[b].accelerator);
  }
  for (DeviceId d : seating.number.all()) give_number(d);
  return seating;
}

std::vector<double> LatencyFormulation::encode(const Split& split) const {
  const FreeSplit free = to_free(problem_, instance_.classes, split);
  IdVector<GroupId, DeviceId> accelerator_of(free.device_of.size());
  for (GroupId g : free.device_of.all()) {
    if (!is_host(free.device_of[g].index())) accelerator_of[g] = free.device_of[g];
  }
  const BlockSchedule schedule = schedule_blocks(instance_, transfers_, accelerator_of, split.subgraph_of);
  const Seating seating = seat_blocks(schedule);

  std::vector<double> x(model_.columns().size(), 0);
  const auto set = [&](ColumnId column, double value) {
    if (column.valid()) x[column.index()] = value;
  };
  for (GroupId g : accelerator_of.all()) {
    const std::size_t host = std::min(free.device_of[g].index(), device_.size() - 1);
    set(device_[accelerator_of[g].valid() ? seating.number[accelerator_of[g]].index() : host][g], 1);
  }
  for (std::size_t pass = 0; pass < seats_.size(); ++pass) {
    for (std::size_t s = 0; s < seats_[pass].size(); ++s) {
      const Seat& seat = seats_[pass][s];
      const std::size_t b = seating.block_on[pass][s];
      if (b == kNoBlock) continue;
      const BlockSchedule::Block& block = schedule.blocks[b];
      if (!seat.owner.empty()) set(seat.owner[seating.number[block.accelerator].index()], 1);
      const auto here = [&](NodeId v) { return schedule.block_of[v] == b; };
      for (NodeId v : instance_.nodes.all()) {
        if (here(v)) set(seat.holds[v], 1);
        set(seat.before[v], schedule.block_of[v] < b);
      }
      for (std::size_t e = 0; e < transfers_.size(); ++e) {
        const Transfer& transfer = transfers_[e];
        const auto& readers = transfer.consumers;
        const bool made_here = here(transfer.producer);
        set(seat.in[e], !made_here && std::any_of(readers.begin(), readers.end(), here));
        set(seat.out[e], made_here && !std::all_of(readers.begin(), readers.end(), here));
      }
      set(seat.used, 1);
      set(seat.start, block.start / time_unit_);
      set(seat.finish, block.finish / time_unit_);
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

}  // namespace partita
