// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/pricing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

constexpr Price kMostPerLimit = 64;   // theta, in devices' worth for a limit of load
constexpr double kCloseBound = 1e-8;  // devices' worth: a bound no further from the best is as good
constexpr std::uint64_t kPricingLabelsPerTick = 16;
constexpr std::size_t kStatesPerLook = 100'000, kLabelsPerLook = 100'000;  // at the clock: under a millisecond
constexpr std::size_t kTableFor = 8;                                       // buckets for each label found, at most
constexpr Price kNothing = std::numeric_limits<Price>::min() / 4;

// theta * load: rounded up where it is granted, down where it is charged, so that completions stay upper bounds.
Price toll_down(std::int64_t theta, Load load) {
  return static_cast<Price>((static_cast<WideInt>(theta) * load) >> Pricing::kThetaShift);
}
Price toll_up(std::int64_t theta, Load load) {
  return static_cast<Price>(((static_cast<WideInt>(theta) * load) >> Pricing::kThetaShift) + 1);
}

}  // namespace

// Longest paths from every state to the end with theta charged per unit of load.
Pricing::Relaxed Pricing::complete_with(std::int64_t theta, TimeWatch& watch) {
  const auto& layers = trellis_.layers();
  completion_.resize(layers.size());
  completion_.back().assign(layers.back().states(), 0);
  completion_load_.assign(layers.back().states(), 0);
  for (std::size_t t = layers.size() - 1; t-- > 0;) {
    const auto& layer = layers[t];
    const std::size_t states = layer.states();
    std::vector<Price>& here = completion_[t];
    const std::vector<Price>& after = completion_[t + 1];
    const Price price = prices_[layer.group];
    watch.step(states);
    completion_load_after_.swap(completion_load_);
    completion_load_.assign(states, 0);
    here.assign(states, kNothing);
    for (std::size_t s = 0; s < states; ++s) {
      for (std::size_t i = layer.first[s]; i < layer.first[s + 1]; ++i) {
        const Trellis::Arc& arc = layer.arcs[i];
        const Price worth = (arc.take ? price : 0) - toll_down(theta, arc.load) + after[arc.to];
        if (worth <= here[s]) continue;
        here[s] = worth;
        completion_load_[s] = arc.load + completion_load_after_[arc.to];
      }
    }
  }
  if (completion_[0].empty()) return {theta, 0, 0};
  return {theta, completion_[0][0] + toll_up(theta, limit_), completion_load_[0]};
}

// The bound is convex in theta: the upper end of straight lines, one for each path, whose slopes are the limit less the
// path's load. It is lowest between a theta whose path is too heavy and one whose path is not; where the two lines
// cross is the next to try, and the two meet after a few. What is left at the end is a bound in any case.
std::int64_t Pricing::best_theta(TimeWatch& watch) {
  Relaxed low = complete_with(0, watch);
  if (low.load <= limit_) return 0;  // the dearest set of all is within the limit
  const auto highest =
      static_cast<std::int64_t>((static_cast<WideInt>(kMostPerLimit * kPriceUnit) << kThetaShift) / limit_);
  Relaxed high = complete_with(std::clamp<std::int64_t>(2 * theta_, highest / 64, highest), watch);
  while (high.load > limit_ && high.theta < highest) {
    low = high;
    high = complete_with(std::min(4 * high.theta, highest), watch);
  }
  if (high.load > limit_) return highest;
  while (high.theta - low.theta > 1) {
    const double fall = static_cast<double>(low.load - limit_), rise = static_cast<double>(limit_ - high.load);
    // In prices: both lines, from their own theta on.
    const double width = std::ldexp(static_cast<double>(high.theta - low.theta), -kThetaShift);
    const double at_crossing = (static_cast<double>(low.bound - high.bound) + rise * width) / (fall + rise);
    const auto step = static_cast<std::int64_t>(std::ldexp(std::clamp(at_crossing, 0.0, width), kThetaShift));
    const Relaxed middle = complete_with(std::clamp(low.theta + step, low.theta + 1, high.theta - 1), watch);
    const double least = static_cast<double>(low.bound) - fall * at_crossing;
    (middle.load > limit_ ? low : high) = middle;
    if (static_cast<double>(middle.bound) - least <= kCloseBound * static_cast<double>(kPriceUnit)) return middle.theta;
  }
  return high.theta;
}

Price Pricing::set_prices(const Prices& prices, const Budget* budget) {
  TimeWatch watch(budget, kStatesPerLook);
  prices_ = prices;
  theta_ = best_theta(watch);
  return complete_with(theta_, watch).bound;
}

void Pricing::start_run() {
  labels_of_.resize(trellis_.layers().size());
  for (auto& labels : labels_of_) labels.clear();
  labels_of_[0].assign(1, {0, 0, -1});
  start_ = {0, 1};
  labels_ = 0;
}

template <class Take>
void Pricing::extend(std::size_t t, Price above, TimeWatch& watch, Take take_label) {
  const auto& layer = trellis_.layers()[t];
  const auto& after = trellis_.layers()[t + 1];
  const Price price = prices_[layer.group];
  const std::vector<Label>& from = labels_of_[t];
  for (std::size_t s = 0; s < layer.states(); ++s) {
    watch.step(1 + start_[s + 1] - start_[s]);
    if (start_[s] == start_[s + 1]) continue;
    for (std::size_t a = layer.first[s]; a < layer.first[s + 1]; ++a) {
      const Trellis::Arc& arc = layer.arcs[a];
      const Load rest = after.least_rest[arc.to];
      const Price completion = completion_[t + 1][arc.to];
      for (std::size_t i = start_[s]; i < start_[s + 1]; ++i) {
        const Load load = from[i].load + arc.load;
        if (load + rest > limit_) break;  // labels of a state rise in load
        const Price worth = from[i].price + (arc.take ? price : 0);
        if (worth + completion + toll_up(theta_, limit_ - load) <= above) continue;
        take_label(arc.to, Label{load, worth, static_cast<std::int32_t>(2 * i + arc.take)});
      }
    }
  }
}

