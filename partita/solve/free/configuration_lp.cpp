// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/configuration_lp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "partita/solve/free/host_knapsack.h"
#include "partita/solve/free/master_lp.h"
#include "partita/solve/free/volume.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/wide_int.h"

namespace partita {
namespace {

constexpr double kFirstSmoothing = 0.7, kMostSmoothing = 0.995;
constexpr double kSmoothMore = 0.8, kSmoothLess = 1.25;  // factors of what is left of the duals' weight
constexpr std::array kBuckets{100, 300, 1000, 4000, 16'000, 64'000, 256'000};
// Coarse buckets miss dear sets by a few widths: a set found this far above the goal is taken as the dearest.
constexpr double kWidthsMissed = 6;
constexpr int kVainProofsPerLevel = 2;     // prices get better meanwhile, and finer buckets are dear
constexpr double kDearPrice = 0.9;         // of a device's share: the least for further columns
constexpr std::size_t kDisjointLevel = 1;  // buckets for them
constexpr double kMostPrice = 64;          // of a group, in devices' worth
constexpr double kReducedCostEpsilon = 1e-7;
constexpr double kRoundingMargin = 1e-10;  // of sums of prices

}  // namespace

// One limit. The master problem lives here; columns found are handed back for later limits.
class ConfigurationLp::Run {
 public:
  Run(ConfigurationLp& owner, double limit, const Budget& budget)
      : owner_(owner),
        graph_(owner.graph_),
        limit_(limit),
        scaled_(scale(owner.graph_, owner.platform_, limit)),
        trellis_(owner.graph_, scaled_, owner.order_, owner.widest_, &budget),
        pricing_(trellis_, scaled_.limit),
        master_(scaled_, owner.platform_) {}

  double limit() const { return limit_; }

  Refutation go(Budget& budget) {
    if (owner_.platform_.accelerators == 0)
      return prove_by_hosts_alone() ? Refutation::Refuted : Refutation::LpFeasible;
    if (prove_by_one_group(budget)) return Refutation::Refuted;
    if (!started_ && start(budget)) return Refutation::Refuted;
    while (!budget.exhausted() && !stuck_) {
      take_new_columns();
      const double needed = master_.solve(budget);
      if (needed <= owner_.platform_.accelerators + kReducedCostEpsilon) return Refutation::LpFeasible;
      if (step(budget)) return Refutation::Refuted;
    }
    return stuck_ ? Refutation::LpFeasible : Refutation::Undecided;
  }

 private:
  // Without accelerators a knapsack is all there is: prices are times.
  bool prove_by_hosts_alone() {
    GroupPrices prices;
    for (GroupId v : graph_.all()) prices.of.push_back(graph_.host_time(v) / limit_);
    const double total = std::accumulate(prices.of.begin(), prices.of.end(), 0.0);
    if (total <= owner_.platform_.hosts * fill_host(scaled_, prices.of).price * (1 + kRoundingMargin)) return false;
    write_proof(in_units(prices.of), 0);
    return true;
  }

  // A group that no device can hold, if there is one: a price on it alone, which no device can hold, is the proof.
  bool prove_by_one_group(const Budget& budget) {
    for (GroupId v : graph_.all()) {
      const bool accelerator = scaled_.on_accelerator[v] && scaled_.accelerator_time[v] <= scaled_.limit;
      if (accelerator || scaled_.on_host[v]) continue;
      Prices prices(graph_.size(), 0);
      prices[v] = kPriceUnit;
      pricing_.set_prices(prices, &budget);
      Budget unlimited;
      if (!pricing_.none_above(kBuckets[0], 0, unlimited)) continue;
      write_proof(prices, 0);
      return true;
    }
    return false;
  }

  bool start(Budget& budget) {
    started_ = true;
    budget.spend(trellis_.state_count());
    inner_ = normalised(owner_.inner_.empty() ? GroupPrices{volume_prices(graph_, owner_.platform_, limit_), 0}
                                              : owner_.inner_);
    if (inner_.empty()) inner_ = normalised({std::vector<double>(graph_.size(), 1.0), 0});
    if (inner_.empty()) {
      stuck_ = true;  // hosts can hold everything
      return false;
    }
    if (try_prices(inner_, budget)) return true;
    inner_dearest_ = dearest_;
    return false;
  }

