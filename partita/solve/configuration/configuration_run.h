// SPDX-License-Identifier: Apache-2.0
// One limit, pairs decided and edges added, of a configuration LP. The master problem and the trellises live here;
// columns found and prices near to a proof are handed back for later runs.
//
// Most rounds take their prices not from the master's duals but from a bundle near the best prices, with which the master
// need not be solved (configuration_nearby.cpp).
//
// With many threads, where groups are held exactly once, a step tries several mixtures of the duals with the prices
// nearest to a proof at once, twice as far from those, half as far and so on. The one nearest to a proof is the next to
// start from, the columns of all go to the master, and fewer steps are needed. In rounds of the bundle that is of no
// use: with 2, 4 or 8 levels tried at once as many rounds were needed as with one. Such a round needs nothing of the
// master, so one goes on while it is solved. Solving it beside the search for the dearest columns at its own duals was
// tried, too: these are then one step old, which made one graph quicker and others several times slower. Tests:
// tests/solve/configuration_threads_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "partita/solve/configuration/configuration_lp.h"
#include "partita/solve/configuration/master_lp.h"
#include "partita/solve/configuration/price_bundle.h"
#include "partita/util/wide_int.h"

namespace partita::detail {

class ConfigurationLp::Run {
 public:
  // Throws OutOfTime.
  Run(ConfigurationLp& owner, double limit, std::vector<PairDecision> decisions,
      std::vector<ConvexOrder::Edge> precedence, Budget& budget);

  bool is_about(double limit, const std::vector<PairDecision>& decisions,
                const std::vector<ConvexOrder::Edge>& precedence) const {
    return limit == limit_ && decisions == decisions_ && precedence == precedence_;
  }
  const ConvexOrder& order() const { return precedence_.empty() ? owner_.model_.order : own_order_; }
  Refutation go(Budget& budget);
  std::vector<SetInUse> solution() const;
  double shortfall() const;
  bool too_large() const { return too_large_; }

 private:
  static IdVector<GroupId, std::size_t> rows_of_groups(const ConfigurationLp& owner);
  static std::vector<ScaledClass> scaled_classes(const ConfigurationLp& owner, double limit);
  std::size_t groups() const { return owner_.model_.groups; }

  // Prices that are tried, and what came of them. Several may be tried side by side: a probe changes nothing but
  // itself.
  struct Probe {
    std::vector<std::unique_ptr<Pricing>> pricings;  // by class with columns
    double weight = 1;                               // of the duals in the prices
    GroupPrices prices = {};                         // normalised; empty: hosts could hold everything
    std::vector<PricedSet> dearest = {};             // by class with columns
    std::vector<std::pair<std::vector<GroupId>, std::size_t>> found = {};  // columns and their class, as they came
    bool vain = false;  // no dear set was found, yet buckets were too coarse to rule them out
    std::optional<FreeProof> proof = {};
  };

  double solve_master(Budget& budget, bool& refuted);
  void tell_master();
  bool is_near() const;
  bool is_near_round();
  bool step_nearby(Budget& budget);
  void make_bundle();
  void tell_bundle_of_columns();
  void tell_bundle_of_hosts(const GroupPrices& prices);
  std::vector<double> coordinates(const GroupPrices& prices) const;
  std::vector<double> evened_out(std::vector<double> fraction) const;
  std::vector<double> cut_of(const std::vector<double>& fraction, std::size_t c) const;
  std::vector<double> cut_of(const std::vector<GroupId>& column, std::size_t c) const;

  bool prove_by_one_group(Budget& budget);
  bool start(Budget& budget);
  bool step(Budget& budget);
  Probe& probe(std::size_t i);
  bool try_side_by_side(const GroupPrices& outer, Budget& budget);
  void choose_weights(const Budget& budget);
  // Beside the dearest: together, all probes look for as many as one would alone. Near the best prices one is enough:
  // cuts far from them say little there. [With six, InceptionV3, contiguous training, 122.2: 3.6 s instead of 1.3.]
  int columns_of_a_probe(std::size_t c) const {
    if (nearby_) return 1;
    const int sharing = static_cast<int>(probing_);
    return (classes_[c].count + sharing - 1) / sharing;
  }
  void tell_each_other();
  void move_inner();
  void mix_and_try(Probe& probe, const GroupPrices& outer, Budget& budget) const;
  bool try_alone(const GroupPrices& prices, Budget& budget);
  bool try_prices(Probe& probe, Budget& budget) const;
  bool none_dearer(WideInt room, const Prices& gross, const std::vector<Prices>& net,
                   const std::vector<std::int64_t>& tolls, std::size_t level, Probe& probe, Budget& budget) const;
  void take_found(Probe& probe);
  bool take_proof(Probe& probe);
  FreeProof::Devices proof_of(std::size_t c, std::int64_t toll, std::int64_t theta, std::size_t level,
                              Price most) const;
  int vain_proofs_per_level() const;
  std::vector<std::size_t> levels_of_proof(double part) const;
  void look_closer();
  std::size_t finest_level() const;
  double width_of_buckets() const;  // as a part of the limit

