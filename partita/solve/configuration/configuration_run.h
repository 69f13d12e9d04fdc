// SPDX-License-Identifier: Apache-2.0
// One limit, and pairs decided, of a configuration LP. The master problem and the trellises live here; columns found and
// prices near to a proof are handed back for later runs.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "partita/solve/configuration/configuration_lp.h"
#include "partita/solve/configuration/master_lp.h"
#include "partita/util/wide_int.h"

namespace partita::detail {

class ConfigurationLp::Run {
 public:
  // Throws OutOfTime.
  Run(ConfigurationLp& owner, double limit, std::vector<PairDecision> decisions, Budget& budget);

  bool is_about(double limit, const std::vector<PairDecision>& decisions) const {
    return limit == limit_ && decisions == decisions_;
  }
  Refutation go(Budget& budget);
  std::vector<SetInUse> solution() const;
  double shortfall() const;
  bool too_large() const { return too_large_; }

 private:
  static std::vector<ScaledClass> scaled_classes(const ConfigurationLp& owner, double limit);
  std::size_t groups() const { return owner_.model_.groups; }

  bool prove_by_one_group(Budget& budget);
  bool start(Budget& budget);
  bool step(Budget& budget);
  bool try_prices(const GroupPrices& prices, Budget& budget);
  bool none_dearer(WideInt room, const Prices& gross, const std::vector<Prices>& net,
                   const std::vector<std::int64_t>& tolls, Budget& budget);
  FreeProof::Devices proof_of(std::size_t c, std::int64_t toll, Price most) const;
  void look_closer();

  GroupPrices untolled(std::vector<double> of) const;
  GroupPrices mixed(const GroupPrices& outer, double weight) const;
  // Scaled so that an average accelerator has to hold one; empty if hosts and memory could hold it all.
  GroupPrices normalised(GroupPrices prices, Budget& budget);
  double on_host(std::size_t h, const GroupPrices& prices, Budget& budget);
  void adapt_smoothing(const GroupPrices& prices, const GroupPrices& outer);
  std::vector<double> dearest_prices() const;
  double together(const std::vector<double>& by_class) const;
  WideInt room_for_columns(const Prices& gross, const std::vector<Prices>& net,
                           const std::vector<std::int64_t>& tolls) const;
  WideInt held(std::size_t from, std::size_t to) const;

  PricedSet dearest_known(std::size_t c, const Prices& prices) const;
  void add_disjoint_columns(std::size_t c, Prices prices, const PricedSet& dearest, int most, Budget& budget);
  void remember(std::vector<GroupId> groups, std::size_t c);
  bool learn(const std::vector<GroupId>& column, std::size_t c);
  void take_new_columns();

  ConfigurationLp& owner_;
  const double limit_;
  const std::vector<PairDecision> decisions_;
  const bool exactly_;  // every group is held once, and hosts have columns too
  const std::vector<ScaledClass> classes_;
  const std::size_t accelerators_, with_columns_;    // classes: these come first
  std::vector<std::unique_ptr<Trellis>> trellises_;  // by class with columns, as all that follows
  std::vector<std::unique_ptr<Pricing>> pricings_;
  MasterLp master_;
  double devices_ = 0;  // accelerators

  std::vector<std::set<std::vector<GroupId>>> known_;  // the columns that the master has
  std::vector<std::pair<const std::vector<GroupId>*, std::size_t>>
      in_master_;          // the same with their class, in its order
  std::size_t taken_ = 0;  // of the owner's columns
  bool too_large_ = false, started_ = false, solved_ = false;
  bool stuck_ = false;     // nothing more can be told apart
  int vain_proofs_ = 0;    // at this level: no dear set was found, yet buckets were too coarse to rule them out
  std::size_t level_ = 0;  // of buckets: the finest that was needed so far

  GroupPrices inner_;                  // the prices nearest to a proof
  std::vector<double> inner_dearest_;  // by class of accelerators: the dearest set known at these prices
  std::vector<PricedSet> dearest_;     // the dearest at the prices tried last
  double smoothing_;
  int misses_ = 0;  // steps without a useful column
  int rounds_ = 0;
  bool useful_ = false;
};

}  // namespace partita::detail
