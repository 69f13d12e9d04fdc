// SPDX-License-Identifier: Apache-2.0
// A lower bound for free splits: can k accelerators and l hosts cover all groups within a limit, if fractions are
// allowed?
//
// Configuration LP. A column is a set S that an accelerator can hold within the limit; groups may also be on hosts,
// whose times share l times the limit. Minimise the number of columns used (fractionally) so that every group is
// covered. If more than k are needed, no split within the limit exists. Columns are priced in [Gilmore-Gomory-OR'61]
// with the exact single-device problem (pricing.h).
//
// Any prices prove something, optimal or not [Farley-OR'90]: let U bound the price of every set of an accelerator and R
// the price of what one host can hold. If price(V) > k U + l R, the devices cannot hold everything. So the search stops
// as soon as some prices do, and these prices, made integers, are the certificate: it can be checked without the LP,
// without this program and in integer arithmetic (docs/algorithms/free.md). Memory is in it as a
// total: all columns together take no more than all accelerators have; the dual of that row is a toll on memory.
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
#include "partita/solve/free/group_prices.h"
#include "partita/solve/free/pricing.h"
#include "partita/util/budget.h"

namespace partita {

// Why no split has a value of at most `limit`.
struct FreeProof {
  double limit = 0;
  std::vector<GroupId> order;  // in which the trellis takes the groups
  std::vector<NetId> ignored;  // nets that the trellis leaves out
  Prices prices;
  std::int64_t memory_toll = 0;
  std::int64_t theta = 0;
  int buckets = 0;
};

enum class Refutation { Refuted, LpFeasible, Undecided };

class ConfigurationLp {
 public:
  // The graph must outlive it. Layers of the trellis have at most `widest` states.
  ConfigurationLp(const NetGraph& graph, const StagePlatform& platform, std::vector<GroupId> order, std::size_t widest);
  ~ConfigurationLp();

  // Sets worth having as columns: the devices of good splits.
  void suggest(const FreeSplit& split);

  // Refuted: `proof()` tells why. LpFeasible: this relaxation, or the precision of its prices, cannot refute the limit.
  // Undecided: the budget ended; asked for the same limit again it goes on where it stopped. Throws OutOfTime, and must
  // not be asked any more then.
  Refutation refute(double limit, Budget& budget);
  const FreeProof& proof() const { return proof_; }

 private:
  class Run;
  const NetGraph& graph_;
  const StagePlatform platform_;
  const std::vector<GroupId> order_;
  const std::size_t widest_;
  std::vector<std::vector<GroupId>> columns_;  // of all runs; each run takes those within its limit
  GroupPrices inner_;         // the prices that came nearest to a proof, for the next run to start from
  std::unique_ptr<Run> run_;  // of the limit asked for last
  FreeProof proof_;
};

}  // namespace partita
