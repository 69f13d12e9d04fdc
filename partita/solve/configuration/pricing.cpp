// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/pricing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "partita/util/parallel.h"
#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

constexpr Price kMostPerLimit = 64;   // theta, in devices' worth for a limit of load
constexpr double kCloseBound = 1e-8;  // devices' worth: a bound no further from the best is as good
constexpr std::uint64_t kPricingLabelsPerTick = 16;
constexpr std::size_t kStatesPerLook = 100'000, kLabelsPerLook = 100'000;  // at the clock: under a millisecond
constexpr std::uint64_t kTicksPerLabel = 4;                                // of sharing a layer
constexpr std::size_t kSharesPerThread = 2;                                // some are heavier than others
constexpr std::size_t kLeastShares = 4;                                    // of what is just worth sharing
constexpr std::size_t kMostMerged = 12;                                    // lists; more are sorted
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

// One share where that is quicker.
void Pricing::divide(std::size_t t, const Budget& budget) {
  const Trellis::Layer& after = trellis_.layers()[t + 1];
  const std::size_t states = after.states();
  const std::uint64_t ticks = kTicksPerLabel * labels_of_[t].size();
  std::size_t most = 1;
  if (worth_sharing(budget, ticks)) {
    const std::uint64_t ticks_of_share = std::max<std::uint64_t>(1, budget.workers()->ticks_alone() / kLeastShares);
    most = std::min<std::size_t>({kSharesPerThread * threads_of(budget), ticks / ticks_of_share + 1, states + 1});
  }
  shares_.resize(most);
  for (std::size_t i = 0; i < most; ++i) {
    shares_[i].first_state = states * i / most;
    shares_[i].last_state = states * (i + 1) / most;
  }
}

class Pricing::Source {
 public:
  Source() = default;
  // Labels first..last-1 of the layer before, and what the arc adds.
  Source(const std::vector<Label>& labels, std::size_t first, std::size_t last, const Trellis::Entry& entry,
         Price price)
      : base_(labels.data()),
        next_(base_ + first),
        end_(base_ + last),
        load_(entry.load),
        price_(entry.take ? price : 0),
        take_(entry.take) {}

  // The next label that `wanted(load, price)`, which no label above `most_load` is; false if there is none.
  template <class Wanted>
  bool advance(Load most_load, Wanted wanted) {
    for (; next_ != end_; ++next_) {
      label.load = next_->load + load_;
      if (label.load > most_load) return false;
      label.price = next_->price + price_;
      if (!wanted(label.load, label.price)) continue;
      label.from = static_cast<std::int32_t>(2 * (next_ - base_) + take_);
      ++next_;
      return true;
    }
    return false;
  }

  Label label;  // at hand

 private:
  const Label *base_ = nullptr, *next_ = nullptr, *end_ = nullptr;
  Load load_ = 0;
  Price price_ = 0;
  bool take_ = false;
};

// What ends in one state: of the labels that may still lead above the price to beat those that are dearer than all lighter
// ones, and of these one for each bucket. Labels are kept in order of load.
class Pricing::Thinned {
 public:
  Thinned(std::vector<Label>& labels, Load rest, const Aim& aim)
      : labels_(labels), first_(labels.size()), rest_(rest), aim_(aim) {}

  void keep(const Label& label) {
    ++looked_at_;
    const bool any = labels_.size() > first_;
    if (any && label.price <= labels_.back().price) return;
    const auto bucket = static_cast<std::size_t>(static_cast<double>(label.load + rest_) * aim_.buckets_per_load);
    if (!any || bucket != bucket_) {
      labels_.push_back(label);
      bucket_ = bucket;
      return;
    }
    const Load least = labels_.back().load;
    labels_.back() = label;
    if (!aim_.real_sets) labels_.back().load = least;
  }
  std::size_t looked_at() const { return looked_at_; }

