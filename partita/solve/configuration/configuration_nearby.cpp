// SPDX-License-Identifier: Apache-2.0
// Rounds that take their prices from a bundle (price_bundle.h) and not from the master's duals. See configuration_run.h.
#include <algorithm>
#include <numeric>
#include <utility>

#include "partita/solve/configuration/configuration_run.h"
#include "partita/solve/configuration/host_knapsack.h"
#include "partita/util/parallel.h"

namespace partita::detail {
namespace {

// The master tells whether the LP allows the limit, and its duals lead elsewhere; in between, so many rounds near the
// best prices. [With every fifth, InceptionV3 takes a tenth longer.]
constexpr int kRoundsPerMaster = 10;
constexpr std::size_t kThreadsForMaster = 4;  // to go on while it is solved
// Where groups need not be held exactly once, duals are better as long as prices are far from a proof. [BERT-12, training,
// free, whose first prices are 8 % from one.]
constexpr double kNear = 1.01;
// Groups' prices move in proportion to their times, those of the shortest a little faster.
constexpr double kLeastScale = 1e-3;
constexpr double kTollScale = 0.1;
constexpr std::size_t kMostFirstCuts = 1'500;  // of a new bundle
// Of the way to a proof with some room, as the next level; and of how far below the best prices it is at least.
constexpr double kPartOfWay = 0.6, kRoomForProof = 1e-4;
constexpr double kMostNearStep = 2e-3, kNearStepGrowth = 1.5;
// Far from the best value, room for a proof with the buckets at hand, in their widths, spares finer ones. It is asked for
// while that goes well. [Near the value it is out of reach, and prices go astray: ResNet50, 33.215, takes 3.2 s instead
// of 1.1.]
constexpr double kLessAmbition = 0.5, kMoreAmbition = 2, kMostAmbition = 16;
constexpr double kWentWell = 0.7;  // of the fall that was asked for

}  // namespace

bool ConfigurationLp::Run::is_near() const {
  return !inner_.empty() && (exactly_ || owner_.far_ || shortfall() <= kNear);
}

bool ConfigurationLp::Run::is_near_round() {
  if (!is_near()) return false;
  if (near_rounds_ == 0) {
    near_rounds_ = kRoundsPerMaster;
    return false;
  }
  --near_rounds_;
  return true;
}

// With many threads, a round near the best prices is beside it; what that finds waits for the master. [With ten rounds,
// which make the duals ten rounds old: GPT-2 medium, inference, 28 s instead of 17 to 19, 16 threads.]
double ConfigurationLp::Run::solve_master(Budget& budget, bool& refuted) {
  if (!bundle_ || !is_near() || threads_of(budget) < kThreadsForMaster) return master_.solve(budget);
  double value = 0;
  master_is_away_ = true;
  for_each(budget, 2, [&](std::size_t i, std::size_t) {
    if (i == 0) {
      value = master_.solve(budget);
    } else {
      refuted = step_nearby(budget);
    }
  });
  master_is_away_ = false;
  while (told_master_ < in_master_.size()) tell_master();
  return value;
}

// Of the next column.
void ConfigurationLp::Run::tell_master() {
  const auto& [column, c] = in_master_[told_master_++];
  master_.add(*column, c);
}

// Coordinates: prices of groups, then tolls of classes.
std::vector<double> ConfigurationLp::Run::coordinates(const GroupPrices& prices) const {
  std::vector<double> all = prices.of;
  all.insert(all.end(), prices.toll.begin(), prices.toll.end());
  return all;
}

// Groups that share a row have equal prices, at which a set is worth what the mean of all sets that are like it is. So
// the bundle knows each cut as such a mean, and proposes equal prices. [Two towers, training, 10.6: 1.2 s instead of 35
// s.]
std::vector<double> ConfigurationLp::Run::evened_out(std::vector<double> fraction) const {
  if (!owner_.shares_rows()) return fraction;
  const IdVector<GroupId, std::size_t>& row_of = owner_.model_.alike;
  std::vector<double> sum(groups(), 0), members(groups(), 0);
  for (GroupId v : row_of.all()) {
    sum[row_of[v]] += fraction[v.index()];
    members[row_of[v]] += 1;
  }
  for (GroupId v : row_of.all()) fraction[v.index()] = sum[row_of[v]] / members[row_of[v]];
  return fraction;
}

std::vector<double> ConfigurationLp::Run::cut_of(const std::vector<double>& fraction, std::size_t c) const {
  std::vector<double> cut = evened_out(fraction);
  cut.resize(groups() + classes_.size(), 0);
  const Scaled& scaled = classes_[c].scaled;
  for (GroupId v : scaled.memory.all())
    cut[groups() + c] -= fraction[v.index()] * static_cast<double>(scaled.memory[v]) / static_cast<double>(kUnits);
  return cut;
}

std::vector<double> ConfigurationLp::Run::cut_of(const std::vector<GroupId>& column, std::size_t c) const {
  std::vector<double> fraction(groups(), 0);
  for (GroupId v : column) fraction[v.index()] = 1;
  return cut_of(fraction, c);
}

void ConfigurationLp::Run::make_bundle() {
  const std::size_t all = groups();
  const double price = std::accumulate(inner_.of.begin(), inner_.of.end(), 0.0) / static_cast<double>(all);
  const std::vector<double> times = prices_by_time(owner_.model_).of;
  const double time = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(all);
  std::vector<double> scale;
  for (double t : times) scale.push_back(std::max(time > 0 ? t / time : 1, kLeastScale) * std::max(price, kLeastScale));
  scale.resize(all + classes_.size(), kTollScale);
  // Behind the classes: for each, what its memory is charged for as a whole, and a wall against tolls below nothing.
  std::vector<double> counts;
  for (const ScaledClass& c : classes_) counts.push_back(c.count);
  counts.resize(3 * classes_.size(), 1);
  bundle_ = std::make_unique<PriceBundle>(std::move(scale), all, std::move(counts));
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    std::vector<double> charged(all + classes_.size(), 0);
    bundle_->add(2 * classes_.size() + c, charged);
    charged[all + c] = classes_[c].count;
    bundle_->add(classes_.size() + c, charged);
    charged[all + c] = -2.0 * classes_[c].count;
    bundle_->add(2 * classes_.size() + c, charged);
  }
  tell_bundle_of_columns();
}

