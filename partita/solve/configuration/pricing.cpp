// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/pricing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "partita/util/parallel.h"
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

// One chunk and one share where that is quicker.
void Pricing::divide(std::size_t t, const Budget& budget) {
  constexpr std::size_t kChunksPerThread = 2, kSharesPerThread = 4;  // some are heavier than others
  const std::size_t from = trellis_.layers()[t].states(), to = trellis_.layers()[t + 1].states();
  const std::size_t labels = labels_of_[t].size();
  const bool together = worth_sharing(budget, labels);
  const std::size_t chunks = together ? kChunksPerThread * threads_of(budget) : 1;
  const std::size_t most_shares = together ? kSharesPerThread * threads_of(budget) : 1;
  chunks_.assign(1, 0);
  for (std::size_t c = 1; c < chunks; ++c) {
    const auto at = std::lower_bound(start_.begin(), start_.end(), labels * c / chunks) - start_.begin();
    chunks_.push_back(std::clamp(static_cast<std::size_t>(at), chunks_.back(), from));
  }
  chunks_.push_back(from);
  share_shift_ = 0;
  while ((to >> share_shift_) >= most_shares && to > 0) ++share_shift_;
  shares_.resize((to >> share_shift_) + 1);
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    shares_[i].first_state = i << share_shift_;
    shares_[i].last_state = std::min((i + 1) << share_shift_, to);
  }
  found_.resize(chunks);
  for (FoundByShare& found : found_) {
    found.resize(shares_.size());
    for (std::vector<Found>& part : found) part.clear();
  }
}

void Pricing::extend(std::size_t t, std::size_t first, std::size_t last, Price above, const Budget& budget,
                     FoundByShare& found) const {
  TimeWatch watch(&budget, kLabelsPerLook);
  const auto& layer = trellis_.layers()[t];
  const auto& after = trellis_.layers()[t + 1];
  const Price price = prices_[layer.group];
  const std::vector<Label>& from = labels_of_[t];
  for (std::size_t s = first; s < last; ++s) {
    watch.step(1 + start_[s + 1] - start_[s]);
    if (start_[s] == start_[s + 1]) continue;
    for (std::size_t a = layer.first[s]; a < layer.first[s + 1]; ++a) {
      const Trellis::Arc& arc = layer.arcs[a];
      const Load rest = after.least_rest[arc.to];
      const Price completion = completion_[t + 1][arc.to];
      std::vector<Found>& to = found[static_cast<std::size_t>(arc.to) >> share_shift_];
      for (std::size_t i = start_[s]; i < start_[s + 1]; ++i) {
        const Load load = from[i].load + arc.load;
        if (load + rest > limit_) break;  // labels of a state rise in load
        const Price worth = from[i].price + (arc.take ? price : 0);
        if (worth + completion + toll_up(theta_, limit_ - load) <= above) continue;
        to.push_back({arc.to, Label{load, worth, static_cast<std::int32_t>(2 * i + arc.take)}});
      }
    }
  }
}

// Sorts the labels found for the share's states by state and load, and thins them out: of the labels of one bucket
// `merge` makes one, and labels dominated by a lighter one go.
template <class Merge>
void Pricing::settle(std::size_t t, Share& share, std::size_t index, double buckets_per_load, Merge merge) const {
  const std::vector<Load>& least_rest = trellis_.layers()[t + 1].least_rest;
  const std::size_t states = share.last_state - share.first_state;
  const auto state_of = [&](const Found& found) { return static_cast<std::size_t>(found.state) - share.first_state; };
  std::vector<Label>&to = share.labels, &sorted = share.sorted;
  std::vector<std::size_t>& end = share.end;
  end.assign(states + 1, 0);
  for (const FoundByShare& chunk : found_) {
    for (const Found& found : chunk[index]) ++end[state_of(found) + 1];
  }
  std::partial_sum(end.begin(), end.end(), end.begin());
  sorted.resize(end.back());
  for (const FoundByShare& chunk : found_) {
    for (const Found& found : chunk[index]) sorted[end[state_of(found)]++] = found.label;
  }
  to.clear();
  share.start.assign(1, 0);
  std::size_t begin = 0;
  for (std::size_t s = 0; s < states; ++s) {
    std::sort(sorted.begin() + begin, sorted.begin() + end[s],
              [](const Label& a, const Label& b) { return a.load < b.load; });
    const std::size_t first = to.size();
    std::size_t last_bucket = 0;
    for (std::size_t i = begin; i < end[s]; ++i) {
      const Label& label = sorted[i];
      if (to.size() > first && label.price <= to.back().price) continue;
      const auto bucket = static_cast<std::size_t>(static_cast<double>(label.load + least_rest[share.first_state + s]) *
                                                   buckets_per_load);
      if (to.size() > first && bucket == last_bucket) {
        merge(to.back(), label);
      } else {
        to.push_back(label);
        last_bucket = bucket;
      }
    }
    share.start.push_back(to.size());
    begin = end[s];
  }
}

