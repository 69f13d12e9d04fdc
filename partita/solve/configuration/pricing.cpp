// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/pricing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "partita/util/phases.h"
#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

constexpr Price kMostPerLimit = 64;   // theta, in devices' worth for a limit of load
constexpr double kCloseBound = 1e-8;  // devices' worth: a bound no further from the best is as good
constexpr std::uint64_t kPricingLabelsPerTick = 16;
constexpr std::size_t kLayersPerLook = 16;
constexpr std::size_t kStatesPerLook = 100'000, kLabelsPerLook = 100'000;  // at the clock: under a millisecond
constexpr std::uint64_t kTicksPerLabel = 4;                                // of sharing a layer
constexpr std::size_t kLeastShares = 20;                                   // of what is just worth sharing
constexpr std::size_t kMostThreadsOfLayer = 6;                             // most layers have a few hundred labels
constexpr std::size_t kMostMerged = 12;                                    // lists; more are sorted
// With fewer threads the way is that of one, and with more tries at once no fewer rounds are needed.
constexpr std::size_t kThreadsForThetas = 4, kTriesOfTheta = 9;
constexpr Price kNothing = std::numeric_limits<Price>::min() / 4;

std::size_t threads_of_layer(const Budget& budget) { return std::min(threads_of(budget), kMostThreadsOfLayer); }

// theta * load: rounded up where it is granted, down where it is charged, so that completions stay upper bounds.
Price toll_down(std::int64_t theta, Load load) {
  return static_cast<Price>((static_cast<WideInt>(theta) * load) >> Pricing::kThetaShift);
}
Price toll_up(std::int64_t theta, Load load) {
  return static_cast<Price>(((static_cast<WideInt>(theta) * load) >> Pricing::kThetaShift) + 1);
}

}  // namespace

// Longest paths from every state to the end with theta charged per unit of load; what they are worth goes to `kept`, by
// layer, if somebody wants it.
Pricing::Relaxed Pricing::complete_with(std::int64_t theta, LongestPaths& paths, const Budget* budget,
                                        std::vector<std::vector<Price>>* kept) const {
  TimeWatch watch(budget, kStatesPerLook);
  const auto& layers = trellis_.layers();
  auto& [here, after, load, load_after] = paths;
  here.assign(layers.back().states(), 0);
  load.assign(layers.back().states(), 0);
  if (kept) kept->resize(layers.size());
  if (kept) kept->back() = here;
  for (std::size_t t = layers.size() - 1; t-- > 0;) {
    const auto& layer = layers[t];
    const std::size_t states = layer.states();
    const Price price = prices_[layer.group];
    watch.step(states);
    after.swap(here);
    load_after.swap(load);
    load.assign(states, 0);
    here.assign(states, kNothing);
    for (std::size_t s = 0; s < states; ++s) {
      for (std::size_t i = layer.first[s]; i < layer.first[s + 1]; ++i) {
        const Trellis::Arc& arc = layer.arcs[i];
        const Price worth = (arc.take ? price : 0) - toll_down(theta, arc.load) + after[arc.to];
        if (worth <= here[s]) continue;
        here[s] = worth;
        load[s] = arc.load + load_after[arc.to];
      }
    }
    if (kept) (*kept)[t] = here;
  }
  if (here.empty()) return {theta, 0, 0};
  return {theta, here[0] + toll_up(theta, limit_), load[0]};
}

// The bound is convex in theta: the upper end of straight lines, one for each path, whose slopes are the limit less the
// path's load. It is lowest between a theta whose path is too heavy and one whose path is not.
class Pricing::ThetaRange {
 public:
  // From a theta whose path is too heavy to one whose path is not, of one limit.
  ThetaRange(const Relaxed& low, const Relaxed& high, Load limit) : low_(low), high_(high), limit_(limit) {}

