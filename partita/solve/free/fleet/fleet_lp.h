// SPDX-License-Identifier: Apache-2.0
// A lower bound for free splits over a fleet: the configuration LP of free/configuration_lp.h, with one pricing problem
// for every class of accelerators.
//
// Loads are made sums first (load_weights.h). For a limit T, cover every group by sets that a device of some class can
// hold within T, or by hosts, whose times share count * T; fractions are allowed, and no class may use more sets than
// it has devices. For any prices, let U(c) bound the price of every set that a device of class c can hold within T, and
// R(h) the price of what a host of class h can hold. If
//     price of all groups  >  sum over c of count(c) U(c)  +  sum over h of count(h) R(h),
// no split has value T or less. U(c) comes from the trellis of the class (free/pricing.h), in integers that are rounded
// so that the sums on the right can only be too large. Memory is a total for each class of accelerators, by a toll, as
// in the plain LP. Prices are the master's duals smoothed towards the best so far, again as there.
//
// What differs: the devices of different classes are worth different prices, and how much each is worth is part of what
// the LP finds. So there is no one price that a set must stay below: the room that the dearest known set of every class
// leaves is shared out evenly over all devices, and each class must keep below its own.
//
// These proofs come without a certificate: docs/formats.md defines certificates for one class of accelerators and loads
// that are sums. Tests: tests/solve/fleet_bound_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "partita/solve/free/fleet/fleet_master.h"
#include "partita/solve/free/fleet/load_weights.h"
#include "partita/solve/free/configuration_lp.h"
#include "partita/util/budget.h"

namespace partita {

class FleetLp {
 public:
  // `first_prices`, one for each group, are where the search for prices begins. The trellises take the groups in
  // `order`, and their layers have at most `widest` states.
  FleetLp(const FleetInstance& instance, const LoadWeights& weights, std::vector<double> first_prices,
          std::vector<GroupId> order, std::size_t widest);
  ~FleetLp();

  // Sets worth having as columns: the devices of good splits.
  void suggest(const FreeSplit& split);

  // Refuted: no split has a value of at most this. LpFeasible: this relaxation cannot refute it. Undecided: the budget
  // ended; asked for the same limit again it goes on where it stopped.
  Refutation refute(double limit, Budget& budget);

 private:
  class Run;
  // A class of devices: groups and nets with its times and costs, as the plain LP knows them.
  struct OneClass {
    NetGraph graph;
    StagePlatform platform;
  };

  std::vector<OneClass> accelerators_, hosts_;
  std::size_t groups_;
  const std::vector<GroupId> order_;
  const std::size_t widest_;
  std::vector<std::vector<GroupId>> columns_;  // of all runs; each run takes them for the classes that can hold them
  std::vector<double> first_prices_;
  FleetPrices inner_;         // the prices that came nearest to a proof, for the next run to start from
  std::unique_ptr<Run> run_;  // of the limit asked for last
};

}  // namespace partita