  // Prices between the inner ones and the duals: a proof, or columns that move the master on, or prices nearer to a
  // proof.
  bool step(Budget& budget) {
    const GroupPrices outer = normalised(master_.prices());
    if (outer.empty()) {
      stuck_ = true;
      return false;
    }
    const double weight = std::min(1.0, (1 + misses_) * (1 - smoothing_));
    GroupPrices prices{std::vector<double>(graph_.size()), (1 - weight) * inner_.toll + weight * outer.toll};
    for (std::size_t i = 0; i < graph_.size(); ++i) prices.of[i] = (1 - weight) * inner_.of[i] + weight * outer.of[i];
    prices = normalised(std::move(prices));
    const std::size_t before = owner_.columns_.size();
    if (try_prices(prices, budget)) return true;
    if (budget.exhausted()) return false;
    if (misses_ == 0) adapt_smoothing(prices, outer);

    bool useful = false;
    for (std::size_t i = before; i < owner_.columns_.size(); ++i) {
      useful = useful || master_.prices().net(owner_.columns_[i], scaled_) > 1 + kReducedCostEpsilon;
      inner_dearest_ = std::max(inner_dearest_, inner_.net(owner_.columns_[i], scaled_));
    }
    if (dearest_ < inner_dearest_) {
      inner_dearest_ = dearest_;
      inner_ = std::move(prices);
      owner_.inner_ = inner_;
    }
    misses_ = useful ? 0 : misses_ + 1;
    if (!useful && weight >= 1) {  // not even the duals themselves give a new column: look closer
      if (level_ + 1 == kBuckets.size()) stuck_ = true;
      look_closer();
    }
    return false;
  }

  void look_closer() {
    level_ = std::min(level_ + 1, kBuckets.size() - 1);
    vain_proofs_ = 0;
    misses_ = 0;
  }

  // Scaled so that a proof needs every set to have a net price below one; empty if hosts and memory could hold it all.
  GroupPrices normalised(GroupPrices prices) const {
    const int k = owner_.platform_.accelerators;
    const double total = std::accumulate(prices.of.begin(), prices.of.end(), 0.0) - k * prices.toll -
                         owner_.platform_.hosts * fill_host(scaled_, prices.of).price;
    if (!(total > 0)) return {};
    for (double& price : prices.of) price *= k / total;
    prices.toll *= k / total;
    return prices;
  }

  // The bound grows with price(V) - l R - k (U + toll). Its slope at the last prices, in the direction of the duals:
  void adapt_smoothing(const GroupPrices& prices, const GroupPrices& outer) {
    const int k = owner_.platform_.accelerators;
    const std::vector<double> on_host = fill_host(scaled_, prices.of).fraction;
    double slope = -k * (outer.toll - inner_.toll);
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      slope += (outer.of[i] - inner_.of[i]) * (1 - owner_.platform_.hosts * on_host[i]);
    }
    slope -= k * (outer.net(dearest_set_, scaled_) - inner_.net(dearest_set_, scaled_));
    const double weight = (1 - smoothing_) * (slope > 0 ? kSmoothLess : kSmoothMore);
    smoothing_ = std::clamp(1 - weight, 0.0, kMostSmoothing);
  }

  Prices in_units(const std::vector<double>& prices) const {
    Prices units(graph_.size(), 0);
    for (GroupId v : graph_.all()) {
      units[v] =
          static_cast<Price>(std::floor(std::min(prices[v.index()], kMostPrice) * static_cast<double>(kPriceUnit)));
    }
    return units;
  }

  // The toll on memory in the integers of a certificate: price per unit of memory, times 2^kThetaShift.
  static std::int64_t toll_in_units(double toll) {
    const double per_unit = toll * static_cast<double>(kPriceUnit) / static_cast<double>(kUnits);
    return static_cast<std::int64_t>(std::ldexp(std::min(per_unit, 1.0), Pricing::kThetaShift));
  }
  static Price memory_charge(std::int64_t toll, Load memory) {
    return static_cast<Price>((static_cast<WideInt>(toll) * memory) >> Pricing::kThetaShift);
  }

  // Proves the limit impossible with these prices, or at least finds the columns that stand in the way.
  bool try_prices(const GroupPrices& prices, Budget& budget) {
    dearest_ = std::numeric_limits<double>::infinity();
    const Prices gross = in_units(prices.of);
    const std::int64_t toll = toll_in_units(prices.toll);
    Prices net = gross;
    for (GroupId v : graph_.all()) net[v] -= memory_charge(toll, scaled_.memory[v]);
    // Rounding down loses less than one per group, and rounding in the host's share and the toll is as small.
    const Price goal = kPriceUnit - 4 - static_cast<Price>((graph_.size() + 64) / owner_.platform_.accelerators);
    pricing_.set_prices(net, &budget);
    budget.spend(trellis_.state_count());
    PricedSet dearest = dearest_known(net);
    for (std::size_t level = 0; level <= level_; ++level) {
      const Price above = std::max(dearest.price, static_cast<Price>(kDearPrice * static_cast<double>(goal)));
      if (auto better = pricing_.good_column(kBuckets[level], above, budget)) dearest = std::move(*better);
      if (budget.exhausted()) return false;
      const double missed = level < level_ ? kWidthsMissed / kBuckets[level] : 0;
      if (static_cast<double>(dearest.price) > static_cast<double>(goal) * (1 + missed)) break;
      if (level < level_) continue;
      if (pricing_.none_above(kBuckets[level], goal, budget)) {
        write_proof(gross, toll);
        return true;
      }
      if (++vain_proofs_ == kVainProofsPerLevel) look_closer();
    }
    dearest_ = static_cast<double>(dearest.price) / static_cast<double>(kPriceUnit);
    remember(dearest.groups);
    dearest_set_ = dearest.groups;
    add_disjoint_columns(net, dearest.groups, budget);
    return false;
  }