  bool is_single() const { return high_.theta - low_.theta <= 1; }
  void narrow(const Relaxed& middle) {
    if (middle.load > limit_) {
      if (middle.theta > low_.theta) low_ = middle;
    } else if (middle.theta < high_.theta) {
      high_ = middle;
    }
  }
  // Where the lines of both ends cross, and the bound there, which is no higher than the lowest.
  struct Crossing {
    std::int64_t theta;
    double bound;
  };
  Crossing crossing() const {
    const double fall = static_cast<double>(low_.load - limit_), rise = static_cast<double>(limit_ - high_.load);
    // In prices: both lines, from their own theta on.
    const double width = std::ldexp(static_cast<double>(high_.theta - low_.theta), -kThetaShift);
    const double at = (static_cast<double>(low_.bound - high_.bound) + rise * width) / (fall + rise);
    const auto step = static_cast<std::int64_t>(std::ldexp(std::clamp(at, 0.0, width), kThetaShift));
    return {std::clamp(low_.theta + step, low_.theta + 1, high_.theta - 1),
            static_cast<double>(low_.bound) - fall * at};
  }
  const Relaxed& low() const { return low_; }
  const Relaxed& high() const { return high_; }

 private:
  Relaxed low_, high_;
  Load limit_;
};

std::int64_t Pricing::highest_theta() const {
  return static_cast<std::int64_t>((static_cast<WideInt>(kMostPerLimit * kPriceUnit) << kThetaShift) / limit_);
}

// Tries where the lines at both ends of what is left cross; they meet after a few. What is left at the end is a bound
// in any case.
std::int64_t Pricing::best_theta(const Budget* budget) {
  LongestPaths& paths = paths_[0];
  Relaxed low = complete_with(0, paths, budget);
  if (low.load <= limit_) return 0;  // the dearest set of all is within the limit
  const std::int64_t highest = highest_theta();
  Relaxed high = complete_with(std::clamp<std::int64_t>(2 * theta_, highest / 64, highest), paths, budget);
  while (high.load > limit_ && high.theta < highest) {
    low = high;
    high = complete_with(std::min(4 * high.theta, highest), paths, budget);
  }
  if (high.load > limit_) return highest;
  ThetaRange left(low, high, limit_);
  while (!left.is_single()) {
    const auto [theta, least] = left.crossing();
    const Relaxed middle = complete_with(theta, paths, budget);
    left.narrow(middle);
    if (static_cast<double>(middle.bound) - least <= kCloseBound * static_cast<double>(kPriceUnit)) return middle.theta;
  }
  return left.high().theta;
}

std::vector<Pricing::Relaxed> Pricing::complete_with_all(const std::vector<std::int64_t>& thetas,
                                                         const Budget& budget) {
  std::vector<Relaxed> all(thetas.size());
  if (paths_.size() < threads_of(budget)) paths_.resize(threads_of(budget));
  for_each(budget, thetas.size(),
           [&](std::size_t i, std::size_t slot) { all[i] = complete_with(thetas[i], paths_[slot], &budget); });
  return all;
}

// The same with several tries at once: first around the last theta, which is often near, then around the crossing,
// nearer and nearer.
std::int64_t Pricing::best_theta_together(const Budget& budget) {
  const std::int64_t highest = highest_theta();
  const std::int64_t near = std::clamp<std::int64_t>(theta_, highest / 64, highest);
  std::vector<std::int64_t> tries{0, highest, near};
  for (const std::int64_t part : {64, 8, 2}) {
    tries.push_back(near - near / part);
    tries.push_back(std::min(near + near / part, highest));
  }
  std::vector<Relaxed> found = complete_with_all(tries, budget);
  if (found[0].load <= limit_) return 0;
  if (found[1].load > limit_) return highest;
  ThetaRange left(found[0], found[1], limit_);
  Relaxed best = found[0];
  for (;;) {
    for (const Relaxed& one : found) {
      left.narrow(one);
      if (one.bound < best.bound) best = one;
    }
    if (left.is_single()) return best.theta;
    const auto [theta, least] = left.crossing();
    if (static_cast<double>(best.bound) - least <= kCloseBound * static_cast<double>(kPriceUnit)) return best.theta;
    tries = {theta};
    for (std::int64_t part = 4; tries.size() < kTriesOfTheta; part *= 8) {
      tries.push_back(theta - (theta - left.low().theta) / part);
      tries.push_back(theta + (left.high().theta - theta) / part);
    }
    found = complete_with_all(tries, budget);
  }
}