  GroupPrices untolled(std::vector<double> of) const;
  GroupPrices mixed(const GroupPrices& outer, double weight) const;
  // Scaled so that an average accelerator has to hold one; empty if hosts and memory could hold it all.
  GroupPrices normalised(GroupPrices prices, Probe& probe, Budget& budget) const;
  double on_host(std::size_t h, const GroupPrices& prices, Probe& probe, Budget& budget) const;
  void adapt_smoothing(const Probe& probe, const GroupPrices& outer);
  std::vector<double> dearest_prices(const Probe& probe) const;
  double together(const std::vector<double>& by_class) const;
  WideInt room_for_columns(const Prices& gross, const std::vector<Prices>& net,
                           const std::vector<std::int64_t>& tolls) const;
  WideInt held(std::size_t from, std::size_t to, const Probe& probe) const;

  PricedSet dearest_known(std::size_t c, const Prices& prices, const Probe& probe) const;
  void add_disjoint_columns(std::size_t c, Prices prices, const PricedSet& dearest, int most, std::size_t level,
                            Probe& probe, Budget& budget) const;
  static void remember(std::vector<GroupId> groups, std::size_t c, Probe& probe);
  bool learn(const std::vector<GroupId>& column, std::size_t c);
  void take_new_columns();

  ConfigurationLp& owner_;
  const double limit_;
  const std::vector<PairDecision> decisions_;
  const std::vector<ConvexOrder::Edge> precedence_;
  const ConvexOrder own_order_;  // where there is precedence
  const bool exactly_;           // every group is held once, and hosts have columns too
  const std::vector<ScaledClass> classes_;
  const std::size_t accelerators_, with_columns_;    // classes: these come first
  std::vector<std::unique_ptr<Trellis>> trellises_;  // by class with columns, as all that follows
  std::vector<std::unique_ptr<Probe>> probes_;       // those needed so far
  std::size_t probing_ = 1;                          // how many of them in this step
  MasterLp master_;
  double devices_ = 0;      // accelerators
  std::size_t states_ = 0;  // of all trellises

  std::vector<std::set<std::vector<GroupId>>> known_;  // the columns that the master has
  std::vector<std::pair<const std::vector<GroupId>*, std::size_t>>
      in_master_;                // the same with their class, in its order
  std::size_t told_master_ = 0;  // so many of these
  bool master_is_away_ = false;  // it is solved by another thread, and hears of no more
  std::size_t taken_ = 0;        // of the owner's columns
  bool too_large_ = false, started_ = false, solved_ = false;
  bool stuck_ = false;             // nothing more can be told apart
  int vain_proofs_ = 0;            // at this level: no dear set was found, yet buckets were too coarse to rule them out
  std::size_t level_ = 0;          // of buckets: the finest that was needed so far
  std::uint64_t most_labels_ = 0;  // that a pricing made at once

  GroupPrices inner_;                  // the prices nearest to a proof
  std::vector<double> inner_dearest_;  // by class of accelerators: the dearest set known at these prices
  double smoothing_;
  int misses_ = 0;  // steps without a useful column
  int rounds_ = 0;
  std::unique_ptr<PriceBundle> bundle_;  // null before the first round near the inner prices
  double near_step_ = 2e-4;              // how far below the best prices such a round wants to come at least
  double ambition_ = 3;                  // how many widths of the buckets below a proof such a round wants to come
  bool nearby_ = false;                  // this round is such a one
  int near_rounds_ = 0;                  // left before the next of the master
  bool useful_ = false;
};

}  // namespace partita::detail
