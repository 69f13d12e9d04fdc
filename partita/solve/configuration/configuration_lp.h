// SPDX-License-Identifier: Apache-2.0
// A lower bound for free splits: can the devices cover all groups within a limit, if fractions are allowed?
//
// Configuration LP. Loads are made sums first (load_weights.h). A column is a set that a device of some class of
// accelerators can hold within the limit T; groups may also be on hosts, whose times share count * T. Cover every
// group, with no more columns of a class than it has devices. Columns are priced in [Gilmore-Gomory-OR'61] with the
// exact problem of a single device, one for each class (pricing.h).
//
// Any prices prove something, optimal or not [Farley-OR'90]: let U(c) bound the price of every set of an accelerator of
// class c and R(h) the price of what a host of class h can hold. If
//     price of all groups  >  sum over c of count(c) U(c)  +  sum over h of count(h) R(h),
// the devices cannot hold everything. So the search stops as soon as some prices do, and these prices, made integers,
// are the certificate: it can be checked without the LP, without this program and in integer arithmetic
// (docs/algorithms/free.md). Memory is in it as a total for each class: what it holds takes no more than its devices
// have; the dual of that row is a toll on memory.
//
// Devices of different classes are worth different prices, and how much each is worth is part of what the LP finds. So
// there is no one price that a set must stay below: the room that the dearest known set of every class leaves is shared
// out evenly over all accelerators, and each class must keep below its own.
//
// The LP's duals jump about, so they are not priced as they are but smoothed towards the inner prices, those that came
// nearest to a proof [Wentges-ITOR'97]. How much is adapted: less where the slope at the last prices says that the
// bound still rises towards the duals, more where it falls [Pessoa-Sadykov-Uchoa-Vanderbeck-IJOC'18]. On graphs of
// layers, whose best prices are close to plain volumes, this is what makes it converge. Tests:
// tests/solve/free_bound_test.cpp, tests/check/certificate_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "partita/reduce/free_instance.h"
#include "partita/solve/configuration/group_prices.h"
#include "partita/solve/configuration/load_weights.h"
#include "partita/solve/configuration/pricing.h"
#include "partita/util/budget.h"

namespace partita::detail {

// Why no split has a value of at most `limit`.
struct FreeProof {
  struct Devices {
    std::int64_t memory_toll = 0;
    std::int64_t theta = 0;  // from here on, of accelerators only
    int buckets = 0;
    Price most = 0;                             // that a set of such a device is worth, net of the toll
    std::vector<std::vector<GroupId>> ignored;  // nets that the trellis leaves out, by their members
  };

  double limit = 0;
  LoadWeights weights;
  std::vector<GroupId> order;  // in which the trellises take the groups
  Prices prices;
  std::vector<Devices> devices;  // by class
};

enum class Refutation { Refuted, LpFeasible, Undecided };

class ConfigurationLp {
 public:
  // `first_prices` are where the search for prices begins. The trellises take the groups in `order`, and their layers
  // have at most `widest` states.
  ConfigurationLp(const FreeInstance& instance, const LoadWeights& weights, GroupPrices first_prices,
                  std::vector<GroupId> order, std::size_t widest);
  ~ConfigurationLp();

  // Sets worth having as columns: the accelerators of good splits.
  void suggest(const FreeSplit& split);

  // Refuted: `proof()` tells why. LpFeasible: this relaxation, or the precision of its prices, cannot refute the limit.
  // Undecided: the budget ended; asked for the same limit again it goes on where it stopped. Throws OutOfTime, and must
  // not be asked any more then.
  Refutation refute(double limit, Budget& budget);
  const FreeProof& proof() const { return proof_; }

 private:
  class Run;
  // A class of devices: groups and nets with its times and costs.
  struct OneClass {
    bool host = false;
    int count = 0;
    double memory = 0;
    NetGraph graph;
  };

  std::vector<OneClass> classes_;  // accelerators first, as in the table
  const std::size_t groups_, accelerators_;
  const LoadWeights weights_;
  const std::vector<GroupId> order_;
  const std::size_t widest_;
  std::vector<std::vector<GroupId>> columns_;  // of all runs; each run takes them for the classes that can hold them
  GroupPrices inner_;         // the prices that came nearest to a proof, for the next run to start from
  std::unique_ptr<Run> run_;  // of the limit asked for last
  FreeProof proof_;
};

}  // namespace partita::detail