// Sorts the labels found for the next layer by state and load, and thins them out: of the labels of one bucket `merge`
// makes one, and labels dominated by a lighter one go.
template <class Merge>
void Pricing::settle_layer(std::size_t t, double buckets_per_load, Merge merge) {
  const auto& after = trellis_.layers()[t + 1];
  const std::size_t states = after.states();
  std::vector<Label>& to = labels_of_[t + 1];
  end_.assign(states + 1, 0);
  for (const Found& found : found_) ++end_[static_cast<std::size_t>(found.state) + 1];
  for (std::size_t s = 0; s < states; ++s) end_[s + 1] += end_[s];
  sorted_.resize(found_.size());
  for (const Found& found : found_) sorted_[end_[static_cast<std::size_t>(found.state)]++] = found.label;
  start_.assign(1, 0);
  std::size_t begin = 0;
  for (std::size_t s = 0; s < states; ++s) {
    const std::size_t end = end_[s];
    std::sort(sorted_.begin() + begin, sorted_.begin() + end,
              [](const Label& a, const Label& b) { return a.load < b.load; });
    const std::size_t first = to.size();
    std::size_t last_bucket = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Label& label = sorted_[i];
      if (to.size() > first && label.price <= to.back().price) continue;
      const auto bucket =
          static_cast<std::size_t>(static_cast<double>(label.load + after.least_rest[s]) * buckets_per_load);
      if (to.size() > first && bucket == last_bucket) {
        merge(to.back(), label);
      } else {
        to.push_back(label);
        last_bucket = bucket;
      }
    }
    start_.push_back(to.size());
    begin = end;
  }
}

// The same by a table of all buckets: quicker than sorting where most buckets get labels.
template <class Merge>
void Pricing::settle_layer_by_table(std::size_t t, int buckets, double buckets_per_load, Merge merge) {
  const auto& after = trellis_.layers()[t + 1];
  std::vector<Label>& to = labels_of_[t + 1];
  table_.assign(after.states() * static_cast<std::size_t>(buckets), {0, kNothing, -1});
  for (const auto& [state, label] : found_) {
    const auto bucket =
        static_cast<std::size_t>(static_cast<double>(label.load + after.least_rest[state]) * buckets_per_load);
    Label& kept = table_[static_cast<std::size_t>(state) * buckets + bucket];
    if (kept.price == kNothing) {
      kept = label;
    } else {
      merge(kept, label);
    }
  }
  start_.assign(1, 0);
  for (std::size_t s = 0; s < after.states(); ++s) {
    Price most = kNothing;
    for (int b = 0; b < buckets; ++b) {
      const Label& label = table_[s * buckets + b];
      if (label.price <= most) continue;
      most = label.price;
      to.push_back(label);
    }
    start_.push_back(to.size());
  }
}

// All layers; merge(kept, label) makes one label of two in a bucket, of which the second is heavier and dearer. False
// if the budget ended.
template <class Merge>
bool Pricing::run(int buckets, Price above, Budget& budget, Merge merge) {
  start_run();
  TimeWatch watch(&budget, kLabelsPerLook);
  const double buckets_per_load = buckets / static_cast<double>(limit_ + 1);
  for (std::size_t t = 0; t + 1 < trellis_.layers().size(); ++t) {
    found_.clear();
    extend(t, above, watch, [&](std::int32_t state, const Label& label) { found_.push_back({state, label}); });
    if (trellis_.layers()[t + 1].states() * static_cast<std::size_t>(buckets) <= kTableFor * found_.size()) {
      settle_layer_by_table(t, buckets, buckets_per_load, merge);
    } else {
      settle_layer(t, buckets_per_load, merge);
    }
    labels_ += found_.size();
    budget.spend(found_.size() / kPricingLabelsPerTick + 1);
    if (t % 16 == 0 && budget.exhausted()) return false;
  }
  return true;
}

bool Pricing::none_above(int buckets, Price above, Budget& budget) {
  const bool finished = run(buckets, above, budget, [](Label& kept, const Label& label) {
    kept.load = std::min(kept.load, label.load);
    kept.price = std::max(kept.price, label.price);
  });
  return finished && std::none_of(labels_of_.back().begin(), labels_of_.back().end(),
                                  [&](const Label& label) { return label.price > above; });
}

PricedSet Pricing::trace(std::int32_t label) const {
  PricedSet column;
  column.price = labels_of_.back()[label].price;
  for (std::size_t t = trellis_.layers().size() - 1; t > 0; --t) {
    const std::int32_t from = labels_of_[t][label].from;
    if (from % 2 != 0) column.groups.push_back(trellis_.layers()[t - 1].group);
    label = from / 2;
  }
  return column;
}

std::optional<PricedSet> Pricing::good_column(int buckets, Price above, Budget& budget) {
  const bool finished = run(buckets, above, budget, [](Label& kept, const Label& label) {
    if (label.price > kept.price || (label.price == kept.price && label.load < kept.load)) kept = label;
  });
  const std::vector<Label>& end = labels_of_.back();
  if (!finished || end.empty()) return std::nullopt;
  const auto best =
      std::max_element(end.begin(), end.end(), [](const Label& a, const Label& b) { return a.price < b.price; });
  if (best->price <= above) return std::nullopt;
  return trace(static_cast<std::int32_t>(best - end.begin()));
}

}  // namespace partita::detail
