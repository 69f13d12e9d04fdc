// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/volume.h"

#include <ClpSimplex.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "partita/reduce/threshold.h"

namespace partita::detail {
namespace {

constexpr int kMostRounds = 400;
constexpr double kCloseEnough = 1e-9;
constexpr double kMostToll = 100;  // on a class's whole memory, in totals of time

// Weights of the classes: y by class, then the tolls on the memory of all devices of the class.
class VolumeDual {
 public:
  explicit VolumeDual(const FreeInstance& instance) : instance_(instance), graph_(instance.graph) {
    const std::size_t classes = instance.class_count();
    for (GroupId v : graph_.all()) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < classes; ++c) {
        if (instance.may_hold(c, v)) least = std::min(least, instance.time[c][v].total());
      }
      fits_ = fits_ && std::isfinite(least);
      longest_ = std::max(longest_, least);
      total_ += least;
    }
    binds_.assign(classes, 0);
    for (std::size_t c = 0; c < classes; ++c) binds_[c] = room(c) > 0 && graph_.total_memory() > room(c);
  }

  bool fits() const { return fits_; }
  double longest() const { return longest_; }

  // Any number of rounds gives a bound, so the first is made whatever time it is.
  void maximise(const Budget* budget) {
    const auto classes = static_cast<int>(instance_.class_count());
    ClpSimplex lp;
    lp.setLogLevel(0);
    lp.resize(0, 1 + 2 * classes);
    lp.setOptimizationDirection(-1);
    lp.setObjectiveCoefficient(0, 1);
    lp.setColumnBounds(0, 0, kMostToll * std::max(total_, 1e-300));
    std::vector<int> columns;
    std::vector<double> counts;
    for (int c = 0; c < classes; ++c) {
      lp.setColumnBounds(1 + c, 0, COIN_DBL_MAX);
      lp.setColumnBounds(1 + classes + c, 0, binds_[static_cast<std::size_t>(c)] ? kMostToll * total_ : 0);
      columns.push_back(1 + c);
      counts.push_back(count(static_cast<std::size_t>(c)));
    }
    lp.addRow(classes, columns.data(), counts.data(), 1, 1);

    double devices = 0;
    for (double count : counts) devices += count;
    std::vector<double> weights(2 * instance_.class_count(), 0);
    std::fill(weights.begin(), weights.begin() + classes, 1 / devices);
    for (int round = 0; round < kMostRounds && !(round > 0 && budget && budget->out_of_time()); ++round) {
      add_cut(lp, weights);
      lp.primal();
      if (!lp.isProvenOptimal() || lp.objectiveValue() - best_ <= kCloseEnough * std::abs(best_)) return;
      std::copy(lp.getColSolution() + 1, lp.getColSolution() + 1 + 2 * classes, weights.begin());
    }
  }

  double best() const { return best_; }

  // Each group's part of the sum at the best weights, and what a device of each class pays for its memory.
  GroupPrices prices() const {
    GroupPrices result;
    for (GroupId v : graph_.all()) result.of.push_back(std::max(0.0, cheapest(v, best_weights_).second));
    const std::size_t classes = instance_.class_count();
    for (std::size_t c = 0; c < classes; ++c) result.toll.push_back(best_weights_[classes + c] / count(c));
    return result;
  }

 private:
  double count(std::size_t c) const { return static_cast<double>(instance_.device_class(c).count); }
  double room(std::size_t c) const { return count(c) * instance_.device_class(c).memory; }

  std::pair<std::size_t, double> cheapest(GroupId v, const std::vector<double>& weights) const {
    const std::size_t classes = instance_.class_count();
    std::pair<std::size_t, double> best{0, std::numeric_limits<double>::infinity()};
    for (std::size_t c = 0; c < classes; ++c) {
      if (!instance_.may_hold(c, v)) continue;
      double worth = weights[c] * instance_.time[c][v].total();
      if (binds_[c]) worth += weights[classes + c] * graph_.group(v).memory / room(c);
      if (worth < best.second) best = {c, worth};
    }
    return best;
  }

  // Weights that the LP gave may be off a little; made true ones, they prove what they prove.
  void add_cut(ClpSimplex& lp, std::vector<double> weights) {
    const std::size_t classes = instance_.class_count();
    double unit = 0;
    for (std::size_t c = 0; c < classes; ++c) unit += count(c) * (weights[c] = std::max(0.0, weights[c]));
    for (std::size_t c = 0; c < classes; ++c) {
      weights[c] /= unit;
      weights[classes + c] = binds_[c] ? std::max(0.0, weights[classes + c]) : 0;
    }
    std::vector<double> slope(2 * classes, 0);
    long double sum = 0;  // what tolls add and take away again must not leave rounding behind
    for (GroupId v : graph_.all()) {
      const auto [c, worth] = cheapest(v, weights);
      sum += worth;
      slope[c] += instance_.time[c][v].total();
      if (binds_[c]) slope[classes + c] += graph_.group(v).memory / room(c);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      sum -= weights[classes + c];
      slope[classes + c] -= 1;
    }
    const auto value = static_cast<double>(sum);
    if (best_weights_.empty() || value > best_) {
      best_ = std::max(value, best_);
      best_weights_ = weights;
    }
    std::vector<int> columns{0};
    std::vector<double> entries{1};
    for (std::size_t i = 0; i < slope.size(); ++i) {
      columns.push_back(static_cast<int>(1 + i));
      entries.push_back(-slope[i]);
    }
    lp.addRow(static_cast<int>(columns.size()), columns.data(), entries.data(), -COIN_DBL_MAX, 0);
  }

  const FreeInstance& instance_;
  const NetGraph& graph_;
  bool fits_ = true;
  double longest_ = 0, total_ = 0;
  std::vector<char> binds_;  // by class: is there less memory than all groups need?
  double best_ = 0;
  std::vector<double> best_weights_;
};

}  // namespace

Volume volume_bound(const FreeInstance& instance, const Budget* budget) {
  VolumeDual dual(instance);
  const std::size_t groups = instance.graph.size();
  Volume result{0, {std::vector<double>(groups, 0), std::vector<double>(instance.class_count(), 0)}};
  if (groups == 0 || !dual.fits()) return result;
  dual.maximise(budget);
  result.bound = std::max(dual.best(), dual.longest()) * (1 - kRoundingSlack);
  result.prices = dual.prices();
  return result;
}

}  // namespace partita::detail
