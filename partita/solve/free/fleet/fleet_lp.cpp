// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/fleet/fleet_lp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "partita/reduce/threshold.h"
#include "partita/solve/free/host_knapsack.h"
#include "partita/solve/free/pricing.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/wide_int.h"

namespace partita {
namespace {

constexpr double kFirstSmoothing = 0.7, kMostSmoothing = 0.995;
constexpr double kSmoothMore = 0.8, kSmoothLess = 1.25;  // factors of what is left of the duals' weight
constexpr std::array kBuckets{100, 300, 1000, 4000, 16'000, 64'000, 256'000};
constexpr double kWidthsMissed = 6;     // coarse buckets miss dear sets by a few widths
constexpr int kVainProofsPerLevel = 2;  // prices get better meanwhile, and finer buckets are dear
constexpr double kDearPrice = 0.9;      // of the dearest set of its class: the least for further columns
constexpr std::size_t kDisjointLevel = 1;
constexpr double kMostPrice = 64;  // of a group, in devices' worth
constexpr double kReducedCostEpsilon = 1e-7;
constexpr double kHostMargin = 1e-11;  // of the price that a host can hold, which is computed in floating point

Price charge_down(std::int64_t toll, Load memory) {
  return static_cast<Price>((static_cast<WideInt>(toll) * memory) >> Pricing::kThetaShift);
}

}  // namespace

// One limit. The master problem lives here; columns found are handed back for later limits.
class FleetLp::Run {
 public:
  Run(FleetLp& owner, double limit, const Budget& budget) : owner_(owner), limit_(limit) {
    for (const OneClass& c : owner.accelerators_) {
      accelerators_.push_back({c.platform.accelerators, scale(c.graph, c.platform, limit)});
      devices_ += c.platform.accelerators;
    }
    for (const OneClass& c : owner.hosts_) hosts_.push_back({c.platform.hosts, scale(c.graph, c.platform, limit)});
    for (std::size_t c = 0; c < accelerators_.size(); ++c) {
      const Scaled& scaled = accelerators_[c].scaled;
      trellises_.push_back(
          std::make_unique<Trellis>(owner.accelerators_[c].graph, scaled, owner.order_, owner.widest_, &budget));
      pricings_.push_back(std::make_unique<Pricing>(*trellises_[c], scaled.limit));
    }
    known_.resize(accelerators_.size());
    dearest_.resize(accelerators_.size());
    inner_dearest_.resize(accelerators_.size(), 0);
    master_ = std::make_unique<FleetMaster>(owner.groups_, accelerators_, hosts_);
  }

  double limit() const { return limit_; }

  Refutation go(Budget& budget) {
    if (some_group_fits_nowhere()) return Refutation::Refuted;
    if (accelerators_.empty()) return Refutation::LpFeasible;  // the volume is all there is to say
    take_new_columns();
    if (!started_ && start(budget)) return Refutation::Refuted;
    while (!budget.exhausted() && !stuck_) {
      take_new_columns();
      if (master_->solve(budget) <= 1 + kReducedCostEpsilon) return Refutation::LpFeasible;
      if (step(budget)) return Refutation::Refuted;
    }
    return stuck_ ? Refutation::LpFeasible : Refutation::Undecided;
  }

 private:
  bool some_group_fits_nowhere() const {
    for (GroupId v : ids<GroupId>(owner_.groups_)) {
      bool fits = false;
      for (const ScaledClass& c : accelerators_)
        fits = fits || (c.scaled.on_accelerator[v] && c.scaled.accelerator_time[v] <= c.scaled.limit);
      for (const ScaledClass& h : hosts_) fits = fits || h.scaled.on_host[v];
      if (!fits) return true;
    }
    return false;
  }

  bool start(Budget& budget) {
    started_ = true;
    for (const auto& trellis : trellises_) budget.spend(trellis->state_count());
    inner_ = normalised(owner_.inner_.empty() ? untolled(owner_.first_prices_) : owner_.inner_);
    if (inner_.empty()) inner_ = normalised(untolled(std::vector<double>(owner_.groups_, 1)));
    if (inner_.empty()) {
      stuck_ = true;  // hosts can hold everything
      return false;
    }
    if (try_prices(inner_, budget)) return true;
    for (std::size_t c = 0; c < dearest_.size(); ++c) inner_dearest_[c] = as_double(dearest_[c].price);
    return false;
  }

  FleetPrices untolled(std::vector<double> of) const {
    return {std::move(of), std::vector<double>(accelerators_.size(), 0)};
  }

