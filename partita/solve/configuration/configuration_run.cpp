// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/configuration_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "partita/solve/configuration/host_knapsack.h"

namespace partita::detail {
namespace {

constexpr double kFirstSmoothing = 0.7, kFirstSmoothingExactly = 0.5, kMostSmoothing = 0.995;
constexpr double kSmoothMore = 0.8, kSmoothLess = 1.25;  // factors of what is left of the duals' weight
// Where every group is held exactly once, every so many rounds go at least half way to the duals.
constexpr int kRoundsPerProbe = 4;
constexpr double kProbeWeight = 0.5;
constexpr int kMostHalvings = 12;  // of the duals' weight, while hosts could hold everything at the mixed prices
constexpr std::array kBuckets{100, 300, 1000, 4000, 16'000, 64'000, 256'000};
constexpr std::size_t kFirstLevelExactly = 1, kHostLevel = 3;
// Coarse buckets miss dear sets by a few widths: a set found this far above the goal is taken as the dearest.
constexpr double kWidthsMissed = 6;
constexpr int kVainProofsPerLevel = 2;     // prices get better meanwhile, and finer buckets are dear
constexpr double kDearPrice = 0.9;         // of the dearest set of its class: the least for further columns
constexpr std::size_t kDisjointLevel = 1;  // buckets for them
constexpr double kDearExactly = 0.5;       // the same where sets must fit together
constexpr int kMoreHostColumns = 4;
constexpr double kMostPrice = 64;  // of a group, in devices' worth
constexpr double kReducedCostEpsilon = 1e-7;
constexpr double kHostMargin = 1e-11;  // of the price that a host can hold, which is computed in floating point
constexpr double kLeastPart = 1e-9;    // of a column in a solution

Price charge_down(std::int64_t toll, Load memory) {
  return static_cast<Price>((static_cast<WideInt>(toll) * memory) >> Pricing::kThetaShift);
}
double as_double(Price price) { return static_cast<double>(price) / static_cast<double>(kPriceUnit); }

// Prices in the integers of a certificate: of groups, rounded down; tolls per unit of memory, times 2^kThetaShift.
Prices in_units(const std::vector<double>& prices) {
  Prices units(prices.size(), 0);
  for (GroupId v : units.all()) {
    const double price = std::clamp(prices[v.index()], -kMostPrice, kMostPrice) * static_cast<double>(kPriceUnit);
    units[v] = static_cast<Price>(std::floor(price));
  }
  return units;
}
std::int64_t toll_in_units(double toll) {
  const double per_unit = toll * static_cast<double>(kPriceUnit) / static_cast<double>(kUnits);
  return static_cast<std::int64_t>(std::ldexp(std::min(per_unit, 1.0), Pricing::kThetaShift));
}

Prices less_toll(Prices prices, std::int64_t toll, const Scaled& scaled) {
  for (GroupId v : prices.all()) prices[v] -= charge_down(toll, scaled.memory[v]);
  return prices;
}

}  // namespace

ConfigurationLp::Run::Run(ConfigurationLp& owner, double limit, std::vector<PairDecision> decisions, Budget& budget)
    : owner_(owner),
      limit_(limit),
      decisions_(std::move(decisions)),
      exactly_(!owner.model_.order.empty() || !decisions_.empty()),
      classes_(scaled_classes(owner, limit)),
      accelerators_(owner.accelerators_),
      with_columns_(exactly_ ? classes_.size() : accelerators_),
      master_(owner.model_.groups, classes_, exactly_ ? MasterLp::Kind::Exactly : MasterLp::Kind::Cover),
      level_(exactly_ ? kFirstLevelExactly : 0),
      smoothing_(exactly_ ? kFirstSmoothingExactly : kFirstSmoothing) {
  const Trellis::Rules rules{&owner.model_.order, decisions_};
  for (std::size_t c = 0; c < with_columns_; ++c) {
    if (!classes_[c].host) devices_ += classes_[c].count;
    trellises_.push_back(std::make_unique<Trellis>(owner.model_.classes[c].graph, classes_[c].scaled, owner.order_,
                                                   owner.size_, rules, &budget));
    budget.spend(trellises_[c]->state_count());
    if (trellises_[c]->too_large()) {
      too_large_ = stuck_ = true;
      return;
    }
    pricings_.push_back(std::make_unique<Pricing>(*trellises_[c], classes_[c].scaled.limit));
  }
  known_.resize(with_columns_);
  dearest_.resize(with_columns_);
  inner_dearest_.resize(accelerators_, 0);
}

std::vector<ScaledClass> ConfigurationLp::Run::scaled_classes(const ConfigurationLp& owner, double limit) {
  std::vector<ScaledClass> result;
  for (const ConfigurationModel::Devices& c : owner.model_.classes)
    result.push_back({c.host, c.count, scale(c.graph, c.memory, limit)});
  return result;
}

Refutation ConfigurationLp::Run::go(Budget& budget) {
  if (stuck_) return Refutation::LpFeasible;
  if (prove_by_one_group(budget)) return Refutation::Refuted;
  take_new_columns();
  if (!started_ && start(budget)) return Refutation::Refuted;
  if (accelerators_ == 0) return Refutation::LpFeasible;  // hosts alone were looked at
  while (!budget.exhausted() && !stuck_) {
    take_new_columns();
    const double value = master_.solve(budget);
    solved_ = true;
    if (value <= 1 + kReducedCostEpsilon && (!exactly_ || master_.artificial_part() <= kReducedCostEpsilon))
      return Refutation::LpFeasible;
    if (step(budget)) return Refutation::Refuted;
  }
  return stuck_ ? Refutation::LpFeasible : Refutation::Undecided;
}

std::vector<SetInUse> ConfigurationLp::Run::solution() const {
  std::vector<SetInUse> result;
  if (!solved_ || master_.artificial_part() > kReducedCostEpsilon) return result;
  const std::vector<double> parts = master_.column_parts();
  for (std::size_t i = 0; i < parts.size() && i < in_master_.size(); ++i) {
    if (parts[i] > kLeastPart) result.push_back({*in_master_[i].first, in_master_[i].second, parts[i]});
  }
  return result;
}

double ConfigurationLp::Run::shortfall() const {
  if (inner_.empty() || !(devices_ > 0)) return std::numeric_limits<double>::infinity();
  return together(inner_dearest_) / devices_;  // they are normalised so that every accelerator has to hold one
}

// A group that no device can hold, if there is one: a price on it alone is the proof.
bool ConfigurationLp::Run::prove_by_one_group(Budget& budget) {
  for (GroupId v : ids<GroupId>(groups())) {
    const auto holds = [&](const ScaledClass& c) { return c.scaled.on_host(v); };
    if (std::any_of(classes_.begin(), classes_.end(), holds)) continue;
    GroupPrices prices = untolled(std::vector<double>(groups(), 0));
    prices.of[v.index()] = 1;
    return try_prices(prices, budget);
  }
  return false;
}

bool ConfigurationLp::Run::start(Budget& budget) {
  started_ = true;
  inner_ = normalised(owner_.inner_, budget);
  if (inner_.empty()) inner_ = normalised(untolled(std::vector<double>(groups(), 1)), budget);
  if (inner_.empty()) {
    stuck_ = !exactly_;  // hosts can hold everything; as convex sets perhaps not, with other prices
    return false;
  }
  if (try_prices(inner_, budget)) return true;
  inner_dearest_ = dearest_prices();
  return false;
}

GroupPrices ConfigurationLp::Run::untolled(std::vector<double> of) const {
  return {std::move(of), std::vector<double>(classes_.size(), 0)};
}

GroupPrices ConfigurationLp::Run::mixed(const GroupPrices& outer, double weight) const {
  if (inner_.empty()) return outer;
  GroupPrices prices = inner_;
  const auto blend = [&](std::vector<double>& from, const std::vector<double>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = (1 - weight) * from[i] + weight * to[i];
  };
  blend(prices.of, outer.of);
  blend(prices.toll, outer.toll);
  return prices;
}

// Prices between the inner ones and the duals: a proof, or columns that move the master on, or prices nearer to a
// proof. Duals at which hosts could hold everything must not end a round: they are mixed in with less and less weight.
bool ConfigurationLp::Run::step(Budget& budget) {
  useful_ = false;
  GroupPrices outer = normalised(master_.prices(), budget);
  if (outer.empty()) {
    if (!exactly_) {
      stuck_ = true;
      return false;
    }
    outer = master_.prices();
  }
  const bool probe = exactly_ && ++rounds_ % kRoundsPerProbe == 0;
  double weight = inner_.empty() ? 1 : std::min(1.0, (1 + misses_) * (1 - smoothing_));
  if (probe) weight = std::max(weight, kProbeWeight);
  GroupPrices prices = normalised(mixed(outer, weight), budget);
  for (int i = 0; exactly_ && prices.empty() && !inner_.empty() && i < kMostHalvings; ++i) {
    weight /= 2;
    prices = normalised(mixed(outer, weight), budget);
  }
  if (prices.empty()) {
    if (!exactly_ || (inner_.empty() && !useful_)) stuck_ = true;
    if (!exactly_ || inner_.empty()) return false;  // with the sets of hosts just found the duals will be others
    prices = inner_;
  }
  if (try_prices(prices, budget)) return true;
  if (budget.exhausted()) return false;
  if (misses_ == 0 && !probe && !inner_.empty()) adapt_smoothing(prices, outer);
  if (inner_.empty() || together(dearest_prices()) < together(inner_dearest_)) {
    inner_dearest_ = dearest_prices();
    inner_ = std::move(prices);
    owner_.inner_ = inner_;
  }
  misses_ = useful_ ? 0 : misses_ + 1;
  if (!useful_ && weight >= 1) {  // not even the duals themselves give a new column: look closer
    const bool closest = level_ + 1 == kBuckets.size();
    const bool artificial = exactly_ && master_.artificial_part() > kReducedCostEpsilon;
    if (closest && !(artificial && master_.make_artificial_dearer())) stuck_ = true;
    look_closer();
  }
  return false;
}

void ConfigurationLp::Run::look_closer() {
  level_ = std::min(level_ + 1, kBuckets.size() - 1);
  vain_proofs_ = 0;
  misses_ = 0;
}

std::vector<double> ConfigurationLp::Run::dearest_prices() const {
  std::vector<double> result;
  for (std::size_t c = 0; c < accelerators_; ++c) result.push_back(as_double(dearest_[c].price));
  return result;
}

// What all devices of the first classes hold if every one holds so much.
double ConfigurationLp::Run::together(const std::vector<double>& by_class) const {
  double sum = 0;
  for (std::size_t c = 0; c < by_class.size(); ++c) sum += classes_[c].count * by_class[c];
  return sum;
}

GroupPrices ConfigurationLp::Run::normalised(GroupPrices prices, Budget& budget) {
  if (prices.empty()) return {};  // nobody had any, for want of time or memory
  const double all = std::accumulate(prices.of.begin(), prices.of.end(), 0.0);
  double left = all - together(prices.toll);
  for (std::size_t h = accelerators_; h < classes_.size() && left > 0; ++h)
    left -= classes_[h].count * on_host(h, prices, budget);
  if (!(left > 0) || (exactly_ && left < kReducedCostEpsilon)) return {};
  const double factor = devices_ > 0 ? devices_ / left : 1 / all;
  for (double& price : prices.of) price *= factor;
  for (double& toll : prices.toll) toll *= factor;
  return prices;
}

// The price of what a host of the class can hold. Where hosts have columns it is that of a real set, and those found on
// the way are handed to the master.
double ConfigurationLp::Run::on_host(std::size_t h, const GroupPrices& prices, Budget& budget) {
  const Scaled& scaled = classes_[h].scaled;
  if (!exactly_) return fill_host(scaled, prices.net(h, scaled)).price;
  const Prices net = less_toll(in_units(prices.of), toll_in_units(prices.toll[h]), scaled);
  const Price most = pricings_[h]->set_prices(net, &budget);
  budget.spend(trellises_[h]->state_count());
  PricedSet best = dearest_known(h, net);
  if (most <= best.price) return as_double(best.price);
  if (auto better = pricings_[h]->good_column(kBuckets[std::min(level_, kHostLevel)], best.price, budget)) {
    best = std::move(*better);
    remember(best.groups, h);
    add_disjoint_columns(h, net, best, kMoreHostColumns, budget);
  }
  return as_double(best.price);
}

// The proof needs the price of all less what all devices hold to be large. Its slope at the last prices, in the
// direction of the duals:
void ConfigurationLp::Run::adapt_smoothing(const GroupPrices& prices, const GroupPrices& outer) {
  double slope = together(inner_.toll) - together(outer.toll);
  for (std::size_t i = 0; i < outer.of.size(); ++i) slope += outer.of[i] - inner_.of[i];
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const Scaled& scaled = classes_[c].scaled;
    double change = 0;
    if (c >= with_columns_) {
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

// Proves the limit impossible with these prices, or at least finds the columns that stand in the way.
bool ConfigurationLp::Run::try_prices(const GroupPrices& prices, Budget& budget) {
  const Prices gross = in_units(prices.of);
  std::vector<std::int64_t> tolls;
  std::vector<Prices> net;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    tolls.push_back(toll_in_units(prices.toll[c]));
    net.push_back(less_toll(gross, tolls[c], classes_[c].scaled));
  }
  const WideInt room = room_for_columns(gross, net, tolls);
  for (std::size_t c = 0; c < with_columns_; ++c) {
    dearest_[c] = dearest_known(c, net[c]);
    if (classes_[c].host) continue;  // looked for when prices were normalised
    pricings_[c]->set_prices(net[c], &budget);
    budget.spend(trellises_[c]->state_count());
  }
  // With one class, it is known what a device has to hold.
  const WideInt for_accelerators = room - held(accelerators_, with_columns_);
  const Price share = accelerators_ == 1 && for_accelerators > 0
                          ? static_cast<Price>(for_accelerators / static_cast<WideInt>(devices_))
                          : 0;
  const auto worth_finding = static_cast<Price>(kDearPrice * static_cast<double>(share));
  for (std::size_t level = 0; level <= level_; ++level) {
    for (std::size_t c = 0; c < accelerators_; ++c) {
      const Price above = std::max(dearest_[c].price, worth_finding);
      if (auto better = pricings_[c]->good_column(kBuckets[level], above, budget)) dearest_[c] = std::move(*better);
      if (budget.exhausted()) return false;
    }
    const double missed = level < level_ ? kWidthsMissed / kBuckets[level] : 0;
    if (static_cast<double>(held(0, accelerators_)) > static_cast<double>(for_accelerators) * (1 + missed)) break;
    if (level < level_) continue;
    if (none_dearer(room, gross, net, tolls, budget)) return true;
    if (++vain_proofs_ == kVainProofsPerLevel) look_closer();
    break;
  }
  IdVector<GroupId, char> taken(groups(), 0);
  for (std::size_t c = 0; c < accelerators_; ++c) {
    remember(dearest_[c].groups, c);
    for (GroupId v : dearest_[c].groups) taken[v] = 1;
  }
  for (std::size_t c = 0; c < accelerators_; ++c) {
    for (GroupId v : taken.all()) net[c][v] = taken[v] && !exactly_ ? 0 : net[c][v];
    add_disjoint_columns(c, std::move(net[c]), dearest_[c], classes_[c].count, budget);
  }
  return false;
}

// The price of all groups less what hosts without columns can hold and what memory is charged for: what sets must hold
// net of tolls, and one less. What fits the memory of a device pays at most the toll on all of it.
WideInt ConfigurationLp::Run::room_for_columns(const Prices& gross, const std::vector<Prices>& net,
                                               const std::vector<std::int64_t>& tolls) const {
  WideInt room = -1;
  for (Price price : gross) room += price;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    WideInt each = tolls[c] > 0 ? charge_down(tolls[c], kUnits + 1) + 1 : 0;
    if (c >= with_columns_) {
      const double most = fill_host(classes_[c].scaled, {net[c].begin(), net[c].end()}).price;
      each += static_cast<WideInt>(std::ceil(most * (1 + kHostMargin)) + 1);
    }
    room -= static_cast<WideInt>(classes_[c].count) * each;
  }
  return room;
}

// What the devices of these classes hold if every one holds the dearest set of its class.
WideInt ConfigurationLp::Run::held(std::size_t from, std::size_t to) const {
  WideInt sum = 0;
  for (std::size_t c = from; c < to; ++c) sum += static_cast<WideInt>(classes_[c].count) * dearest_[c].price;
  return sum;
}

// The room above the dearest sets is shared out evenly. If no class has a set dearer than that, all devices together
// hold at most `room`, and that is the proof.
bool ConfigurationLp::Run::none_dearer(WideInt room, const Prices& gross, const std::vector<Prices>& net,
                                       const std::vector<std::int64_t>& tolls, Budget& budget) {
  const WideInt left = room - held(0, with_columns_);
  if (left < 0) return false;
  WideInt sharing = 0;
  for (std::size_t c = 0; c < with_columns_; ++c) sharing += classes_[c].count;
  FreeProof proof{limit_, owner_.model_.weights, owner_.order_, gross, {}, decisions_};
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (c >= with_columns_) {
      proof.devices.push_back({.memory_toll = tolls[c], .ignored = {}, .forgotten = {}});
      continue;
    }
    const Price most = dearest_[c].price + static_cast<Price>(left / sharing);
    if (classes_[c].host) pricings_[c]->set_prices(net[c], &budget);
    if (!pricings_[c]->none_above(kBuckets[level_], most, budget)) {
      // Of a host a dearer set may have been missed, which the next prices should know of.
      if (!classes_[c].host) return false;
      if (const auto better = pricings_[c]->good_column(kBuckets[level_], dearest_[c].price, budget))
        remember(better->groups, c);
      return false;
    }
    proof.devices.push_back(proof_of(c, tolls[c], most));
  }
  owner_.proof_ = std::move(proof);
  return true;
}

FreeProof::Devices ConfigurationLp::Run::proof_of(std::size_t c, std::int64_t toll, Price most) const {
  FreeProof::Devices of_class{toll, pricings_[c]->theta(), kBuckets[level_], most, {}, trellises_[c]->forgotten()};
  for (NetId e : trellises_[c]->ignored()) {
    const auto members = owner_.model_.classes[c].graph.members(e);
    of_class.ignored.emplace_back(members.begin(), members.end());
  }
  return of_class;
}

PricedSet ConfigurationLp::Run::dearest_known(std::size_t c, const Prices& prices) const {
  PricedSet dearest;
  for (const std::vector<GroupId>& column : known_[c]) {
    Price price = 0;
    for (GroupId v : column) price += prices[v];
    if (price > dearest.price) dearest = {column, price};
  }
  return dearest;
}

// More columns that avoid the groups of those found: together they cover much at once. Where every group is held exactly
// once, a group that one of them has is worth less than nothing to the next.
void ConfigurationLp::Run::add_disjoint_columns(std::size_t c, Prices prices, const PricedSet& dearest, int most,
                                                Budget& budget) {
  const auto avoid = [&](const std::vector<GroupId>& groups) {
    for (GroupId v : groups) prices[v] = exactly_ ? std::min<Price>(prices[v], -kPriceUnit / 4) : 0;
  };
  avoid(dearest.groups);
  const int buckets = kBuckets[std::min(level_, kDisjointLevel)];
  const auto above = static_cast<Price>((exactly_ ? kDearExactly : kDearPrice) * static_cast<double>(dearest.price));
  for (int i = 0; i < most && !budget.exhausted(); ++i) {
    pricings_[c]->set_prices(prices, &budget);
    budget.spend(trellises_[c]->state_count());
    const auto column = pricings_[c]->good_column(buckets, above, budget);
    if (!column) return;
    avoid(column->groups);
    remember(column->groups, c);
  }
}

void ConfigurationLp::Run::remember(std::vector<GroupId> groups, std::size_t c) {
  std::sort(groups.begin(), groups.end());
  if (!groups.empty() && learn(groups, c)) owner_.columns_.push_back(std::move(groups));
}

// Counts what it means for the prices at hand; false if the column was known.
bool ConfigurationLp::Run::learn(const std::vector<GroupId>& column, std::size_t c) {
  const auto [known, added] = known_[c].insert(column);
  if (!added) return false;
  const Scaled& scaled = classes_[c].scaled;
  master_.add(column, c);
  in_master_.emplace_back(&*known, c);
  if (!inner_.empty() && c < accelerators_)
    inner_dearest_[c] = std::max(inner_dearest_[c], inner_.net(column, c, scaled));
  useful_ = useful_ || master_.prices().net(column, c, scaled) >
                           master_.price_of_device(c) + kReducedCostEpsilon / std::max(devices_, 1.0);
  return true;
}

// Those of earlier limits, and what others have suggested meanwhile, for every class that can hold them.
void ConfigurationLp::Run::take_new_columns() {
  for (; taken_ < owner_.columns_.size(); ++taken_) {
    const std::vector<GroupId>& column = owner_.columns_[taken_];
    if (!std::ranges::all_of(decisions_, [&](const PairDecision& pair) { return pair.allows(column); })) continue;
    for (std::size_t c = 0; c < with_columns_; ++c) {
      const auto fits = [&](GroupId v) { return classes_[c].scaled.may_hold[v] != 0; };
      if (std::all_of(column.begin(), column.end(), fits) &&
          accelerator_load(owner_.model_.classes[c].graph, column) <= limit_)
        learn(column, c);
    }
  }
}

}  // namespace partita::detail