  PricedSet dearest_known(const Prices& prices) const {
    PricedSet dearest;
    for (const std::vector<GroupId>& column : columns_) {
      Price price = 0;
      for (GroupId v : column) price += prices[v];
      if (price > dearest.price) dearest = {column, price};
    }
    return dearest;
  }

  // More columns that avoid the groups of those found: together they cover much at once.
  void add_disjoint_columns(Prices prices, const std::vector<GroupId>& first, Budget& budget) {
    for (GroupId v : first) prices[v] = 0;
    const int buckets = kBuckets[std::min(level_, kDisjointLevel)];
    for (int i = 0; i < owner_.platform_.accelerators && !budget.exhausted(); ++i) {
      pricing_.set_prices(prices, &budget);
      budget.spend(trellis_.state_count());
      const auto column =
          pricing_.good_column(buckets, static_cast<Price>(kDearPrice * static_cast<double>(kPriceUnit)), budget);
      if (!column) return;
      for (GroupId v : column->groups) prices[v] = 0;
      remember(column->groups);
    }
  }

  void remember(std::vector<GroupId> groups) {
    std::sort(groups.begin(), groups.end());
    if (groups.empty() || !columns_.insert(groups).second) return;
    master_.add(groups);
    owner_.columns_.push_back(std::move(groups));
  }

  // Those of earlier limits, and what others have suggested meanwhile.
  void take_new_columns() {
    for (; taken_ < owner_.columns_.size(); ++taken_) {
      const std::vector<GroupId>& column = owner_.columns_[taken_];
      if (accelerator_load(graph_, column) <= limit_ && columns_.insert(column).second) master_.add(column);
    }
  }

  void write_proof(const Prices& prices, std::int64_t toll) {
    owner_.proof_ = {limit_, owner_.order_, trellis_.ignored(), prices, toll, pricing_.theta(), kBuckets[level_]};
  }

  ConfigurationLp& owner_;
  const NetGraph& graph_;
  const double limit_;
  const Scaled scaled_;
  const Trellis trellis_;
  Pricing pricing_;
  MasterLp master_;

  std::set<std::vector<GroupId>> columns_;  // that the master has
  std::size_t taken_ = 0;                   // of the owner's columns
  bool started_ = false;
  bool stuck_ = false;     // nothing more can be told apart
  int vain_proofs_ = 0;    // at this level: no dear set was found, yet buckets were too coarse to rule them out
  std::size_t level_ = 0;  // of buckets: the finest that was needed so far

  GroupPrices inner_;         // the prices nearest to a proof
  double inner_dearest_ = 0;  // the dearest set known at these prices
  double smoothing_ = kFirstSmoothing;
  int misses_ = 0;      // steps without a useful column
  double dearest_ = 0;  // the dearest set at the prices tried last, and its price
  std::vector<GroupId> dearest_set_;
};

ConfigurationLp::ConfigurationLp(const NetGraph& graph, const StagePlatform& platform, std::vector<GroupId> order,
                                 std::size_t widest)
    : graph_(graph), platform_(platform), order_(std::move(order)), widest_(widest) {}

ConfigurationLp::~ConfigurationLp() = default;

void ConfigurationLp::suggest(const FreeSplit& split) {
  std::vector<std::vector<GroupId>> sets(static_cast<std::size_t>(platform_.accelerators));
  for (GroupId v : graph_.all()) {
    const std::size_t d = split.device_of[v].index();
    if (d < sets.size()) sets[d].push_back(v);
  }
  for (auto& set : sets) {
    if (!set.empty()) columns_.push_back(std::move(set));
  }
}

Refutation ConfigurationLp::refute(double limit, Budget& budget) {
  if (!run_ || run_->limit() != limit) run_ = std::make_unique<Run>(*this, limit, budget);
  return run_->go(budget);
}

}  // namespace partita
