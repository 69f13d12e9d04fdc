// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/configuration_lp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "partita/solve/configuration/host_knapsack.h"
#include "partita/solve/configuration/master_lp.h"
#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

constexpr double kFirstSmoothing = 0.7, kMostSmoothing = 0.995;
constexpr double kSmoothMore = 0.8, kSmoothLess = 1.25;  // factors of what is left of the duals' weight
constexpr std::array kBuckets{100, 300, 1000, 4000, 16'000, 64'000, 256'000};
// Coarse buckets miss dear sets by a few widths: a set found this far above the goal is taken as the dearest.
constexpr double kWidthsMissed = 6;
constexpr int kVainProofsPerLevel = 2;     // prices get better meanwhile, and finer buckets are dear
constexpr double kDearPrice = 0.9;         // of the dearest set of its class: the least for further columns
constexpr std::size_t kDisjointLevel = 1;  // buckets for them
constexpr double kMostPrice = 64;          // of a group, in devices' worth
constexpr double kReducedCostEpsilon = 1e-7;
constexpr double kHostMargin = 1e-11;  // of the price that a host can hold, which is computed in floating point

Price charge_down(std::int64_t toll, Load memory) {
  return static_cast<Price>((static_cast<WideInt>(toll) * memory) >> Pricing::kThetaShift);
}
double as_double(Price price) { return static_cast<double>(price) / static_cast<double>(kPriceUnit); }

}  // namespace

// One limit. The master problem lives here; columns found are handed back for later limits.
class ConfigurationLp::Run {
 public:
  Run(ConfigurationLp& owner, double limit, const Budget& budget)
      : owner_(owner), limit_(limit), classes_(scaled_classes(owner, limit)), master_(owner.groups_, classes_) {
    for (std::size_t c = 0; c < owner.accelerators_; ++c) {
      devices_ += classes_[c].count;
      trellises_.push_back(
          std::make_unique<Trellis>(owner.classes_[c].graph, classes_[c].scaled, owner.order_, owner.widest_, &budget));
      pricings_.push_back(std::make_unique<Pricing>(*trellises_[c], classes_[c].scaled.limit));
    }
    known_.resize(owner.accelerators_);
    dearest_.resize(owner.accelerators_);
    inner_dearest_.resize(owner.accelerators_, 0);
  }

  double limit() const { return limit_; }

  Refutation go(Budget& budget) {
    if (prove_by_one_group(budget)) return Refutation::Refuted;
    take_new_columns();
    if (!started_ && start(budget)) return Refutation::Refuted;
    if (owner_.accelerators_ == 0) return Refutation::LpFeasible;  // a knapsack was all there is
    while (!budget.exhausted() && !stuck_) {
      take_new_columns();
      if (master_.solve(budget) <= 1 + kReducedCostEpsilon) return Refutation::LpFeasible;
      if (step(budget)) return Refutation::Refuted;
    }
    return stuck_ ? Refutation::LpFeasible : Refutation::Undecided;
  }

 private:
  static std::vector<ScaledClass> scaled_classes(const ConfigurationLp& owner, double limit) {
    std::vector<ScaledClass> result;
    for (const OneClass& c : owner.classes_) result.push_back({c.host, c.count, scale(c.graph, c.memory, limit)});
    return result;
  }

  // A group that no device can hold, if there is one: a price on it alone is the proof.
  bool prove_by_one_group(Budget& budget) {
    for (GroupId v : ids<GroupId>(owner_.groups_)) {
      const auto holds = [&](const ScaledClass& c) { return c.scaled.on_host(v); };
      if (std::any_of(classes_.begin(), classes_.end(), holds)) continue;
      GroupPrices prices = untolled(std::vector<double>(owner_.groups_, 0));
      prices.of[v.index()] = 1;
      return try_prices(prices, budget);
    }
    return false;
  }

