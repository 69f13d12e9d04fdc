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
// A state takes its labels from the few states that lead to it. The labels of each are in order of load, and all grow
// by the load of one arc, so it is a merge of sorted lists, which thins them out on the way. From the first layer on
// that has many labels, the budget's threads share the layers, some states each (util/phases.h), which changes nothing.
// With many threads several values of theta are tried at once. Tests: tests/solve/free_bound_test.cpp,
// tests/solve/convex_bound_test.cpp.
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
  // What a thread needs for itself, by state of the layer looked at last and of the one after it.
  struct LongestPaths {
    std::vector<Price> worth, worth_after;
    std::vector<Load> load, load_after;
  };
  class ThetaRange;
  Relaxed complete_with(std::int64_t theta, LongestPaths& paths, const Budget* budget,
                        std::vector<std::vector<Price>>* kept = nullptr) const;
  std::vector<Relaxed> complete_with_all(const std::vector<std::int64_t>& thetas, const Budget& budget);
  std::int64_t highest_theta() const;
  std::int64_t best_theta(const Budget* budget);
  std::int64_t best_theta_together(const Budget& budget);
  const Label& label_at(std::size_t layer, std::int32_t number) const;
  PricedSet trace(std::int32_t label) const;
  // Labels of some states of a layer, state by state, loads rising. On a cache line of its own, as a thread's.
  struct alignas(64) Share {
    std::vector<Label> labels;
  };
  // What all threads hear of a share.
  struct Summary {
    std::uint32_t labels = 0, labels_before = 0;  // in shares before this one
    std::uint64_t looked_at = 0;                  // labels that might still have led above the price to beat
  };
  // Of one state: labels first..last-1 of a share.
  struct LabelsOfState {
    std::uint32_t share = 0, first = 0, last = 0;
  };
  struct Layer {
    std::vector<Summary> shares;
    std::vector<LabelsOfState> of_state;
  };
  // What a run is about.
  struct Aim {
    double buckets_per_load = 0;
    Price above = 0;
    bool real_sets = false;  // else the least load and the highest price of a bucket are put together
  };
  class Source;
  class Thinned;
  void start_run();
  std::size_t divide(const Budget& budget);
  void extend(const Aim& aim, std::size_t share, const Budget& budget);
  bool end_layer(Budget& budget);
  bool run(int buckets, Price above, bool real_sets, Budget& budget);

  const Trellis& trellis_;
  const Load limit_;
  Prices prices_;
  std::int64_t theta_ = 0;
  std::vector<std::vector<Price>> completion_;  // by layer and state: most price - theta * load from here on
  std::vector<LongestPaths> paths_ = std::vector<LongestPaths>(1);  // by slot of the threads
  std::vector<std::vector<Share>> shares_of_;                       // by layer
  std::size_t at_ = 0;                                              // the layer whose labels are known
  Layer here_, next_;                                               // that one, and the one after it
  std::uint64_t labels_ = 0, most_labels_ = 0;
};

}  // namespace partita::detail