 private:
  std::vector<Label>& labels_;
  const std::size_t first_;
  const Load rest_;
  const Aim& aim_;
  std::size_t bucket_ = 0, looked_at_ = 0;
};

void Pricing::extend(std::size_t t, const Aim& aim, Share& share, const Budget& budget) const {
  TimeWatch watch(&budget, kLabelsPerLook);
  const Trellis::Layer& after = trellis_.layers()[t + 1];
  const Price price = prices_[trellis_.layers()[t].group];
  const std::vector<Label>& from = labels_of_[t];
  share.labels.clear();
  share.start.assign(1, 0);
  share.looked_at = 0;
  std::array<Source, kMostMerged> sources;
  for (std::size_t s = share.first_state; s < share.last_state; ++s) {
    const Load most_load = limit_ - after.least_rest[s];
    const Price completion = completion_[t + 1][s];
    const auto wanted = [&](Load load, Price worth) {
      return worth + completion + toll_up(theta_, limit_ - load) > aim.above;
    };
    const auto entries = after.entries_of(s);
    const auto source_of = [&](const Trellis::Entry& entry) {
      const auto u = static_cast<std::size_t>(entry.from);
      return Source(from, start_[u], start_[u + 1], entry, price);
    };
    Thinned kept(share.labels, after.least_rest[s], aim);
    if (entries.size() <= kMostMerged) {
      std::size_t count = 0;
      for (const Trellis::Entry& entry : entries) {
        sources[count] = source_of(entry);
        count += sources[count].advance(most_load, wanted);
      }
      while (count > 0) {
        std::size_t least = 0;
        for (std::size_t i = 1; i < count; ++i) {
          if (sources[i].label.load < sources[least].label.load) least = i;
        }
        kept.keep(sources[least].label);
        if (!sources[least].advance(most_load, wanted)) sources[least] = sources[--count];
      }
    } else {
      share.gathered.clear();
      for (const Trellis::Entry& entry : entries) {
        for (Source source = source_of(entry); source.advance(most_load, wanted);)
          share.gathered.push_back(source.label);
      }
      std::sort(share.gathered.begin(), share.gathered.end(),
                [](const Label& a, const Label& b) { return a.load != b.load ? a.load < b.load : a.from < b.from; });
      for (const Label& label : share.gathered) kept.keep(label);
    }
    share.start.push_back(share.labels.size());
    share.looked_at += kept.looked_at();
    watch.step(1 + entries.size() + kept.looked_at());
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

// All layers. False if the budget ended.
bool Pricing::run(int buckets, Price above, bool real_sets, Budget& budget) {
  start_run();
  const Aim aim{buckets / static_cast<double>(limit_ + 1), above, real_sets};
  for (std::size_t t = 0; t + 1 < trellis_.layers().size(); ++t) {
    divide(t, budget);
    for_each(budget, shares_.size(), [&](std::size_t i, std::size_t) { extend(t, aim, shares_[i], budget); });
    std::uint64_t looked_at = 0;
    for (const Share& share : shares_) looked_at += share.looked_at;
    join_shares(t, budget);
    labels_ += looked_at;
    most_labels_ = std::max(most_labels_, labels_);
    budget.spend(looked_at / kPricingLabelsPerTick + 1);
    if (t % 16 == 0 && budget.exhausted()) return false;
  }
  return true;
}

bool Pricing::none_above(int buckets, Price above, Budget& budget) {
  const bool finished = run(buckets, above, false, budget);
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
  const bool finished = run(buckets, above, true, budget);
  const std::vector<Label>& end = labels_of_.back();
  if (!finished || end.empty()) return std::nullopt;
  const auto best =
      std::max_element(end.begin(), end.end(), [](const Label& a, const Label& b) { return a.price < b.price; });
  if (best->price <= above) return std::nullopt;
  return trace(static_cast<std::int32_t>(best - end.begin()));
}

}  // namespace partita::detail
