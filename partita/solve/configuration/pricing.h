// SPDX-License-Identifier: Apache-2.0
// Given a price for each group, the set of highest price that one accelerator can hold within the limit.
//
// A knapsack over the trellis: labels (load, price) at each state, where more price for more load is kept. Exact labels
// can be very many, so they are sorted into buckets of load, and each bucket keeps one label:
//   - for columns, the one with the highest price: a real set, perhaps not the best;
//   - for bounds, the smallest load and the highest price of the bucket together: no real set is better.
// Labels that cannot reach the price asked for are dropped by a Lagrangian bound: with a value `theta` per unit of
// load, the best completion of each state is a longest path, computed once per price vector. Cost: O(arcs * buckets).
// Prices may be negative where a set has to be left for what it would take with it.
// Layers with many labels are shared among the budget's threads: by the states that labels come from, then by those that
// they lead to. What leads to one state is looked at in the order of one thread, so all is as if one had done it.
// Tests: tests/solve/free_bound_test.cpp, tests/solve/convex_bound_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/solve/configuration/trellis.h"
#include "partita/util/budget.h"

namespace partita::detail {

using Price = std::int64_t;
inline constexpr Price kPriceUnit = Price{1} << 32;  // one device's worth
using Prices = IdVector<GroupId, Price>;

struct PricedSet {
  std::vector<GroupId> groups;
  Price price = 0;
};

class Pricing {
 public:
  Pricing(const Trellis& trellis, Load limit) : trellis_(trellis), limit_(limit) {}

  // Prepares for a price vector: finds the best theta and every state's best completion under it. Returns an upper
  // bound. Throws OutOfTime.
  Price set_prices(const Prices& prices, const Budget* budget = nullptr);

  // A column with a price above `above`, the best that buckets find; or none. This one and the next throw OutOfTime.
  std::optional<PricedSet> good_column(int buckets, Price above, Budget& budget);

  // Is no set's price above `above`? Never says yes wrongly; may say no because the buckets are too coarse.
  bool none_above(int buckets, Price above, Budget& budget);

  // Load that costs one unit of price, as a fraction theta / 2^36: part of a certificate, which it makes
  // quick to check.
  std::int64_t theta() const { return theta_; }
  static constexpr int kThetaShift = 36;
  // Labels made by the last run.
  std::uint64_t labels() const { return labels_; }

 private:
  struct Label {
    Load load;
    Price price;
    std::int32_t from;  // 2 * label in the layer before + taken
  };
  struct Found {
    std::int32_t state;
    Label label;
  };
  struct Relaxed {
    std::int64_t theta = 0;
    Price bound = 0;  // on the price of every set within the limit
    Load load = 0;    // of the path that gives it
  };
  Relaxed complete_with(std::int64_t theta, TimeWatch& watch);
  std::int64_t best_theta(TimeWatch& watch);
  void start_run();
  PricedSet trace(std::int32_t label) const;
  // Some states of the layer after, and the labels that lead there.
  struct Share {
    std::size_t first_state = 0, last_state = 0;
    std::vector<Label> labels;         // state by state, loads rising
    std::vector<std::size_t> start;    // of each state's labels in there
    std::vector<Label> sorted, table;  // scratch: labels found, by state; buckets
    std::vector<std::size_t> end;      // scratch: of each state's part of `sorted`
  };
  using FoundByShare = std::vector<std::vector<Found>>;
  // Finds every extension of the labels of states first..last-1 of layer t that may still lead above the price to beat.
  void extend(std::size_t t, std::size_t first, std::size_t last, Price above, const Budget& budget,
              FoundByShare& found) const;
  template <class Merge>
  void settle(std::size_t t, Share& share, std::size_t index, double buckets_per_load, Merge merge) const;
  template <class Merge>
  void settle_by_table(std::size_t t, Share& share, std::size_t index, int buckets, double buckets_per_load,
                       Merge merge) const;
  void divide(std::size_t t, const Budget& budget);
  void join_shares(std::size_t t, const Budget& budget);
  template <class Merge>
  bool run(int buckets, Price above, Budget& budget, Merge merge);

  const Trellis& trellis_;
  const Load limit_;
  Prices prices_;
  std::int64_t theta_ = 0;
  std::vector<std::vector<Price>> completion_;  // by layer and state: most price - theta * load from here on
  std::vector<Load> completion_load_, completion_load_after_;  // of those completions, in the layers looked at last
  std::vector<std::vector<Label>> labels_of_;                  // by layer, state by state, loads rising
  std::vector<std::size_t> start_;                             // of each state's labels in the current layer
  // Of the current layer: who extends which states' labels, and where they lead.
  std::vector<std::size_t> chunks_;  // states where chunks of them begin, and the end
  std::vector<FoundByShare> found_;  // by chunk: labels for the next layer, as they come
  std::vector<Share> shares_;
  int share_shift_ = 0;  // the share of a state is state >> share_shift_
  std::uint64_t labels_ = 0;
};

}  // namespace partita::detail