Price Pricing::set_prices(const Prices& prices, const Budget* budget) {
  prices_ = prices;
  const bool together = budget && threads_of(*budget) >= kThreadsForThetas &&
                        worth_sharing(*budget, kTicksPerLabel * trellis_.state_count());
  theta_ = together ? best_theta_together(*budget) : best_theta(budget);
  return complete_with(theta_, paths_[0], budget, &completion_).bound;
}

void Pricing::start_run() {
  shares_of_.resize(trellis_.layers().size());
  for (auto& shares : shares_of_) {
    if (shares.empty()) shares.resize(1);
    for (Share& share : shares) share.labels.clear();
  }
  shares_of_[0][0].labels.assign(1, {0, 0, -1});
  here_.shares.assign(1, {.labels = 1});
  here_.of_state.assign(1, {0, 0, 1});
  at_ = 0;
  labels_ = 0;
}

// How many shares the states of the next layer make: one where that is quicker. None at the end.
std::size_t Pricing::divide(const Budget& budget) {
  if (at_ + 1 == trellis_.layers().size()) return 0;
  const std::size_t states = trellis_.layers()[at_ + 1].states();
  const std::uint64_t ticks = kTicksPerLabel * (here_.shares.back().labels_before + here_.shares.back().labels);
  std::size_t most = 1;
  if (threads_of(budget) > 1) {
    const std::uint64_t ticks_of_share = std::max<std::uint64_t>(1, budget.workers()->ticks_alone() / kLeastShares);
    most = std::min<std::size_t>({threads_of_layer(budget), ticks / ticks_of_share + 1, states + 1});
  }
  next_.shares.resize(most);
  next_.of_state.resize(states);
  if (shares_of_[at_ + 1].size() < most) shares_of_[at_ + 1].resize(most);
  return most;
}

class Pricing::Source {
 public:
  Source() = default;
  // Labels of a state of the layer before, in a share of it, and what the arc adds.
  Source(const Share& share, const Summary& summary, const LabelsOfState& labels, const Trellis::Entry& entry,
         Price price)
      : base_(share.labels.data()),
        next_(base_ + labels.first),
        end_(base_ + labels.last),
        twice_before_(static_cast<std::int32_t>(2 * summary.labels_before)),
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
      label.from = twice_before_ + static_cast<std::int32_t>(2 * (next_ - base_) + take_);
      ++next_;
      return true;
    }
    return false;
  }

  Label label;  // at hand

 private:
  const Label *base_ = nullptr, *next_ = nullptr, *end_ = nullptr;
  std::int32_t twice_before_ = 0;
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

