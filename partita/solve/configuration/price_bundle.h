// SPDX-License-Identifier: Apache-2.0
// Where to try prices next: a proximal bundle of cuts [Lemaréchal-Nemirovskii-Nesterov-MP'95, Frangioni-SIOPT'02].
//
// The proof of a limit needs prices x at which all devices together are worth less than all groups:
//     f(x) = sum over classes c of count(c) U(c, x) - price of all groups < 0,
// where U(c, x) is the dearest set of a device of the class. f is convex and known by *cuts*: what a device of the class
// can hold, S, says that U(c, x) is at least S x, wherever it was found. The model of f is the largest that the cuts say,
// class by class. Its least value is far from the best prices as long as cuts are few (the duals of the configuration
// LP, which jump about), so the next prices are those that minimise
//     model(x) + |x - centre|^2 / (2 t),
// with the centre at the best prices so far, the sum of all groups' prices as it is there (f grows in proportion to x), and
// each coordinate measured in units of its own. How far to go is not said by t but by a `level` that the model should
// fall to; t is doubled or made smaller until it nearly does, beginning with what served last time.
//
// The dual is a quadratic program in weights of the cuts, those of a class together as many as it has devices:
//     x = centre - t scale (sum of weight * cut, less its mean over the groups).
// It is solved by moving weight from the cheapest cut of a class that has some to the dearest, as in [Platt-98], with the
// products of all cuts at hand. Cuts without weight for a while are dropped; whoever finds that one is missing adds it
// again. Cost of a round: products of the new cuts, and O(cuts) for each move of weight.
//
// Prices may have coordinates behind those of groups (tolls), which are not in the sum that is kept.
//
// [ResNet50 of layers, inference, free, limit 33.215: 38 rounds and 1.8 s where duals smoothed towards the best prices took
// 270 and 8 s. InceptionV3, training, contiguous, 122.2: 52 rounds and 1.8 s instead of 320 and 13.4 s.]
// Tests: tests/solve/price_bundle_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

namespace partita::detail {

class PriceBundle {
 public:
  // `scale`, above 0, by coordinate: prices move in proportion to it. Of these the first `groups` keep their sum. `counts`:
  // devices by class, and what else weights of a block of cuts come to.
  PriceBundle(std::vector<double> scale, std::size_t groups, std::vector<double> counts);

  // What a device of this class can hold, as what each coordinate counts for in its worth.
  void add(std::size_t device_class, const std::vector<double>& cut);
  // Whether it says more at these prices than all cuts of its class do.
  bool is_news(std::size_t device_class, const std::vector<double>& cut, const std::vector<double>& prices) const;

  struct Proposal {
    std::vector<double> prices;
    double value = 0;  // of the model there
  };
  // Prices near to the centre with a value of the model near to `level`, or above it where that is out of reach.
  Proposal propose(const std::vector<double>& centre, double level);
  // The last proposal was too far off to be of use.
  void stay_nearer() { step_ /= kNearer; }

  std::size_t cuts() const { return cuts_.size(); }
  double step() const { return step_; }  // t

 private:
  static constexpr double kFirstStep = 1e-4, kNearer = 8;

  // What a cut counts for in one coordinate. Most are none: a device holds a small part of all groups.
  struct Part {
    std::size_t at;
    double value, scaled;  // the latter with the coordinate's scale
  };
  struct Cut {
    std::size_t device_class;
    std::vector<Part> parts;
    double sum;  // of scale * parts over the groups
    double weight = 0;
    int idle = 0;  // rounds without weight
  };
  struct Move {
    std::size_t from, to;  // cuts; what the one at `to` is worth more
    double worth;
  };
  static double worth_of(const Cut& cut, const std::vector<double>& prices);
  void balance(const std::vector<double>& at_centre, double tolerance);
  Move best_move(const std::vector<double>& at_centre, double& gain) const;
  template <class Worth>
  double model(Worth worth, const std::vector<double>& centre) const;
  std::vector<double> prices_from(const std::vector<double>& centre) const;
  void forget_idle();

  const std::vector<double> scale_;
  const std::size_t groups_;
  double scale_of_groups_ = 0;
  const std::vector<double> counts_;
  std::vector<Cut> cuts_;
  std::vector<std::vector<double>> products_;  // of every two cuts
  std::vector<double> pull_;                   // products with the weighted sum of all cuts
  double step_ = kFirstStep;
};

}  // namespace partita::detail