  bool start(Budget& budget) {
    started_ = true;
    for (const auto& trellis : trellises_) budget.spend(trellis->state_count());
    inner_ = normalised(owner_.inner_);
    if (inner_.empty()) inner_ = normalised(untolled(std::vector<double>(owner_.groups_, 1)));
    if (inner_.empty()) {
      stuck_ = true;  // hosts can hold everything
      return false;
    }
    if (try_prices(inner_, budget)) return true;
    inner_dearest_ = dearest_prices();
    return false;
  }

  GroupPrices untolled(std::vector<double> of) const {
    return {std::move(of), std::vector<double>(classes_.size(), 0)};
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
    GroupPrices prices = inner_;
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

  std::vector<double> dearest_prices() const {
    std::vector<double> result;
    for (const PricedSet& set : dearest_) result.push_back(as_double(set.price));
    return result;
  }
  // What all devices of the first classes hold if every one holds so much.
  double together(const std::vector<double>& by_class) const {
    double sum = 0;
    for (std::size_t c = 0; c < by_class.size(); ++c) sum += classes_[c].count * by_class[c];
    return sum;
  }

  // Scaled so that an average accelerator has to hold one; empty if hosts and memory could hold it all.
  GroupPrices normalised(GroupPrices prices) const {
    if (prices.empty()) return {};  // nobody had any, for want of time or memory
    const double all = std::accumulate(prices.of.begin(), prices.of.end(), 0.0);
    double left = all - together(prices.toll);
    for (std::size_t h = owner_.accelerators_; h < classes_.size(); ++h)
      left -= classes_[h].count * fill_host(classes_[h].scaled, prices.net(h, classes_[h].scaled)).price;
    if (!(left > 0)) return {};
    const double factor = devices_ > 0 ? devices_ / left : 1 / all;
    for (double& price : prices.of) price *= factor;
    for (double& toll : prices.toll) toll *= factor;
    return prices;
  }

  // The proof needs the price of all less what all devices hold to be large. Its slope at the last prices, in the
  // direction of the duals:
  void adapt_smoothing(const GroupPrices& prices, const GroupPrices& outer) {
    double slope = together(inner_.toll) - together(outer.toll);
    for (std::size_t i = 0; i < outer.of.size(); ++i) slope += outer.of[i] - inner_.of[i];
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const Scaled& scaled = classes_[c].scaled;
      double change = 0;
      if (classes_[c].host) {
        const std::vector<double> fraction = fill_host(scaled, prices.net(c, scaled)).fraction;
        for (GroupId v : scaled.time.all())
          change += fraction[v.index()] * (outer.net(v, c, scaled) - inner_.net(v, c, scaled));
      } else {
        change = outer.net(dearest_[c].groups, c, scaled) - inner_.net(dearest_[c].groups, c, scaled);
      }
      slope -= classes_[c].count * change;
    }
    const double weight = (1 - smoothing_) * (slope > 0 ? kSmoothLess : kSmoothMore);
    smoothing_ = std::clamp(1 - weight, 0.0, kMostSmoothing);
  }

  // Prices in the integers of a certificate: of groups, rounded down; tolls per unit of memory, times 2^kThetaShift.
  Prices in_units(const std::vector<double>& prices) const {
    Prices units(owner_.groups_, 0);
    for (GroupId v : units.all()) {
      const double price = std::min(prices[v.index()], kMostPrice) * static_cast<double>(kPriceUnit);
      units[v] = static_cast<Price>(std::floor(price));
    }
    return units;
  }
  static std::int64_t toll_in_units(double toll) {
    const double per_unit = toll * static_cast<double>(kPriceUnit) / static_cast<double>(kUnits);
    return static_cast<std::int64_t>(std::ldexp(std::min(per_unit, 1.0), Pricing::kThetaShift));
  }