void Pricing::extend(const Aim& aim, std::size_t number, const Budget& budget) {
  TimeWatch watch(&budget, kLabelsPerLook);
  const Trellis::Layer& after = trellis_.layers()[at_ + 1];
  const Price price = prices_[trellis_.layers()[at_].group];
  const std::vector<Share>& shares = shares_of_[at_];
  std::vector<Label>& labels = shares_of_[at_ + 1][number].labels;
  std::vector<Label> gathered;
  std::uint64_t looked_at = 0;
  std::array<Source, kMostMerged> sources;
  const std::size_t states = after.states(), count_of_shares = next_.shares.size();
  const std::size_t first_state = states * number / count_of_shares;
  for (std::size_t s = first_state; s < states * (number + 1) / count_of_shares; ++s) {
    const Load most_load = limit_ - after.least_rest[s];
    const Price completion = completion_[at_ + 1][s];
    const auto wanted = [&](Load load, Price worth) {
      return worth + completion + toll_up(theta_, limit_ - load) > aim.above;
    };
    const auto entries = after.entries_of(s);
    const auto source_of = [&](const Trellis::Entry& entry) {
      const LabelsOfState& labels_there = here_.of_state[static_cast<std::size_t>(entry.from)];
      return Source(shares[labels_there.share], here_.shares[labels_there.share], labels_there, entry, price);
    };
    const auto first = static_cast<std::uint32_t>(labels.size());
    Thinned kept(labels, after.least_rest[s], aim);
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
      gathered.clear();
      for (const Trellis::Entry& entry : entries) {
        for (Source source = source_of(entry); source.advance(most_load, wanted);) gathered.push_back(source.label);
      }
      std::sort(gathered.begin(), gathered.end(),
                [](const Label& a, const Label& b) { return a.load != b.load ? a.load < b.load : a.from < b.from; });
      for (const Label& label : gathered) kept.keep(label);
    }
    next_.of_state[s] = {static_cast<std::uint32_t>(number), first, static_cast<std::uint32_t>(labels.size())};
    looked_at += kept.looked_at();
    watch.step(1 + entries.size() + kept.looked_at());
  }
  next_.shares[number] = {static_cast<std::uint32_t>(labels.size()), 0, looked_at};
}

// False if the budget ended.
bool Pricing::end_layer(Budget& budget) {
  std::uint64_t looked_at = 0;
  std::uint32_t labels = 0;
  for (Summary& share : next_.shares) {
    looked_at += share.looked_at;
    share.labels_before = labels;
    labels += share.labels;
  }
  std::swap(here_, next_);
  labels_ += looked_at;
  most_labels_ = std::max(most_labels_, labels_);
  budget.spend(looked_at / kPricingLabelsPerTick + 1);
  return at_++ % kLayersPerLook != 0 || !budget.exhausted();
}

// All layers. False if the budget ended.
bool Pricing::run(int buckets, Price above, bool real_sets, Budget& budget) {
  start_run();
  const Aim aim{buckets / static_cast<double>(limit_ + 1), above, real_sets};
  bool in_time = true;
  const auto divide_next = [&] {
    in_time = end_layer(budget);
    return in_time ? divide(budget) : 0;
  };
  std::size_t shares = divide(budget);
  while (shares == 1) {
    extend(aim, 0, budget);
    shares = divide_next();
  }
  for_each_phase(
      budget, threads_of_layer(budget), shares, [&](std::size_t share) { extend(aim, share, budget); }, divide_next);
  return in_time;
}

bool Pricing::none_above(int buckets, Price above, Budget& budget) {
  if (!run(buckets, above, false, budget)) return false;
  return std::ranges::none_of(shares_of_.back(), [&](const Share& share) {
    return std::ranges::any_of(share.labels, [&](const Label& label) { return label.price > above; });
  });
}

const Pricing::Label& Pricing::label_at(std::size_t layer, std::int32_t number) const {
  auto left = static_cast<std::size_t>(number);
  auto share = shares_of_[layer].begin();
  for (; left >= share->labels.size(); ++share) left -= share->labels.size();
  return share->labels[left];
}

PricedSet Pricing::trace(std::int32_t label) const {
  PricedSet column;
  column.price = label_at(trellis_.layers().size() - 1, label).price;
  for (std::size_t t = trellis_.layers().size() - 1; t > 0; --t) {
    const std::int32_t from = label_at(t, label).from;
    if (from % 2 != 0) column.groups.push_back(trellis_.layers()[t - 1].group);
    label = from / 2;
  }
  return column;
}

std::optional<PricedSet> Pricing::good_column(int buckets, Price above, Budget& budget) {
  if (!run(buckets, above, true, budget)) return std::nullopt;
  std::int32_t number = 0, best = -1;
  Price dearest = above;
  for (const Share& share : shares_of_.back()) {
    for (const Label& label : share.labels) {
      if (label.price > dearest) {
        dearest = label.price;
        best = number;
      }
      ++number;
    }
  }
  return best < 0 ? std::nullopt : std::optional(trace(best));
}

}  // namespace partita::detail