// The dearest ones: the products of every two of thousands take as long as many rounds, and what is cheap here says
// little. Whoever finds that one is missing adds it. [t5, training: 20 s for 4,754 columns of 1,615 groups.]
void ConfigurationLp::Run::tell_bundle_of_columns() {
  std::vector<std::pair<double, std::size_t>> by_price;
  for (std::size_t i = 0; i < in_master_.size(); ++i) {
    const auto& [column, c] = in_master_[i];
    by_price.emplace_back(-inner_.net(*column, c, classes_[c].scaled), i);
  }
  if (by_price.size() > kMostFirstCuts) {
    std::sort(by_price.begin(), by_price.end());
    by_price.resize(kMostFirstCuts);
  }
  for (const auto& [price, i] : by_price) {
    const auto& [column, c] = in_master_[i];
    bundle_->add(c, cut_of(*column, c));
  }
}

void ConfigurationLp::Run::tell_bundle_of_hosts(const GroupPrices& prices) {
  for (std::size_t h = with_columns_; h < classes_.size(); ++h) {
    std::vector<double> cut = cut_of(fill_host(classes_[h].scaled, prices.net(h, classes_[h].scaled)).fraction, h);
    if (bundle_->is_news(h, cut, coordinates(prices))) bundle_->add(h, std::move(cut));
  }
}

// Prices a level below the best ones, as far as the known columns tell: a proof, or better prices, or columns that say
// more there.
bool ConfigurationLp::Run::step_nearby(Budget& budget) {
  Probe& first = probe(0);
  if (!bundle_) {
    make_bundle();
    tell_bundle_of_hosts(inner_);
  }
  const double now = together(inner_dearest_) - devices_;
  const double room = std::max(kRoomForProof, owner_.far_ ? ambition_ * width_of_buckets() : 0);
  const double fall = std::max(kPartOfWay * (now + room * devices_), near_step_ * devices_);
  const PriceBundle::Proposal proposal = bundle_->propose(coordinates(inner_), now - fall);
  GroupPrices next = inner_;
  for (std::size_t i = 0; i < next.of.size(); ++i) next.of[i] = proposal.prices[i];
  for (std::size_t c = 0; c < next.toll.size(); ++c) next.toll[c] = std::max(0.0, proposal.prices[groups() + c]);
  probing_ = 1;
  first.prices = normalised(std::move(next), first, budget);
  take_found(first);
  if (first.prices.empty()) {  // hosts could hold everything
    bundle_->stay_nearer();
    return false;
  }
  tell_bundle_of_hosts(first.prices);
  nearby_ = true;
  try_prices(first, budget);
  nearby_ = false;
  const std::size_t known = in_master_.size(), cuts = bundle_->cuts();
  take_found(first);
  if (take_proof(first)) return true;
  if (budget.exhausted()) return false;
  for (std::size_t c = 0; c < with_columns_; ++c) {
    std::vector<double> cut = cut_of(first.dearest[c].groups, c);  // known, and forgotten by the bundle
    if (bundle_->is_news(c, cut, coordinates(first.prices))) bundle_->add(c, std::move(cut));
  }
  const bool well = together(dearest_prices(first)) - devices_ < now - kWentWell * fall;
  ambition_ = well ? std::min(ambition_ * kMoreAmbition, kMostAmbition) : ambition_ * kLessAmbition;
  near_step_ = std::clamp(well ? near_step_ * kNearStepGrowth : near_step_ / kNearStepGrowth,
                          kPartOfWay * kRoomForProof, kMostNearStep);
  move_inner();
  if (in_master_.size() == known && bundle_->cuts() == cuts) {  // these buckets find no more
    look_closer();
    near_rounds_ = 0;
  }
  return false;
}

}  // namespace partita::detail
