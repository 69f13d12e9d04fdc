// SPDX-License-Identifier: Apache-2.0
// Staged splits as an integer program: a chain of ideals.
//
// A staged split is a sequence of seats in pipeline order. y[v,j] = 1: group v is on one of the seats 0 .. j. So
//     y[v,j-1] <= y[v,j],     y[v,last] = 1,     y[v,j] <= y[u,j]     for each precedence (u, v),
// and x[v,j] = y[v,j] - y[v,j-1] says that v is on seat j; loads and memory are those of load_rows.h on these x.
// Precedence is that of the StageGraph: forward edges and mirrored backward ones, cycles contracted, so training needs
// nothing more.
//
// **Seats.** With k accelerators and l hosts any sequence of kinds may be the best. All of them are subsequences of
//     (l hosts, accelerator) k times, l hosts,
// of which at most l host seats may be used. For k (l + 1) + l seats that is a long chain, but l is 0 or 1 nearly
// always. A binary used[j] for each host seat bounds the x on it, and the used add up to at most l; the seats of a gap
// are used from the left. Without more hosts than one gap has seats for, that is for k = 0, these rows are left out.
//
// With more classes of devices any sequence of classes may be the best. Then there are as many *rounds* as devices,
// each with one seat of every class, of which at most one is used; used rounds come first, and the used seats of a
// class are at most its devices. So every sequence of classes has exactly one place.
//
// A seat that cannot hold group v makes y[v,j] and y[v,j-1] one column.
//
// Why not the x and z of max_load.h with an order on the devices: the chain is stronger. On the paper's GNMT CBC proves
// the optimum with the chain in 16 s, and is 4 % away after 20 s with the x and z, which ask for less.
//
// Reference: the ideals are those of [Tarnawski-NeurIPS'20]'s dynamic program. Tests: tests/mip/formulation_test.cpp,
// tests/mip/solve_ip_test.cpp.
#pragma once

#include "partita/reduce/stage_order.h"
#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/ip_instance.h"
#include "partita/solve/mip/load_rows.h"

namespace partita {

class ChainOfIdealsFormulation : public Formulation {
 public:
  // The shape is staged. `problem` must outlive this.
  ChainOfIdealsFormulation(const Problem& problem, const FormulationOptions& options);

  Split decode(std::span<const double> x) const override;
  std::vector<double> encode(const Split& split) const override;

 private:
  struct Seat {
    std::size_t device_class = 0;  // by its number in the device table
    std::size_t round = 0;         // of the seats of a round, one is used
    std::string name;
    ColumnId used;  // where a class has more seats than devices
  };

  const DeviceTable& devices() const { return instance_.devices; }
  bool fits(GroupId v, const Seat& seat) const { return instance_.fits(v, seat.device_class); }
  void lay_out_gaps();
  void lay_out_rounds();
  void add_chains();
  void add_precedence();
  void count_used_seats();
  void fill_from_the_left();
  Terms seat_terms(GroupId v, std::size_t seat) const;

  const Problem& problem_;
  StageOrder order_;
  IpInstance instance_;
  std::vector<Seat> seats_;
  ColumnId one_;                                // fixed at 1
  IdVector<GroupId, std::vector<ColumnId>> y_;  // by seat; invalid stands for 0
  std::unique_ptr<LoadRows> loads_;
};

}  // namespace partita