// The same by a table of all buckets: quicker than sorting where most buckets get labels.
template <class Merge>
void Pricing::settle_by_table(std::size_t t, Share& share, std::size_t index, int buckets, double buckets_per_load,
                              Merge merge) const {
  const std::vector<Load>& least_rest = trellis_.layers()[t + 1].least_rest;
  const std::size_t states = share.last_state - share.first_state;
  share.table.assign(states * static_cast<std::size_t>(buckets), {0, kNothing, -1});
  for (const FoundByShare& chunk : found_) {
    for (const auto& [state, label] : chunk[index]) {
      const auto bucket =
          static_cast<std::size_t>(static_cast<double>(label.load + least_rest[state]) * buckets_per_load);
      Label& kept = share.table[(static_cast<std::size_t>(state) - share.first_state) * buckets + bucket];
      if (kept.price == kNothing) {
        kept = label;
      } else {
        merge(kept, label);
      }
    }
  }
  share.labels.clear();
  share.start.assign(1, 0);
  for (std::size_t s = 0; s < states; ++s) {
    Price most = kNothing;
    for (int b = 0; b < buckets; ++b) {
      const Label& label = share.table[s * buckets + b];
      if (label.price <= most) continue;
      most = label.price;
      share.labels.push_back(label);
    }
    share.start.push_back(share.labels.size());
  }
}

void Pricing::join_shares(std::size_t t, const Budget& budget) {
  std::vector<Label>& to = labels_of_[t + 1];
  if (shares_.size() == 1) {
    to.swap(shares_[0].labels);
    start_.swap(shares_[0].start);
    return;
  }
  start_.assign(1, 0);
  std::vector<std::size_t> begin;
  for (const Share& share : shares_) {
    begin.push_back(start_.back());
    for (std::size_t s = 1; s < share.start.size(); ++s) start_.push_back(begin.back() + share.start[s]);
  }
  to.resize(start_.back());
  for_each(budget, shares_.size(), [&](std::size_t i, std::size_t) {
    std::copy(shares_[i].labels.begin(), shares_[i].labels.end(), to.begin() + static_cast<std::ptrdiff_t>(begin[i]));
  });
}

// All layers; merge(kept, label) makes one label of two in a bucket, of which the second is heavier and dearer. False
// if the budget ended.
template <class Merge>
bool Pricing::run(int buckets, Price above, Budget& budget, Merge merge) {
  start_run();
  const double buckets_per_load = buckets / static_cast<double>(limit_ + 1);
  for (std::size_t t = 0; t + 1 < trellis_.layers().size(); ++t) {
    divide(t, budget);
    for_each(budget, found_.size(), [&](std::size_t chunk, std::size_t) {
      extend(t, chunks_[chunk], chunks_[chunk + 1], above, budget, found_[chunk]);
    });
    std::size_t found = 0;
    for (const FoundByShare& chunk : found_) {
      for (const std::vector<Found>& part : chunk) found += part.size();
    }
    const bool by_table = trellis_.layers()[t + 1].states() * static_cast<std::size_t>(buckets) <= kTableFor * found;
    for_each(budget, shares_.size(), [&](std::size_t i, std::size_t) {
      if (by_table) {
        settle_by_table(t, shares_[i], i, buckets, buckets_per_load, merge);
      } else {
        settle(t, shares_[i], i, buckets_per_load, merge);
      }
    });
    join_shares(t, budget);
    labels_ += found;
    budget.spend(found / kPricingLabelsPerTick + 1);
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
