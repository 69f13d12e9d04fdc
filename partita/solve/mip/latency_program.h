// SPDX-License-Identifier: Apache-2.0
// The time of one sample as an integer program: inference and training, any number of subgraphs on an accelerator.
//
// **Seats.** The blocks of one pass that accelerators run, in the order of their starts, sit on *seats* 0, 1, ...: with
// k accelerators and q subgraphs on each, k q of them or as many as the pass has nodes, and the first ones may be
// empty. x[v,s] = 1 says that node v is in the block of seat s, d[g,i] = 1 that group g is on accelerator i, h[g] = 1
// that it is on a host, and o[s,i] = 1 that accelerator i runs seat s. Each accelerator runs at most q seats of a pass,
//     sum of x[v,.] = sum of d[g,.] = 1 - h[g],     x[v,s] + o[s,i] <= 1 + d[g,i],     x[v,s] <= sum of o[s,.] <= 1
// for v in g, and memory is counted on d. Accelerators are numbered by their first seat, so i runs none of the seats
// before i. For q = 1 accelerator i runs seat i of the first pass; then o is not needed there, and x is d.
//
// **No circles.** b[v,s] in [0, 1] says that v is before seat s. For all seats, and all edges (u, v) within the pass,
//     b[v,s] + x[v,s] <= b[v,s+1],     b[v,s] <= b[u,s],     b[v,s] + x[v,s] <= b[u,s] + x[u,s].
// These hold for some b exactly if no block waits for itself; docs/algorithms/integer-programs.md has the proof. They
// take the place of the paper's rows for contiguous subgraphs, at the same size, and ask for more: the paper's let two
// subgraphs wait for each other if neither takes any time.
//
// **Times.** in[e,s] and out[e,s] are 1 where net e enters or leaves seat s, S[s] and F[s] are start and finish of a
// seat, L[v] is when v's output is in host memory, T is the latency, and H is a latency that need not be exceeded:
//     F[s] = S[s] + times of the nodes + costs of the nets that enter or leave,
//     S[s] >= L[u] - H (1 - in[e,s])   for the producer u of e,      S[s+1] >= S[s],
//     S[t] >= F[s] - H (2 - o[s,i] - o[t,i])   for seats s before t,
//     L[v] >= F[s] - (H - head[v]) (1 - x[v,s]),      L[v] >= L[u] + host time h   for each edge (u, v),
//     T >= L[v].
// head[v] is the longest path of least times that ends with v.
//
// **Several classes of accelerators.** Then a round is one seat of each class in the place of a seat, of which at most
// one is run, by an accelerator of its class; times and costs of a seat are those of its class. Accelerators of a class
// are numbered by their first round, and o is always needed.
//
// **Progress.** What is above bounds nothing as long as x is fractional. So there is C[v], when v itself is computed,
// inside its block: between head[v] and H minus the longest path behind v, at most L[v], and for each edge
//     C[v] >= C[u] + time of v where it is + what the transfer takes, as far as the columns say.
//
// Reference: [Tarnawski-NeurIPS'20], latency. Seats in running order, b, C, windows and the order of equal devices are
// ours. Host cores are not counted. Tests: tests/mip/latency_program_test.cpp.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/reduce/transfers.h"
#include "partita/solve/mip/block_schedule.h"
#include "partita/solve/mip/formulation.h"

namespace partita::detail {

// Throws InputError(Unsupported) where host cores are strict: no program counts them.
void refuse_strict_host_cores(const Problem& problem);

class LatencyFormulation : public Formulation {
 public:
  // O(seats * (nodes + edges)) columns and rows; with several subgraphs, and in the backward pass, the accelerators are
  // another factor. Throws as refuse_strict_host_cores.
  LatencyFormulation(const Problem& problem, const FormulationOptions& options);

  Split decode(std::span<const double> x) const override;
  std::vector<double> encode(const Split& split) const override;

 private:
  struct Seat {
    std::string name;
    bool backward = false;
    std::size_t device_class = 0;              // of the accelerators that may run it
    std::size_t round = 0;                     // at most one seat of a round is run
    IdVector<NodeId, ColumnId> holds, before;  // x, b; invalid for nodes of the other pass, and x where it cannot run
    std::vector<ColumnId> owner;    // o, by accelerator; invalid for 0. Empty: the accelerator has the seat's number
    std::vector<ColumnId> in, out;  // by transfer; invalid where there is none
    ColumnId used;                  // 1 if it holds anything; only where seats are accelerators
    ColumnId start, finish;         // S, F
  };
  using Seats = std::vector<Seat>;
  // The time of a node where it is: a constant and some columns.
  struct PlaceTime {
    double least = 0;
    Terms more;
  };
  // C[to] >= C[from] + time.
  struct Step {
    NodeId from, to;  // `from` may be invalid: from the beginning
    PlaceTime time;
  };

  static constexpr std::size_t kNoBlock = static_cast<std::size_t>(-1);
  struct Seating {
    std::array<std::vector<std::size_t>, 2> block_on;  // the schedule's block on each round, by pass
    IdVector<DeviceId, DeviceId> number;               // in the program, of each accelerator of the split
  };

  std::size_t accelerators() const { return static_cast<std::size_t>(instance_.accelerators()); }
  const DeviceTable& table() const { return instance_.devices; }
  std::size_t class_of(std::size_t device) const { return table().class_number(device_number_[device]); }
  bool is_host(std::size_t device) const { return device >= accelerators(); }
  std::string device_name(std::size_t device) const;
  bool fits(GroupId g, std::size_t device_class) const;
  double time(NodeId v, std::size_t device_class) const { return instance_.class_time[device_class][v] / time_unit_; }
  double paid(const Seat& seat, const Transfer& transfer) const {
    return table().classes()[seat.device_class].link.price(transfer.cost) / time_unit_;
  }
  bool seats_are_accelerators(bool backward) const {
    return instance_.subgraphs == 1 && backward == first_is_backward_ && instance_.equal_accelerators();
  }
  double least_time(NodeId v) const;
  PlaceTime place_time(NodeId v) const;

  void drop_slow_classes(double limit);
  void find_horizon(double limit);
  void find_windows();
  void choose_devices();
  void add_devices();
  void add_memory();
  void add_node_times();
  void add_seats(bool backward);
  void fill_from_the_end(Seats& seats);
  void add_owners(Seats& seats);
  void add_owners_of(Seat& seat, Terms& once, std::vector<Terms>& owned);
  void add_order(Seats& seats);
  void add_transfers(Seat& seat);
  void add_seat_times(Seats& seats);
  void add_running_order();
  void add_progress();
  void add_step(NodeId u, NodeId v, Terms moved, const std::string& name);
  Seating seat_blocks(const BlockSchedule& schedule) const;

  const Problem& problem_;
  LatencyInstance instance_;
  std::vector<Transfer> transfers_;  // each consumer once
  bool first_is_backward_ = false;   // there is nothing forward
  // In units of time_unit(), as all that follows.
  double horizon_ = 0;
  IdVector<NodeId, double> head_, tail_;  // longest paths of least times: up to the node with it, behind the node

  ColumnId latency_;
  std::vector<DeviceId> device_number_;  // in the table; one host stands for all of a class with memory enough
  std::vector<IdVector<GroupId, ColumnId>> device_;  // d by accelerator, then h by host; invalid where g does not fit
  IdVector<GroupId, Terms> on_host_;
  std::array<Seats, 2> seats_;                  // forward, backward
  IdVector<NodeId, ColumnId> done_, computed_;  // L, C
  std::vector<Step> steps_;                     // topological by `to`
};

}  // namespace partita::detail