  // Prices between the inner ones and the duals: a proof, or columns that move the master on, or prices nearer to a
  // proof.
  bool step(Budget& budget) {
    const FleetPrices outer = normalised(master_->prices());
    if (outer.empty()) {
      stuck_ = true;
      return false;
    }
    const double weight = std::min(1.0, (1 + misses_) * (1 - smoothing_));
    FleetPrices prices = inner_;
    const auto blend = [&](std::vector<double>& from, const std::vector<double>& to) {
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = (1 - weight) * from[i] + weight * to[i];
    };
    blend(prices.of, outer.of);
    blend(prices.toll, outer.toll);
    prices = normalised(std::move(prices));
    if (prices.empty()) {
      stuck_ = true;
      return false;
    }
    useful_ = false;
    if (try_prices(prices, budget)) return true;
    if (budget.exhausted()) return false;
    if (misses_ == 0) adapt_smoothing(prices, outer);
    if (together(dearest_prices()) < together(inner_dearest_)) {
      inner_dearest_ = dearest_prices();
      inner_ = std::move(prices);
      owner_.inner_ = inner_;
    }
    misses_ = useful_ ? 0 : misses_ + 1;
    if (!useful_ && weight >= 1) {  // not even the duals themselves give a new column: look closer
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

  static double as_double(Price price) { return static_cast<double>(price) / static_cast<double>(kPriceUnit); }
  std::vector<double> dearest_prices() const {
    std::vector<double> result;
    for (const PricedSet& set : dearest_) result.push_back(as_double(set.price));
    return result;
  }
  // What all accelerators hold if every one holds so much.
  double together(const std::vector<double>& by_class) const {
    double sum = 0;
    for (std::size_t c = 0; c < by_class.size(); ++c) sum += accelerators_[c].count * by_class[c];
    return sum;
  }

  // Scaled so that an average accelerator has to hold one; empty if hosts and memory could hold it all.
  FleetPrices normalised(FleetPrices prices) const {
    double total = std::accumulate(prices.of.begin(), prices.of.end(), 0.0) - together(prices.toll);
    for (const ScaledClass& h : hosts_) total -= h.count * fill_host(h.scaled, prices.of).price;
    if (!(total > 0)) return {};
    for (double& price : prices.of) price *= devices_ / total;
    for (double& toll : prices.toll) toll *= devices_ / total;
    return prices;
  }

  // The proof needs the price of all less what all devices hold to be large. Its slope at the last prices, in the
  // direction of the duals:
  void adapt_smoothing(const FleetPrices& prices, const FleetPrices& outer) {
    std::vector<double> elsewhere(owner_.groups_, 0);
    for (const ScaledClass& h : hosts_) {
      const std::vector<double> on_host = fill_host(h.scaled, prices.of).fraction;
      for (std::size_t i = 0; i < elsewhere.size(); ++i) elsewhere[i] += h.count * on_host[i];
    }
    double slope = together(inner_.toll) - together(outer.toll);
    for (std::size_t i = 0; i < elsewhere.size(); ++i) slope += (outer.of[i] - inner_.of[i]) * (1 - elsewhere[i]);
    for (std::size_t c = 0; c < accelerators_.size(); ++c) {
      const Scaled& scaled = accelerators_[c].scaled;
      slope -= accelerators_[c].count *
               (outer.net(dearest_[c].groups, c, scaled) - inner_.net(dearest_[c].groups, c, scaled));
    }
    const double weight = (1 - smoothing_) * (slope > 0 ? kSmoothLess : kSmoothMore);
    smoothing_ = std::clamp(1 - weight, 0.0, kMostSmoothing);
  }

  // Proves the limit impossible with these prices, or at least finds the columns that stand in the way.
  bool try_prices(const FleetPrices& prices, Budget& budget) {
    const std::size_t classes = accelerators_.size();
    Prices gross(owner_.groups_, 0);
    for (GroupId v : gross.all()) {
      gross[v] =
          static_cast<Price>(std::floor(std::min(prices.of[v.index()], kMostPrice) * static_cast<double>(kPriceUnit)));
    }
    std::vector<Prices> net(classes, gross);
    WideInt room = room_for_accelerators(gross);
    for (std::size_t c = 0; c < classes; ++c) {
      const double per_unit = prices.toll[c] * static_cast<double>(kPriceUnit) / static_cast<double>(kUnits);
      const auto toll = static_cast<std::int64_t>(std::ldexp(std::min(per_unit, 1.0), Pricing::kThetaShift));
      const Scaled& scaled = accelerators_[c].scaled;
      for (GroupId v : gross.all()) net[c][v] -= charge_down(toll, scaled.memory[v]);
      // What fits the memory pays at most the toll on all of it.
      if (toll > 0) room -= static_cast<WideInt>(accelerators_[c].count) * (charge_down(toll, kUnits + 1) + 1);
      pricings_[c]->set_prices(net[c], &budget);
      budget.spend(trellises_[c]->state_count());
      dearest_[c] = dearest_known(c, net[c]);
    }
    for (std::size_t level = 0; level <= level_; ++level) {
      for (std::size_t c = 0; c < classes; ++c) {
        if (auto better = pricings_[c]->good_column(kBuckets[level], dearest_[c].price, budget))
          dearest_[c] = std::move(*better);
        if (budget.exhausted()) return false;
      }
      const double missed = level < level_ ? kWidthsMissed / kBuckets[level] : 0;
      if (static_cast<double>(held()) > static_cast<double>(room) * (1 + missed)) break;
      if (level < level_) continue;
      if (none_dearer(room, budget)) return true;
      if (++vain_proofs_ == kVainProofsPerLevel) look_closer();
    }
    for (std::size_t c = 0; c < classes; ++c) remember(dearest_[c].groups, c);
    add_disjoint_columns(gross, net, budget);
    return false;
  }

  // The price of all groups less what hosts can hold: what accelerators must hold, and one less.
  WideInt room_for_accelerators(const Prices& gross) const {
    WideInt room = -1;
    for (Price price : gross) room += price;
    const std::vector<double> as_doubles(gross.begin(), gross.end());
    for (const ScaledClass& h : hosts_) {
      const double most = fill_host(h.scaled, as_doubles).price;
      room -= static_cast<WideInt>(h.count) * static_cast<WideInt>(std::ceil(most * (1 + kHostMargin)) + 1);
    }
    return room;
  }

  // What the accelerators hold if every one holds the dearest set of its class.
  WideInt held() const {
    WideInt sum = 0;
    for (std::size_t c = 0; c < dearest_.size(); ++c)
      sum += static_cast<WideInt>(accelerators_[c].count) * dearest_[c].price;
    return sum;
  }

  // The room above the dearest sets is shared out evenly. If no class has a set dearer than that, all accelerators
  // together hold at most `room`.
  bool none_dearer(WideInt room, Budget& budget) {
    const WideInt left = room - held();
    if (left < 0) return false;
    const auto more = static_cast<Price>(left / static_cast<WideInt>(devices_));
    for (std::size_t c = 0; c < accelerators_.size(); ++c) {
      if (!pricings_[c]->none_above(kBuckets[level_], dearest_[c].price + more, budget)) return false;
    }
    return true;
  }

  PricedSet dearest_known(std::size_t c, const Prices& prices) const {
    PricedSet dearest;
    for (const std::vector<GroupId>& column : known_[c]) {
      Price price = 0;
      for (GroupId v : column) price += prices[v];
      if (price > dearest.price) dearest = {column, price};
    }
    return dearest;
  }

  // More columns that avoid the groups of those found: together they cover much at once.
  void add_disjoint_columns(const Prices& gross, const std::vector<Prices>& net, Budget& budget) {
    IdVector<GroupId, char> taken(gross.size(), 0);
    for (const PricedSet& set : dearest_) {
      for (GroupId v : set.groups) taken[v] = 1;
    }
    const int buckets = kBuckets[std::min(level_, kDisjointLevel)];
    for (std::size_t c = 0; c < accelerators_.size(); ++c) {
      for (int i = 0; i < accelerators_[c].count && !budget.exhausted(); ++i) {
        Prices prices = net[c];
        for (GroupId v : prices.all()) prices[v] = taken[v] ? 0 : prices[v];
        pricings_[c]->set_prices(prices, &budget);
        budget.spend(trellises_[c]->state_count());
        const auto above = static_cast<Price>(kDearPrice * static_cast<double>(dearest_[c].price));
        const auto column = pricings_[c]->good_column(buckets, above, budget);
        if (!column) break;
        for (GroupId v : column->groups) taken[v] = 1;
        remember(column->groups, c);
      }
    }
  }

  void remember(std::vector<GroupId> groups, std::size_t c) {
    std::sort(groups.begin(), groups.end());
    if (groups.empty()) return;
    const bool news = learn(groups, c);
    if (news) owner_.columns_.push_back(std::move(groups));
  }

  // Counts what it means for the prices at hand; false if the column was known.
  bool learn(const std::vector<GroupId>& column, std::size_t c) {
    if (!known_[c].insert(column).second) return false;
    const Scaled& scaled = accelerators_[c].scaled;
    master_->add(column, c);
    if (!inner_.empty()) inner_dearest_[c] = std::max(inner_dearest_[c], inner_.net(column, c, scaled));
    useful_ = useful_ ||
              master_->prices().net(column, c, scaled) > master_->price_of_device(c) + kReducedCostEpsilon / devices_;
    return true;
  }

  // Those of earlier limits, and what others have suggested meanwhile, for every class that can hold them.
  void take_new_columns() {
    for (; taken_ < owner_.columns_.size(); ++taken_) {
      const std::vector<GroupId>& column = owner_.columns_[taken_];
      for (std::size_t c = 0; c < accelerators_.size(); ++c) {
        const Scaled& scaled = accelerators_[c].scaled;
        const bool runs =
            std::all_of(column.begin(), column.end(), [&](GroupId v) { return scaled.on_accelerator[v] != 0; });
        if (runs && accelerator_load(owner_.accelerators_[c].graph, column) <= limit_) learn(column, c);
      }
    }
  }

  FleetLp& owner_;
  const double limit_;
  std::vector<ScaledClass> accelerators_, hosts_;
  std::vector<std::unique_ptr<Trellis>> trellises_;
  std::vector<std::unique_ptr<Pricing>> pricings_;
  std::unique_ptr<FleetMaster> master_;
  double devices_ = 0;  // accelerators

  std::vector<std::set<std::vector<GroupId>>> known_;  // by class: the columns that the master has
  std::size_t taken_ = 0;                              // of the owner's columns
  bool started_ = false;
  bool stuck_ = false;     // nothing more can be told apart
  int vain_proofs_ = 0;    // at this level: no dear set was found, yet buckets were too coarse to rule them out
  std::size_t level_ = 0;  // of buckets: the finest that was needed so far

  FleetPrices inner_;                  // the prices nearest to a proof
  std::vector<double> inner_dearest_;  // by class: the dearest set known at these prices
  std::vector<PricedSet> dearest_;     // by class: the dearest at the prices tried last
  double smoothing_ = kFirstSmoothing;
  int misses_ = 0;  // steps without a useful column
  bool useful_ = false;
};

FleetLp::FleetLp(const FleetInstance& instance, const LoadWeights& weights, std::vector<double> first_prices,
                 std::vector<GroupId> order, std::size_t widest)
    : groups_(instance.graph.size()),
      order_(std::move(order)),
      widest_(widest),
      first_prices_(std::move(first_prices)) {
  const Fleet& fleet = instance.fleet;
  for (std::size_t c = 0; c < fleet.class_count(); ++c) {
    const DeviceTable::Class& from = fleet.device_class(c);
    const int count = static_cast<int>(from.count);
    if (!from.host) {
      accelerators_.push_back(
          {weighted_graph(instance.graph, fleet, c, weights), StagePlatform{count, 0, from.memory, 0}});
      continue;
    }
    IdVector<GroupId, Group> groups(groups_);
    for (GroupId v : groups.all()) {
      const FleetTime& time = fleet.time[c][v];
      groups[v] = {0, time.total(), instance.graph.group(v).memory, false, time.runs};
    }
    hosts_.push_back({NetGraph(std::move(groups), {}), StagePlatform{0, count, 0, from.memory}});
  }
}

FleetLp::~FleetLp() = default;

void FleetLp::suggest(const FreeSplit& split) {
  std::vector<std::vector<GroupId>> sets;
  for (GroupId v : split.device_of.all()) {
    const std::size_t d = split.device_of[v].index();
    if (d >= sets.size()) sets.resize(d + 1);
    sets[d].push_back(v);
  }
  for (auto& set : sets) {
    if (!set.empty()) columns_.push_back(std::move(set));
  }
}

Refutation FleetLp::refute(double limit, Budget& budget) {
  // A little more is refuted than asked for: loads are sums of doubles, and whoever adds them in another order may get
  // a limit where this program is just above it.
  const double above = limit * (1 + kRoundingSlack);
  if (!run_ || run_->limit() != above) run_ = std::make_unique<Run>(*this, above, budget);
  return run_->go(budget);
}

}  // namespace partita
