// SPDX-License-Identifier: Apache-2.0
// Better free splits by simulated annealing [Kirkpatrick-Science'83].
//
// The largest load alone says nothing about most moves, so what is minimised is a soft maximum: with x_d = load of d /
// scale,
//     E = log(sum over devices of exp(p (x_d - 1))) / p  +  memory price * memory above the limits,
// which tends to the largest x as p grows, and p grows during a run. (Near x = 1 this is the p-norm, without its
// powers.) A move is accepted if E grows by less than -T log(u), u random in (0, 1), that is if the sum grows by less
// than the factor u^(-p T): two exponentials for a move between two devices, and no logarithm unless the sum grew.
//
// Moves: a group at a cut net, or any, to the device of a neighbour, by preference, or of anybody; two groups change
// places; a chunk, which is a subtree of a dendrogram (dendrogram.h), goes to a neighbour's device, and sometimes
// another chunk comes back. Loads follow in O(nets of what moves), see sum_loads.h.
//
// Graphs with heavy nets want hot runs and chunks, graphs with light nets cold runs that start with a small p; so the
// schedule is the caller's, who learns which one pays (free_search.h). What a load is, only Loads knows: SumLoads where
// it is a sum, PartLoads in every transfer mode. Tests: tests/solve/free_anneal_test.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "partita/solve/free/dendrogram.h"
#include "partita/solve/free/part_loads.h"
#include "partita/solve/free/sum_loads.h"
#include "partita/util/budget.h"
#include "partita/util/dice.h"

namespace partita::detail {

struct FreeAnnealOptions {
  std::uint64_t proposals = 300'000;   // length of the run; one that moves many groups counts for several
  double scale = 1;                    // about the value to expect; positive
  double hot = 0.01, cold = 0.000005;  // first and last temperature, as shares of the scale
  double first_power = 8, last_power = 90;
  double memory_price = 2;  // in scales, for memory of one whole limit too much
};

// One run at a time, which may be interrupted and continued.
template <class Loads>
class FreeAnneal {
 public:
  explicit FreeAnneal(const FreeInstance& instance);

  // Every group must stand on a device that can run it; memory may be exceeded. `chunks` must outlive the run.
  void start(const IdVector<GroupId, DeviceId>& device_of, const FreeAnnealOptions& options,
             const std::vector<Dendrogram>& chunks, Dice& dice);
  // Goes on until the run or the budget ends. True once the run has ended.
  bool advance(Budget& budget);

  // The best legal split that the run has seen; its value is infinite if there was none.
  const FreeSplit& best() const { return best_; }
  const Loads& state() const { return loads_; }

 private:
  struct Step {
    GroupId group;
    DeviceId from;
  };

  bool propose();
  bool propose_single();
  bool propose_uncut();
  bool propose_swap();
  bool propose_chunk();
  bool settle();
  DeviceId near_device(GroupId v);
  std::span<const GroupId> random_chunk(GroupId v, std::size_t levels);
  void try_move(GroupId v, DeviceId to);
  void take_back();
  void look();
  void note_if_best();
  void recompute_energy();
  double soft_load(DeviceId d) const;
  double memory_excess(DeviceId d) const;

  const NetGraph& graph_;
  Loads loads_;
  FreeAnnealOptions options_;
  const std::vector<Dendrogram>* chunks_ = nullptr;
  Dice* dice_ = nullptr;
  FreeSplit best_;

  std::uint64_t used_ = 0;  // of the proposals
  std::size_t since_refresh_ = 0;
  double power_ = 1, heat_ = 0;  // p, and p T
  double chunk_share_ = 0.25;
  double sum_ = 0, excess_ = 0;          // the two parts of the energy
  double worth_looking_ = 0;             // the sum of every split better than the best is below this
  IdVector<DeviceId, double> soft_;      // by device, its part of the sum
  IdVector<DeviceId, double> overfull_;  // and of the excess
  IdVector<DeviceId, std::uint32_t> touched_at_;
  std::uint32_t proposal_ = 0;
  std::vector<Step> steps_;
  std::vector<typename Loads::Saved> touched_;
};

}  // namespace partita::detail
