// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/price_bundle.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace partita::detail {
namespace {

constexpr double kBundleNone = -std::numeric_limits<double>::infinity();
constexpr double kBundleTolerance = 0.02;  // of the fall that is asked for
constexpr int kBundleMostMoves = 20'000;
// How near the model's fall is to what was asked for, and how the step changes else.
constexpr double kBundleTooLittle = 0.8, kBundleTooMuch = 1.25, kBundleLonger = 2, kBundleShorter = 1.6;
constexpr int kBundleMostLonger = 2, kBundleMostTries = 6;  // in a round: a level out of reach must not lead astray
constexpr double kBundleNoLower = 1.1;                      // times what half the step brought
constexpr double kBundleSurely = 0.1;  // of the fall that is asked for: less may be for want of tolerance
constexpr double kBundleMostStep = 1;  // prices change by as much as they are
constexpr double kBundleLeastFall = 1e-9;
constexpr int kBundleIdleRounds = 60;
constexpr std::size_t kBundleFewIdle = 100;  // not worth the trouble
constexpr double kBundleNews = 1e-12;

}  // namespace

PriceBundle::PriceBundle(std::vector<double> scale, std::size_t groups, std::vector<double> counts)
    : scale_(std::move(scale)),
      groups_(groups),
      scale_of_groups_(std::accumulate(scale_.begin(), scale_.begin() + static_cast<std::ptrdiff_t>(groups), 0.0)),
      counts_(std::move(counts)) {}

double PriceBundle::worth_of(const Cut& cut, const std::vector<double>& prices) {
  double sum = 0;
  for (const Part& part : cut.parts) sum += part.value * prices[part.at];
  return sum;
}

void PriceBundle::add(std::size_t device_class, const std::vector<double>& cut) {
  const bool first =
      std::none_of(cuts_.begin(), cuts_.end(), [&](const Cut& c) { return c.device_class == device_class; });
  Cut added{device_class, {}, 0, first ? counts_[device_class] : 0.0};
  for (std::size_t i = 0; i < groups_; ++i) added.sum += scale_[i] * cut[i];
  for (std::size_t i = 0; i < cut.size(); ++i) {
    if (cut[i] != 0) added.parts.push_back({i, cut[i], scale_[i] * cut[i]});
  }
  cuts_.push_back(std::move(added));
  // Of what two cuts do to the prices.
  const auto product = [&](const Cut& other) {
    double sum = 0;
    for (const Part& part : other.parts) sum += part.scaled * cut[part.at];
    return sum - other.sum * cuts_.back().sum / scale_of_groups_;
  };
  std::vector<double>& row = products_.emplace_back();
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    row.push_back(product(cuts_[i]));
    if (i + 1 < cuts_.size()) products_[i].push_back(row.back());
  }
}

bool PriceBundle::is_news(std::size_t device_class, const std::vector<double>& cut,
                          const std::vector<double>& prices) const {
  const double worth = std::inner_product(cut.begin(), cut.end(), prices.begin(), 0.0);
  return std::none_of(cuts_.begin(), cuts_.end(), [&](const Cut& c) {
    return c.device_class == device_class && worth_of(c, prices) >= worth - kBundleNews;
  });
}

// Of the class where weight at the cheapest cut costs most, with what all its devices gain.
PriceBundle::Move PriceBundle::best_move(const std::vector<double>& at_centre, double& gain) const {
  struct Ends {
    std::size_t dearest = 0, cheapest = 0;
    double most = kBundleNone, least = -kBundleNone;
  };
  std::vector<Ends> ends(counts_.size());
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    Ends& of_class = ends[cuts_[i].device_class];
    const double worth = at_centre[i] - step_ * pull_[i];
    if (worth > of_class.most) {
      of_class.most = worth;
      of_class.dearest = i;
    }
    if (cuts_[i].weight > 0 && worth < of_class.least) {
      of_class.least = worth;
      of_class.cheapest = i;
    }
  }
  Move best{0, 0, 0};
  gain = 0;
  for (std::size_t c = 0; c < counts_.size(); ++c) {
    if (ends[c].most == kBundleNone || counts_[c] * (ends[c].most - ends[c].least) <= gain) continue;
    gain = counts_[c] * (ends[c].most - ends[c].least);
    best = {ends[c].cheapest, ends[c].dearest, ends[c].most - ends[c].least};
  }
  return best;
}

