// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/configuration_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "partita/solve/configuration/host_knapsack.h"
#include "partita/util/parallel.h"

namespace partita::detail {
namespace {

constexpr double kFirstSmoothing = 0.7, kFirstSmoothingExactly = 0.5, kMostSmoothing = 0.995;
constexpr double kSmoothMore = 0.8, kSmoothLess = 1.25;  // factors of what is left of the duals' weight
// Where every group is held exactly once, every so many rounds go at least half way to the duals.
constexpr int kRoundsPerProbe = 4;
constexpr double kProbeWeight = 0.5;
constexpr int kMostHalvings = 12;  // of the duals' weight, while hosts could hold everything at the mixed prices
constexpr std::array kBuckets{100, 300, 1000, 4000, 16'000, 64'000, 256'000, kMostBuckets};
// The finest where labels are few without buckets too, as those of convex sets are. [InceptionV3, training, contiguous:
// seven million at most. The limit just below the best value is refuted by prices a hundred-thousandth from none, which
// is three widths with 256,000 buckets. Free: three hundred million.]
constexpr std::uint64_t kFewLabels = 20'000'000;
constexpr std::size_t kFirstLevelExactly = 1, kHostLevel = 3;
// Coarse buckets miss dear sets by a few widths: a set found this far above the goal is taken as the dearest.
constexpr double kWidthsMissed = 6;
// Prices get better meanwhile, and finer buckets are dear; near the inner prices they get better sooner.
constexpr int kVainProofsPerLevel = 2, kVainProofsNearby = 3;
// With finer buckets proofs take long, and fail where the dearest set is not a width below the goal.
constexpr std::size_t kQuickLevel = 2;
constexpr double kWidthsForProof = 1, kWidthsForSure = 20;
constexpr std::size_t kLevelsAhead = 2;
// Far from the best value prices get better for long while proofs fail, and finer buckets make every round dearer. So
// proofs are tried where they are likely: what buckets round away adds up over the layers. [densenet-201-training, 950
// layers: 1,000 buckets need 4 % of room, 4,000 2 to 3 %, 16,000 0.5 %.]
constexpr double kWidthsPerLayer = 0.1;
constexpr std::size_t kFarLevelsAhead = 3;
constexpr double kDearPrice = 0.9;         // of the dearest set of its class: the least for further columns
constexpr std::size_t kDisjointLevel = 1;  // buckets for them
constexpr double kDearExactly = 0.5;       // the same where sets must fit together
constexpr int kMoreHostColumns = 4;
constexpr double kMostPrice = 64;  // of a group, in devices' worth
constexpr double kReducedCostEpsilon = 1e-7;
constexpr double kHostMargin = 1e-11;  // of the price that a host can hold, which is computed in floating point
constexpr double kLeastPart = 1e-9;    // of a column in a solution
// Side by side: how many probes, what a step takes at least, in visits of every state, and what a pricing keeps.
constexpr std::size_t kMostProbes = 8, kThreadsOfProbe = 2, kFewestProbes = 4;
constexpr std::uint64_t kPricingsPerStep = 16;
constexpr std::size_t kBytesPerPricedState = 200;

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

ConfigurationLp::Run::Run(ConfigurationLp& owner, double limit, std::vector<PairDecision> decisions,
                          std::vector<ConvexOrder::Edge> precedence, Budget& budget)
    : owner_(owner),
      limit_(limit),
      decisions_(std::move(decisions)),
      precedence_(std::move(precedence)),
      own_order_(precedence_.empty() ? ConvexOrder() : owner.model_.order.with(precedence_)),
      exactly_(!owner.model_.order.empty() || !decisions_.empty()),
      classes_(scaled_classes(owner, limit)),
      accelerators_(owner.accelerators_),
      with_columns_(exactly_ ? classes_.size() : accelerators_),
      master_(rows_of_groups(owner), classes_, exactly_ ? MasterLp::Kind::Exactly : MasterLp::Kind::Cover),
      level_(exactly_ ? kFirstLevelExactly : 0),
      smoothing_(exactly_ ? kFirstSmoothingExactly : kFirstSmoothing) {
  const Trellis::Rules rules{&order(), decisions_};
  for (std::size_t c = 0; c < with_columns_; ++c) {
    if (!classes_[c].host) devices_ += classes_[c].count;
    trellises_.push_back(std::make_unique<Trellis>(owner.model_.classes[c].graph, classes_[c].scaled, owner.order_,
                                                   owner.size_, rules, &budget));
    budget.spend(trellises_[c]->state_count());
    states_ += trellises_[c]->state_count();
    if (trellises_[c]->too_large()) {
      too_large_ = stuck_ = true;
      return;
    }
  }
  known_.resize(with_columns_);
  inner_dearest_.resize(accelerators_, 0);
}

IdVector<GroupId, std::size_t> ConfigurationLp::Run::rows_of_groups(const ConfigurationLp& owner) {
  if (owner.shares_rows()) return owner.model_.alike;
  IdVector<GroupId, std::size_t> rows(owner.model_.groups);
  for (GroupId v : rows.all()) rows[v] = v.index();
  return rows;
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
    if (is_near_round()) {
      if (step_nearby(budget)) return Refutation::Refuted;
      continue;
    }
    bool refuted = false;
    const double value = solve_master(budget, refuted);
    if (refuted) return Refutation::Refuted;
    useful_ = false;  // from here on, of the duals just found
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
    return try_alone(prices, budget);
  }
  return false;
}

ConfigurationLp::Run::Probe& ConfigurationLp::Run::probe(std::size_t i) {
  while (probes_.size() <= i) {
    auto added = std::make_unique<Probe>();
    for (std::size_t c = 0; c < with_columns_; ++c)
      added->pricings.push_back(std::make_unique<Pricing>(*trellises_[c], classes_[c].scaled.limit));
    probes_.push_back(std::move(added));
  }
  return *probes_[i];
}

bool ConfigurationLp::Run::try_alone(const GroupPrices& prices, Budget& budget) {
  Probe& alone = probe(0);
  alone.prices = prices;
  try_prices(alone, budget);
  take_found(alone);
  return take_proof(alone);
}

// The master is told, in the order in which they were found.
void ConfigurationLp::Run::take_found(Probe& probe) {
  for (auto& [groups, c] : probe.found) {
    if (learn(groups, c)) owner_.columns_.push_back(std::move(groups));
  }
  probe.found.clear();
  for (const auto& pricing : probe.pricings) most_labels_ = std::max(most_labels_, pricing->most_labels());
}

// Also counts proofs in vain.
bool ConfigurationLp::Run::take_proof(Probe& probe) {
  if (probe.vain && ++vain_proofs_ >= vain_proofs_per_level()) look_closer();
  probe.vain = false;
  if (!probe.proof) return false;
  owner_.proof_ = std::move(*probe.proof);
  probe.proof.reset();
  return true;
}

int ConfigurationLp::Run::vain_proofs_per_level() const { return bundle_ ? kVainProofsNearby : kVainProofsPerLevel; }

// Of buckets, where the dearest sets found come to this part of what they must stay below. Before columns are looked
// for with finer buckets, a proof is, if there is room enough for one: it takes a third of the time.
std::vector<std::size_t> ConfigurationLp::Run::levels_of_proof(double part) const {
  const auto widths = [&](std::size_t level) { return (1 - part) * kBuckets[level]; };
  std::vector<std::size_t> levels;
  if (owner_.far_ && level_ >= kQuickLevel) {
    const double enough = kWidthsPerLayer * static_cast<double>(owner_.order_.size());
    std::size_t level = level_;
    while (level < std::min(finest_level(), level_ + kFarLevelsAhead) && widths(level) < enough) ++level;
    if (level == finest_level() || widths(level) >= enough) levels.push_back(level);
    return levels;
  }
  if (!bundle_ || level_ <= kQuickLevel || level_ >= finest_level() || widths(level_) >= kWidthsForProof)
    levels.push_back(level_);
  if (!bundle_ || vain_proofs_ + 1 < vain_proofs_per_level()) return levels;
  for (std::size_t finer = level_ + 1; finer <= std::min(finest_level(), level_ + kLevelsAhead); ++finer) {
    if (widths(finer) < kWidthsForSure) continue;
    levels.push_back(finer);
    break;
  }
  return levels;
}

bool ConfigurationLp::Run::start(Budget& budget) {
  started_ = true;
  Probe& alone = probe(0);
  inner_ = normalised(owner_.inner_, alone, budget);
  if (inner_.empty()) inner_ = normalised(untolled(std::vector<double>(groups(), 1)), alone, budget);
  take_found(alone);
  if (inner_.empty()) {
    stuck_ = !exactly_;  // hosts can hold everything; as convex sets perhaps not, with other prices
    return false;
  }
  if (try_alone(inner_, budget)) return true;
  inner_dearest_ = dearest_prices(alone);
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
// proof.
bool ConfigurationLp::Run::step(Budget& budget) {
  Probe& first = probe(0);
  GroupPrices outer = normalised(master_.prices(), first, budget);
  take_found(first);
  if (outer.empty()) {
    if (!exactly_) {
      stuck_ = true;
      return false;
    }
    outer = master_.prices();
  }
  const bool far = exactly_ && ++rounds_ % kRoundsPerProbe == 0;
  first.weight = inner_.empty() ? 1 : std::min(1.0, (1 + misses_) * (1 - smoothing_));
  if (far) first.weight = std::max(first.weight, kProbeWeight);
  if (try_side_by_side(outer, budget)) return true;
  if (first.prices.empty()) {
    if (!exactly_ || (inner_.empty() && !useful_)) stuck_ = true;
    if (!exactly_ || inner_.empty()) return false;  // with the sets of hosts just found the duals will be others
    if (try_alone(inner_, budget)) return true;
  }
  if (budget.exhausted()) return false;
  if (misses_ == 0 && !far && !inner_.empty()) adapt_smoothing(first, outer);
  move_inner();
  misses_ = useful_ ? 0 : misses_ + 1;
  if (!useful_ && first.weight >= 1) {  // not even the duals themselves give a new column: look closer
    const bool closest = level_ >= finest_level();
    const bool artificial = exactly_ && master_.artificial_part() > kReducedCostEpsilon;
    if (closest && !(artificial && master_.make_artificial_dearer())) stuck_ = true;
    look_closer();
  }
  return false;
}

// What probes find is taken in their order, so that the threads' speed changes nothing.
bool ConfigurationLp::Run::try_side_by_side(const GroupPrices& outer, Budget& budget) {
  choose_weights(budget);
  for_each(budget, probing_, [&](std::size_t i, std::size_t) { mix_and_try(*probes_[i], outer, budget); });
  tell_each_other();
  for (std::size_t i = 0; i < probing_; ++i) take_found(*probes_[i]);
  // However many proofs were in vain at one level, it was one time.
  for (std::size_t i = 1; i < probing_; ++i) probes_[0]->vain |= std::exchange(probes_[i]->vain, false);
  for (std::size_t i = 0; i < probing_; ++i) {
    if (take_proof(*probes_[i])) return true;
  }
  return false;
}

// The first probe has its weight; those at its side go twice as far, half as far, four times as far and so on. Only
// where groups are held exactly once: elsewhere prices are near enough to the best after a few steps, and columns from
// further off only make the master slow. [BERT-12, training, free: 10.2 s of 8 probes at once against 8.6 s of one.] And
// only many: two spare no steps. [InceptionV3, inference, contiguous: 131 steps of one probe, 143 of two, 85 of eight.]
void ConfigurationLp::Run::choose_weights(const Budget& budget) {
  probing_ = 1;
  if (!exactly_ || inner_.empty() || !worth_sharing(budget, kPricingsPerStep * states_)) return;
  const std::size_t room = budget.table_bytes() / kBytesPerPricedState / std::max<std::size_t>(states_, 1);
  const std::size_t most = std::min({threads_of(budget) / kThreadsOfProbe, room, kMostProbes});
  if (most < kFewestProbes) return;
  const double first = probe(0).weight;
  for (double factor = 2; probing_ < most; factor *= 2) {
    if (first * factor < 2) probe(probing_++).weight = std::min(1.0, first * factor);
    if (probing_ < most) probe(probing_++).weight = first / factor;
  }
}

// Duals at which hosts could hold everything must not end a round: they are mixed in with less and less weight.
void ConfigurationLp::Run::mix_and_try(Probe& probe, const GroupPrices& outer, Budget& budget) const {
  probe.prices = normalised(mixed(outer, probe.weight), probe, budget);
  for (int i = 0; exactly_ && probe.prices.empty() && !inner_.empty() && i < kMostHalvings; ++i) {
    probe.weight /= 2;
    probe.prices = normalised(mixed(outer, probe.weight), probe, budget);
  }
  if (!probe.prices.empty()) try_prices(probe, budget);
}

// What one probe has found counts at the prices of every other.
void ConfigurationLp::Run::tell_each_other() {
  for (std::size_t i = 0; i < probing_; ++i) {
    Probe& to = *probes_[i];
    for (std::size_t j = 0; j < probing_ && !to.prices.empty(); ++j) {
      if (i == j) continue;
      for (const auto& [column, c] : probes_[j]->found) {
        if (c >= accelerators_) continue;
        const double price = to.prices.net(column, c, classes_[c].scaled);
        if (price > as_double(to.dearest[c].price))
          to.dearest[c] = {column, static_cast<Price>(price * static_cast<double>(kPriceUnit))};
      }
    }
  }
}

// To the prices of the probe nearest to a proof, if they are nearer than the inner ones.
void ConfigurationLp::Run::move_inner() {
  const Probe* best = nullptr;
  for (std::size_t i = 0; i < probing_; ++i) {
    if (probes_[i]->prices.empty()) continue;
    if (!best || together(dearest_prices(*probes_[i])) < together(dearest_prices(*best))) best = probes_[i].get();
  }
  if (!best || (!inner_.empty() && together(dearest_prices(*best)) >= together(inner_dearest_))) return;
  inner_dearest_ = dearest_prices(*best);
  inner_ = best->prices;
  owner_.inner_ = inner_;
}

void ConfigurationLp::Run::look_closer() {
  level_ = std::min(level_ + 1, finest_level());
  vain_proofs_ = 0;
  misses_ = 0;
}

double ConfigurationLp::Run::width_of_buckets() const { return 1.0 / kBuckets[level_]; }

std::size_t ConfigurationLp::Run::finest_level() const {
  return kBuckets.size() - (most_labels_ <= kFewLabels ? 1 : 2);
}

std::vector<double> ConfigurationLp::Run::dearest_prices(const Probe& probe) const {
  std::vector<double> result;
  for (std::size_t c = 0; c < accelerators_; ++c) result.push_back(as_double(probe.dearest[c].price));
  return result;
}

// What all devices of the first classes hold if every one holds so much.
double ConfigurationLp::Run::together(const std::vector<double>& by_class) const {
  double sum = 0;
  for (std::size_t c = 0; c < by_class.size(); ++c) sum += classes_[c].count * by_class[c];
  return sum;
}

GroupPrices ConfigurationLp::Run::normalised(GroupPrices prices, Probe& probe, Budget& budget) const {
  if (prices.empty()) return {};  // nobody had any, for want of time or memory
  const double all = std::accumulate(prices.of.begin(), prices.of.end(), 0.0);
  double left = all - together(prices.toll);
  for (std::size_t h = accelerators_; h < classes_.size() && left > 0; ++h)
    left -= classes_[h].count * on_host(h, prices, probe, budget);
  if (!(left > 0) || (exactly_ && left < kReducedCostEpsilon)) return {};
  const double factor = devices_ > 0 ? devices_ / left : 1 / all;
  for (double& price : prices.of) price *= factor;
  for (double& toll : prices.toll) toll *= factor;
  return prices;
}

// The price of what a host of the class can hold. Where hosts have columns it is that of a real set, and those found on
// the way are handed to the master.
double ConfigurationLp::Run::on_host(std::size_t h, const GroupPrices& prices, Probe& probe, Budget& budget) const {
  const Scaled& scaled = classes_[h].scaled;
  if (!exactly_) return fill_host(scaled, prices.net(h, scaled)).price;
  const Prices net = less_toll(in_units(prices.of), toll_in_units(prices.toll[h]), scaled);
  const Price most = probe.pricings[h]->set_prices(net, &budget);
  budget.spend(trellises_[h]->state_count());
  PricedSet best = dearest_known(h, net, probe);
  if (most <= best.price) return as_double(best.price);
  if (auto better = probe.pricings[h]->good_column(kBuckets[std::min(level_, kHostLevel)], best.price, budget)) {
    best = std::move(*better);
    remember(best.groups, h, probe);
    add_disjoint_columns(h, net, best, kMoreHostColumns, level_, probe, budget);
  }
  return as_double(best.price);
}

// The proof needs the price of all less what all devices hold to be large. Its slope at the last prices, in the
// direction of the duals:
void ConfigurationLp::Run::adapt_smoothing(const Probe& probe, const GroupPrices& outer) {
  double slope = together(inner_.toll) - together(outer.toll);
  for (std::size_t i = 0; i < outer.of.size(); ++i) slope += outer.of[i] - inner_.of[i];
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const Scaled& scaled = classes_[c].scaled;
    double change = 0;
    if (c >= with_columns_) {
      const std::vector<double> fraction = fill_host(scaled, probe.prices.net(c, scaled)).fraction;
      for (GroupId v : scaled.time.all())
        change += fraction[v.index()] * (outer.net(v, c, scaled) - inner_.net(v, c, scaled));
    } else {
      const std::vector<GroupId>& dearest = probe.dearest[c].groups;
      change = outer.net(dearest, c, scaled) - inner_.net(dearest, c, scaled);
    }
    slope -= classes_[c].count * change;
  }
  const double weight = (1 - smoothing_) * (slope > 0 ? kSmoothLess : kSmoothMore);
  smoothing_ = std::clamp(1 - weight, 0.0, kMostSmoothing);
}

// Proves the limit impossible with these prices, or at least finds the columns that stand in the way.
bool ConfigurationLp::Run::try_prices(Probe& probe, Budget& budget) const {
  const GroupPrices& prices = probe.prices;
  std::vector<PricedSet>& dearest = probe.dearest;
  dearest.resize(with_columns_);
  const Prices gross = in_units(prices.of);
  std::vector<std::int64_t> tolls;
  std::vector<Prices> net;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    tolls.push_back(toll_in_units(prices.toll[c]));
    net.push_back(less_toll(gross, tolls[c], classes_[c].scaled));
  }
  const WideInt room = room_for_columns(gross, net, tolls);
  for (std::size_t c = 0; c < with_columns_; ++c) {
    dearest[c] = dearest_known(c, net[c], probe);
    if (classes_[c].host) continue;  // looked for when prices were normalised
    probe.pricings[c]->set_prices(net[c], &budget);
    budget.spend(trellises_[c]->state_count());
  }
  // With one class, it is known what a device has to hold: a dearer set stands in the way of a proof, others need not
  // be known, but for what the last buckets may miss of such a one.
  const WideInt for_accelerators = room - held(accelerators_, with_columns_, probe);
  const Price share = accelerators_ == 1 && for_accelerators > 0
                          ? static_cast<Price>(for_accelerators / static_cast<WideInt>(devices_))
                          : 0;
  for (std::size_t level = 0; level <= level_; ++level) {
    const double misses = kWidthsMissed / kBuckets[level];
    const auto worth_finding = static_cast<Price>((level < level_ ? 1 : 1 - misses) * static_cast<double>(share));
    for (std::size_t c = 0; c < accelerators_; ++c) {
      const Price above = std::max(dearest[c].price, worth_finding);
      if (auto better = probe.pricings[c]->good_column(kBuckets[level], above, budget)) dearest[c] = std::move(*better);
      if (budget.exhausted()) return false;
    }
    const double enough = static_cast<double>(for_accelerators) * (level < level_ ? 1 + misses : 1);
    if (static_cast<double>(held(0, accelerators_, probe)) > enough) break;
    if (level < level_) continue;
    const double part = static_cast<double>(held(0, accelerators_, probe)) / static_cast<double>(for_accelerators);
    const std::vector<std::size_t> levels = levels_of_proof(part);
    for (std::size_t at : levels) {
      if (none_dearer(room, gross, net, tolls, at, probe, budget)) return true;
      if (budget.exhausted()) return false;
    }
    probe.vain = !(owner_.far_ && levels.empty());
    break;
  }
  const bool closer = probe.vain && vain_proofs_ + 1 == vain_proofs_per_level();
  IdVector<GroupId, char> taken(groups(), 0);
  for (std::size_t c = 0; c < accelerators_; ++c) {
    remember(dearest[c].groups, c, probe);
    for (GroupId v : dearest[c].groups) taken[v] = 1;
  }
  for (std::size_t c = 0; c < accelerators_; ++c) {
    for (GroupId v : taken.all()) net[c][v] = taken[v] && !exactly_ ? 0 : net[c][v];
    add_disjoint_columns(c, std::move(net[c]), dearest[c], columns_of_a_probe(c), level_ + closer, probe, budget);
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
WideInt ConfigurationLp::Run::held(std::size_t from, std::size_t to, const Probe& probe) const {
  WideInt sum = 0;
  for (std::size_t c = from; c < to; ++c) sum += static_cast<WideInt>(classes_[c].count) * probe.dearest[c].price;
  return sum;
}

// The room above the dearest sets is shared out evenly. If no class has a set dearer than that, all devices together
// hold at most `room`, and that is the proof.
bool ConfigurationLp::Run::none_dearer(WideInt room, const Prices& gross, const std::vector<Prices>& net,
                                       const std::vector<std::int64_t>& tolls, std::size_t level, Probe& probe,
                                       Budget& budget) const {
  const WideInt left = room - held(0, with_columns_, probe);
  if (left < 0) return false;
  WideInt sharing = 0;
  for (std::size_t c = 0; c < with_columns_; ++c) sharing += classes_[c].count;
  FreeProof proof{limit_, owner_.model_.weights, owner_.order_, gross, {}, decisions_};
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (c >= with_columns_) {
      proof.devices.push_back({.memory_toll = tolls[c], .narrowed = {}, .forgotten = {}});
      continue;
    }
    const Price most = probe.dearest[c].price + static_cast<Price>(left / sharing);
    if (classes_[c].host) probe.pricings[c]->set_prices(net[c], &budget);
    if (!probe.pricings[c]->none_above(kBuckets[level], most, budget)) {
      // Of a host a dearer set may have been missed, which the next prices should know of.
      if (!classes_[c].host) return false;
      if (const auto better = probe.pricings[c]->good_column(kBuckets[level], probe.dearest[c].price, budget))
        remember(better->groups, c, probe);
      return false;
    }
    proof.devices.push_back(proof_of(c, tolls[c], probe.pricings[c]->theta(), level, most));
  }
  probe.proof = std::move(proof);
  return true;
}

FreeProof::Devices ConfigurationLp::Run::proof_of(std::size_t c, std::int64_t toll, std::int64_t theta,
                                                  std::size_t level, Price most) const {
  FreeProof::Devices of_class{toll, theta, kBuckets[level], most, {}, trellises_[c]->forgotten()};
  for (const NarrowedNet& narrowed : trellises_[c]->narrowed()) {
    const auto members = owner_.model_.classes[c].graph.members(narrowed.net);
    of_class.narrowed.push_back({{members.begin(), members.end()}, narrowed.counted});
  }
  return of_class;
}

// Of those that the master has, and those that the probe has found; of several the first in their order.
PricedSet ConfigurationLp::Run::dearest_known(std::size_t c, const Prices& prices, const Probe& probe) const {
  const auto price_of = [&](const std::vector<GroupId>& column) {
    Price price = 0;
    for (GroupId v : column) price += prices[v];
    return price;
  };
  PricedSet dearest;
  for (const std::vector<GroupId>& column : known_[c]) {
    if (const Price price = price_of(column); price > dearest.price) dearest = {column, price};
  }
  for (const auto& [column, device_class] : probe.found) {
    if (device_class != c) continue;
    const Price price = price_of(column);
    if (price > dearest.price || (price > 0 && price == dearest.price && column < dearest.groups))
      dearest = {column, price};
  }
  return dearest;
}

// More columns that avoid the groups of those found: together they cover much at once. Where every group is held exactly
// once, a group that one of them has is worth less than nothing to the next. [They wait for each other: columns of the
// two classes at once, or beside the master, were found at other prices, and the LP took another way. InceptionV3,
// inference, contiguous, two threads: 2.2 s of processor time instead of 0.6.]
void ConfigurationLp::Run::add_disjoint_columns(std::size_t c, Prices prices, const PricedSet& dearest, int most,
                                                std::size_t level, Probe& probe, Budget& budget) const {
  const auto avoid = [&](const std::vector<GroupId>& groups) {
    for (GroupId v : groups) prices[v] = exactly_ ? std::min<Price>(prices[v], -kPriceUnit / 4) : 0;
  };
  Pricing& pricing = *probe.pricings[c];
  avoid(dearest.groups);
  const int buckets = kBuckets[std::min(level, kDisjointLevel)];
  const auto above = static_cast<Price>((exactly_ ? kDearExactly : kDearPrice) * static_cast<double>(dearest.price));
  for (int i = 0; i < most && !budget.exhausted(); ++i) {
    pricing.set_prices(prices, &budget);
    budget.spend(trellises_[c]->state_count());
    auto column = pricing.good_column(buckets, above, budget);
    if (!column) break;
    avoid(column->groups);
    remember(std::move(column->groups), c, probe);
  }
}

void ConfigurationLp::Run::remember(std::vector<GroupId> groups, std::size_t c, Probe& probe) {
  std::sort(groups.begin(), groups.end());
  if (!groups.empty()) probe.found.emplace_back(std::move(groups), c);
}

// Counts what it means for the prices at hand; false if the column was known.
bool ConfigurationLp::Run::learn(const std::vector<GroupId>& column, std::size_t c) {
  const auto [known, added] = known_[c].insert(column);
  if (!added) return false;
  const Scaled& scaled = classes_[c].scaled;
  in_master_.emplace_back(&*known, c);
  if (bundle_) bundle_->add(c, cut_of(column, c));
  if (!inner_.empty() && c < accelerators_)
    inner_dearest_[c] = std::max(inner_dearest_[c], inner_.net(column, c, scaled));
  if (master_is_away_) return true;
  tell_master();
  useful_ = useful_ || master_.prices().net(column, c, scaled) >
                           master_.price_of_device(c) + kReducedCostEpsilon / std::max(devices_, 1.0);
  return true;
}

// Those of earlier limits, and what others have suggested meanwhile, for every class that can hold them.
void ConfigurationLp::Run::take_new_columns() {
  for (; taken_ < owner_.columns_.size(); ++taken_) {
    const std::vector<GroupId>& column = owner_.columns_[taken_];
    if (!std::ranges::all_of(decisions_, [&](const PairDecision& pair) { return pair.allows(column); })) continue;
    if (!precedence_.empty() && !own_order_.is_convex(column)) continue;
    for (std::size_t c = 0; c < with_columns_; ++c) {
      const auto fits = [&](GroupId v) { return classes_[c].scaled.may_hold[v] != 0; };
      if (std::all_of(column.begin(), column.end(), fits) &&
          accelerator_load(owner_.model_.classes[c].graph, column) <= limit_)
        learn(column, c);
    }
  }
}

}  // namespace partita::detail
