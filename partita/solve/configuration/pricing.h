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
//
// A state takes its labels from the few states that lead to it. The labels of each are in order of load, and all grow by
// the load of one arc, so it is a merge of sorted lists, which thins them out on the way. Layers with many labels are
// shared among the budget's threads, state by state, which changes nothing.
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
  // Labels made by the last run, and by the largest.
  std::uint64_t labels() const { return labels_; }
  std::uint64_t most_labels() const { return most_labels_; }

 private:
  struct Label {
    Load load;
    Price price;
    std::int32_t from;  // 2 * label in the layer before + taken
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
  // Some states of a layer, and the labels that end there.
  struct Share {
    std::size_t first_state = 0, last_state = 0;
    std::vector<Label> labels;       // state by state, loads rising
    std::vector<std::size_t> start;  // of each state's labels in there
    std::uint64_t looked_at = 0;     // labels that might still have led above the price to beat
    std::vector<Label> gathered;     // scratch
  };
  // What a run is about.
  struct Aim {
    double buckets_per_load = 0;
    Price above = 0;
    bool real_sets = false;  // else the least load and the highest price of a bucket are put together
  };
  class Source;
  class Thinned;
  void extend(std::size_t t, const Aim& aim, Share& share, const Budget& budget) const;
  void divide(std::size_t t, const Budget& budget);
  void join_shares(std::size_t t, const Budget& budget);
  bool run(int buckets, Price above, bool real_sets, Budget& budget);

  const Trellis& trellis_;
  const Load limit_;
  Prices prices_;
  std::int64_t theta_ = 0;
  std::vector<std::vector<Price>> completion_;  // by layer and state: most price - theta * load from here on
  std::vector<Load> completion_load_, completion_load_after_;  // of those completions, in the layers looked at last
  std::vector<std::vector<Label>> labels_of_;                  // by layer, state by state, loads rising
  std::vector<std::size_t> start_;                             // of each state's labels in the current layer
  std::vector<Share> shares_;                                  // of the next layer
  std::uint64_t labels_ = 0, most_labels_ = 0;
};

}  // namespace partita::detail