  // Proves the limit impossible with these prices, or at least finds the columns that stand in the way.
  bool try_prices(const GroupPrices& prices, Budget& budget) {
    const std::size_t accelerators = owner_.accelerators_;
    const Prices gross = in_units(prices.of);
    std::vector<std::int64_t> tolls;
    std::vector<Prices> net;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      tolls.push_back(toll_in_units(prices.toll[c]));
      net.push_back(gross);
      for (GroupId v : gross.all()) net[c][v] -= charge_down(tolls[c], classes_[c].scaled.memory[v]);
    }
    const WideInt room = room_for_accelerators(gross, net, tolls);
    for (std::size_t c = 0; c < accelerators; ++c) {
      pricings_[c]->set_prices(net[c], &budget);
      budget.spend(trellises_[c]->state_count());
      dearest_[c] = dearest_known(c, net[c]);
    }
    // With one class, it is known what a device has to hold.
    const Price share = accelerators == 1 && room > 0 ? static_cast<Price>(room / static_cast<WideInt>(devices_)) : 0;
    const auto worth_finding = static_cast<Price>(kDearPrice * static_cast<double>(share));
    for (std::size_t level = 0; level <= level_; ++level) {
      for (std::size_t c = 0; c < accelerators; ++c) {
        const Price above = std::max(dearest_[c].price, worth_finding);
        if (auto better = pricings_[c]->good_column(kBuckets[level], above, budget)) dearest_[c] = std::move(*better);
        if (budget.exhausted()) return false;
      }
      const double missed = level < level_ ? kWidthsMissed / kBuckets[level] : 0;
      if (static_cast<double>(held()) > static_cast<double>(room) * (1 + missed)) break;
      if (level < level_) continue;
      if (none_dearer(room, gross, tolls, budget)) return true;
      if (++vain_proofs_ == kVainProofsPerLevel) look_closer();
    }
    for (std::size_t c = 0; c < accelerators; ++c) remember(dearest_[c].groups, c);
    add_disjoint_columns(net, budget);
    return false;
  }

  // The price of all groups less what hosts can hold and what memory is charged for: what accelerators must hold net of
  // tolls, and one less. What fits the memory of a device pays at most the toll on all of it.
  WideInt room_for_accelerators(const Prices& gross, const std::vector<Prices>& net,
                                const std::vector<std::int64_t>& tolls) const {
    WideInt room = -1;
    for (Price price : gross) room += price;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      WideInt each = tolls[c] > 0 ? charge_down(tolls[c], kUnits + 1) + 1 : 0;
      if (classes_[c].host) {
        const double most = fill_host(classes_[c].scaled, {net[c].begin(), net[c].end()}).price;
        each += static_cast<WideInt>(std::ceil(most * (1 + kHostMargin)) + 1);
      }
      room -= static_cast<WideInt>(classes_[c].count) * each;
    }
    return room;
  }

  // What the accelerators hold if every one holds the dearest set of its class.
  WideInt held() const {
    WideInt sum = 0;
    for (std::size_t c = 0; c < dearest_.size(); ++c)
      sum += static_cast<WideInt>(classes_[c].count) * dearest_[c].price;
    return sum;
  }

  // The room above the dearest sets is shared out evenly. If no class has a set dearer than that, all accelerators
  // together hold at most `room`, and that is the proof.
  bool none_dearer(WideInt room, const Prices& gross, const std::vector<std::int64_t>& tolls, Budget& budget) {
    const WideInt left = room - held();
    if (left < 0) return false;
    FreeProof proof{limit_, owner_.weights_, owner_.order_, gross, {}};
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      FreeProof::Devices of_class{.memory_toll = tolls[c], .ignored = {}};
      if (!classes_[c].host) {
        of_class.theta = pricings_[c]->theta();
        of_class.buckets = kBuckets[level_];
        of_class.most = dearest_[c].price + static_cast<Price>(left / static_cast<WideInt>(devices_));
        if (!pricings_[c]->none_above(of_class.buckets, of_class.most, budget)) return false;
        for (NetId e : trellises_[c]->ignored()) {
          const auto members = owner_.classes_[c].graph.members(e);
          of_class.ignored.emplace_back(members.begin(), members.end());
        }
      }
      proof.devices.push_back(std::move(of_class));
    }
    owner_.proof_ = std::move(proof);
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
  void add_disjoint_columns(const std::vector<Prices>& net, Budget& budget) {
    IdVector<GroupId, char> taken(owner_.groups_, 0);
    for (const PricedSet& set : dearest_) {
      for (GroupId v : set.groups) taken[v] = 1;
    }
    const int buckets = kBuckets[std::min(level_, kDisjointLevel)];
    for (std::size_t c = 0; c < dearest_.size(); ++c) {
      for (int i = 0; i < classes_[c].count && !budget.exhausted(); ++i) {
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
    if (!groups.empty() && learn(groups, c)) owner_.columns_.push_back(std::move(groups));
  }

  // Counts what it means for the prices at hand; false if the column was known.
  bool learn(const std::vector<GroupId>& column, std::size_t c) {
    if (!known_[c].insert(column).second) return false;
    const Scaled& scaled = classes_[c].scaled;
    master_.add(column, c);
    if (!inner_.empty()) inner_dearest_[c] = std::max(inner_dearest_[c], inner_.net(column, c, scaled));
    useful_ = useful_ ||
              master_.prices().net(column, c, scaled) > master_.price_of_device(c) + kReducedCostEpsilon / devices_;
    return true;
  }

  // Those of earlier limits, and what others have suggested meanwhile, for every class that can hold them.
  void take_new_columns() {
    for (; taken_ < owner_.columns_.size(); ++taken_) {
      const std::vector<GroupId>& column = owner_.columns_[taken_];
      for (std::size_t c = 0; c < owner_.accelerators_; ++c) {
        const auto fits = [&](GroupId v) { return classes_[c].scaled.may_hold[v] != 0; };
        if (std::all_of(column.begin(), column.end(), fits) &&
            accelerator_load(owner_.classes_[c].graph, column) <= limit_)
          learn(column, c);
      }
    }
  }

  ConfigurationLp& owner_;
  const double limit_;
  const std::vector<ScaledClass> classes_;
  std::vector<std::unique_ptr<Trellis>> trellises_;  // by class of accelerators, as all that follows
  std::vector<std::unique_ptr<Pricing>> pricings_;
  MasterLp master_;
  double devices_ = 0;  // accelerators

  std::vector<std::set<std::vector<GroupId>>> known_;  // the columns that the master has
  std::size_t taken_ = 0;                              // of the owner's columns
  bool started_ = false;
  bool stuck_ = false;     // nothing more can be told apart
  int vain_proofs_ = 0;    // at this level: no dear set was found, yet buckets were too coarse to rule them out
  std::size_t level_ = 0;  // of buckets: the finest that was needed so far

  GroupPrices inner_;                  // the prices nearest to a proof
  std::vector<double> inner_dearest_;  // the dearest set known at these prices
  std::vector<PricedSet> dearest_;     // the dearest at the prices tried last
  double smoothing_ = kFirstSmoothing;
  int misses_ = 0;  // steps without a useful column
  bool useful_ = false;
};

ConfigurationLp::ConfigurationLp(const FreeInstance& instance, const LoadWeights& weights, GroupPrices first_prices,
                                 std::vector<GroupId> order, std::size_t widest)
    : groups_(instance.graph.size()),
      accelerators_(instance.devices.accelerator_classes()),
      weights_(weights),
      order_(std::move(order)),
      widest_(widest),
      inner_(std::move(first_prices)) {
  for (std::size_t c = 0; c < instance.class_count(); ++c) {
    const DeviceTable::Class& from = instance.device_class(c);
    classes_.push_back({from.host, static_cast<int>(from.count), from.memory, weighted_graph(instance, c, weights)});
  }
}

ConfigurationLp::~ConfigurationLp() = default;

void ConfigurationLp::suggest(const FreeSplit& split) {
  std::size_t accelerators = 0;
  for (std::size_t c = 0; c < accelerators_; ++c) accelerators += static_cast<std::size_t>(classes_[c].count);
  std::vector<std::vector<GroupId>> sets(accelerators);
  for (GroupId v : split.device_of.all()) {
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

}  // namespace partita::detail