void PriceBundle::balance(const std::vector<double>& at_centre, double tolerance) {
  const std::size_t size = cuts_.size();
  pull_.assign(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size && cuts_[i].weight > 0; ++j) pull_[j] += products_[i][j] * cuts_[i].weight;
  }
  for (int i = 0; i < kBundleMostMoves; ++i) {
    double gain = 0;
    const auto [from, to, worth] = best_move(at_centre, gain);
    if (gain <= tolerance) return;
    const std::vector<double>&of_from = products_[from], &of_to = products_[to];
    const double curve = step_ * (of_to[to] + of_from[from] - 2 * of_to[from]);
    const double all = cuts_[from].weight;
    const double moved = curve * all > worth ? worth / curve : all;
    cuts_[from].weight = moved < all ? all - moved : 0;
    cuts_[to].weight += moved;
    for (std::size_t j = 0; j < size; ++j) pull_[j] += moved * (of_to[j] - of_from[j]);
  }
}

template <class Worth>
double PriceBundle::model(Worth worth, const std::vector<double>& centre) const {
  std::vector<double> dearest(counts_.size(), kBundleNone);
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    double& of_class = dearest[cuts_[i].device_class];
    of_class = std::max(of_class, worth(i));
  }
  double value = -std::accumulate(centre.begin(), centre.begin() + static_cast<std::ptrdiff_t>(groups_), 0.0);
  for (std::size_t c = 0; c < counts_.size(); ++c) value += dearest[c] == kBundleNone ? 0 : counts_[c] * dearest[c];
  return value;
}

std::vector<double> PriceBundle::prices_from(const std::vector<double>& centre) const {
  std::vector<double> held(centre.size(), 0);
  double mean = 0;
  for (const Cut& cut : cuts_) {
    if (cut.weight <= 0) continue;
    mean += cut.weight * cut.sum / scale_of_groups_;
    for (const Part& part : cut.parts) held[part.at] += cut.weight * part.value;
  }
  std::vector<double> prices = centre;
  for (std::size_t i = 0; i < held.size(); ++i) prices[i] -= step_ * scale_[i] * (held[i] - (i < groups_ ? mean : 0));
  return prices;
}

PriceBundle::Proposal PriceBundle::propose(const std::vector<double>& centre, double level) {
  std::vector<double> at_centre;
  for (const Cut& cut : cuts_) at_centre.push_back(worth_of(cut, centre));
  const double from = model([&](std::size_t i) { return at_centre[i]; }, centre);
  const double fall = std::max(from - level, kBundleLeastFall);
  double value = from, before = from;
  bool at_its_least = false;
  for (int i = 0, longer = 0; i < kBundleMostTries; ++i) {
    balance(at_centre, kBundleTolerance * fall);
    value = model([&](std::size_t k) { return at_centre[k] - step_ * pull_[k]; }, centre);
    at_its_least = longer > 0 && from - value > kBundleSurely * fall && from - value < kBundleNoLower * (from - before);
    if (i + 1 == kBundleMostTries || at_its_least) break;
    if (from - value < kBundleTooLittle * fall) {
      if (++longer > kBundleMostLonger || step_ * kBundleLonger > kBundleMostStep) break;
      before = value;
      step_ *= kBundleLonger;
    } else if (from - value > kBundleTooMuch * fall) {
      if (longer > 0) break;
      step_ /= kBundleShorter;
    } else {
      break;
    }
  }
  Proposal result{prices_from(centre), value};
  if (at_its_least) step_ /= kBundleLonger;  // which did not help
  forget_idle();
  return result;
}

void PriceBundle::forget_idle() {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    cuts_[i].idle = cuts_[i].weight > 0 ? 0 : cuts_[i].idle + 1;
    if (cuts_[i].idle < kBundleIdleRounds) kept.push_back(i);
  }
  if (cuts_.size() - kept.size() < kBundleFewIdle) return;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<double> row;
    for (std::size_t j : kept) row.push_back(products_[kept[i]][j]);
    products_[i] = std::move(row);
    if (i != kept[i]) cuts_[i] = std::move(cuts_[kept[i]]);
  }
  products_.resize(kept.size());
  cuts_.resize(kept.size());
}

}  // namespace partita::detail
