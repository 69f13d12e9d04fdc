// SPDX-License-Identifier: Apache-2.0
// A lower bound: can the devices hold all groups within a limit, if fractions are allowed?
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
// Where splits have a shape (convex_order.h), columns are convex sets only, which is what every device of a contiguous
// split holds, and every stage of a staged one. A part of a convex set may be none, so that every group must be held
// exactly once: prices have any sign, and the inequality above still proves the limit impossible, since every group is
// in exactly one set. Hosts hold convex sets too, so that they have columns and a trellis of their own, without nets. On
// a path convex sets are intervals, and the fewest intervals are a shortest path, so the LP is as good as can be; on
// graphs that are nearly paths it nearly is. The same kind of LP serves where pairs of groups were decided to share a
// device or not to (pair_tree.h).
//
// Devices of different classes are worth different prices, and how much each is worth is part of what the LP finds. So
// there is no one price that a set must stay below: the room that the dearest known set of every class leaves is shared
// out evenly over all devices that have columns, and each class must keep below its own.
//
// The LP's duals jump about, so they are not priced as they are but smoothed towards the inner prices, those that came
// nearest to a proof [Wentges-ITOR'97]. How much is adapted: less where the slope at the last prices says that the
// bound still rises towards the duals, more where it falls [Pessoa-Sadykov-Uchoa-Vanderbeck-IJOC'18]. On graphs of
// layers, whose best prices are close to plain volumes, most rounds do better with a bundle (price_bundle.h). Tests:
// tests/solve/free_bound_test.cpp, tests/solve/convex_bound_test.cpp, tests/check/certificate_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "partita/reduce/free_instance.h"
#include "partita/reduce/shrink_nets.h"
#include "partita/solve/configuration/group_prices.h"
#include "partita/solve/configuration/load_weights.h"
#include "partita/solve/configuration/pricing.h"
#include "partita/util/budget.h"

namespace partita::detail {

// Why no split has a value of at most `limit`, of those in which pairs share devices as decided.
struct FreeProof {
  struct Devices {
    std::int64_t memory_toll = 0;
    std::int64_t theta =
        0;  // from here on, of devices that have columns: accelerators, and hosts where sets are convex
    int buckets = 0;
    Price most = 0;  // that a set of such a device is worth, net of the toll
    // Nets, by their members, and those of which alone the trellis knows.
    struct Narrowed {
      std::vector<GroupId> net, counted;
    };
    std::vector<Narrowed> narrowed;
    std::vector<PointId> forgotten;  // points whose order it leaves out
  };

  double limit = 0;
  LoadWeights weights;
  std::vector<GroupId> order;  // in which the trellises take the groups
  Prices prices;
  std::vector<Devices> devices;  // by class
  std::vector<PairDecision> decisions = {};
  std::shared_ptr<const ShrinkLog> removed = nullptr;  // these groups have no price: they were removed before
};

// That a check takes.
inline constexpr int kMostBuckets = 1'000'000;

// Of all splits: one proof, without decisions, or one for each of the cases that they fall into.
using ProofTree = std::vector<FreeProof>;

enum class Refutation { Refuted, LpFeasible, Undecided };

// What the LP is about: devices as they see the groups, and what their sets have to keep together.
struct ConfigurationModel {
  struct Devices {
    bool host = false;
    int count = 0;
    double memory = 0;
    NetGraph graph;  // with the class's times and costs
  };
  std::size_t groups = 0;
  std::vector<Devices> classes;  // accelerators first
  LoadWeights weights;
  ConvexOrder order;  // without points sets may be any
  // Groups with the same number may be exchanged, as far as anybody knows; empty: none may.
  IdVector<GroupId, std::size_t> alike = {};
  // The devices' sets follow each other, as stages do, in the order's direction. Every group has one point then.
  bool staged = false;

  std::size_t accelerator_classes() const;
};
// Of free splits; with an order, of those whose devices hold convex sets.
ConfigurationModel model_of(const FreeInstance& instance, const LoadWeights& weights, ConvexOrder order = {});
// Of free splits on plain platforms; and of staged ones.
ConfigurationModel model_of(const NetGraph& graph, const StagePlatform& platform);
ConfigurationModel model_of(const StageGraph& graph, const StagePlatform& platform);

// Prices to begin with where nobody has better ones: groups by their times on the first class, no tolls.
GroupPrices prices_by_time(const ConfigurationModel& model);

// A set in a solution of the LP.
struct SetInUse {
  std::vector<GroupId> groups;  // sorted
  std::size_t device_class = 0;
  double part = 0;  // how many such sets there are
};

class ConfigurationLp {
 public:
  // `first_prices` are where the search for prices begins. The trellises take the groups in `order`.
  ConfigurationLp(ConfigurationModel model, GroupPrices first_prices, std::vector<GroupId> order,
                  const Trellis::Size& size);
  ~ConfigurationLp();

  // Sets worth having as columns: the devices of good splits. With a shape they should be convex.
  void suggest(const std::vector<std::vector<GroupId>>& sets);
  void suggest(const FreeSplit& split);

  // Refuted: `proof()` tells why. LpFeasible: this relaxation, its size or the precision of its prices cannot refute the
  // limit. Undecided: the budget ended; asked the same again it goes on where it stopped. Throws OutOfTime, and must not
  // be asked any more then.
  // With `precedence` it is asked of splits that keep these edges too, which must close no cycle: their sets are convex in
  // an order with more edges. There is no certificate of that.
  Refutation refute(double limit, Budget& budget, const std::vector<PairDecision>& decisions = {},
                    const std::vector<ConvexOrder::Edge>& precedence = {});
  const FreeProof& proof() const { return proof_; }
  // If it was not refuted: the solution of the LP that the columns found last allow; empty if it was not solved, or needs
  // sets that are not there.
  std::vector<SetInUse> solution() const;
  // If it was not refuted: how many times too dear the dearest sets known are at the prices nearest to a proof. The room
  // of a set shrinks at least as fast as the limit where groups are many, so a limit lower by as much is often refuted by
  // the same prices. Infinity if there are none.
  double shortfall() const;
  const ConfigurationModel& model() const { return model_; }
  // All columns that are known, and the prices that came nearest to a proof.
  const std::vector<std::vector<GroupId>>& columns() const { return columns_; }
  const GroupPrices& prices() const { return inner_; }
  // From now on every group has a row and a price of its own, also those that are alike: for who looks at solutions.
  void tell_apart();
  // For limits far from the best value, on graphs whose rounds take long: prices come from the bundle from the first
  // round on, and aim at room for a proof with few buckets.
  void go_far() { far_ = true; }
  // The order that sets had to keep in the question asked last.
  const ConvexOrder& order_asked() const;
  // The trellises of the limit asked last would have too many states.
  bool too_large() const;

 private:
  class Run;

  // Groups that are alike have one row, and one price.
  bool shares_rows() const { return !apart_ && model_.alike.size() > 0; }

  const ConfigurationModel model_;
  const std::size_t accelerators_;  // classes
  const std::vector<GroupId> order_;
  const Trellis::Size size_;
  double seeded_for_ = 0;                      // the limit that first columns were made for
  std::vector<std::vector<GroupId>> columns_;  // of all runs; each run takes them for the classes that can hold them
  bool apart_ = false, far_ = false;
  GroupPrices inner_;         // the prices that came nearest to a proof, for the next run to start from
  std::unique_ptr<Run> run_;  // of the question asked last
  FreeProof proof_;
};

}  // namespace partita::detail
