// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pipedream_recurrence.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <tuple>

#include "partita/model/platform.h"

namespace partita::detail {
namespace {

class Recurrence {
 public:
  Recurrence(const std::vector<PathLayer>& layers, const std::vector<PathLevel>& levels, double sync_bandwidth,
             Boundary boundary)
      : layers_(layers), levels_(levels), sync_bandwidth_(sync_bandwidth), boundary_(boundary) {}

  // Layers i..j on up to m units of level k - 1. `left` and `right` are the levels of the links over which they
  // exchange with the layers before and after.
  double a(std::size_t k, std::size_t i, std::size_t j, int m, std::size_t left, std::size_t right) {
    if (m == 0) return kUnlimited;
    if (k == 0) return on_device(i, j, left, right);
    const auto key = std::make_tuple(k, i, j, m, left, right);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    double best = std::min(a(k, i, j, m - 1, left, right), t(k, i, j, m, left, right));
    for (std::size_t s = i; s < j; ++s) {
      const double crossing = boundary_ == Boundary::Printed ? layers_[s].transfer * factor(k) : 0;
      for (int last = 1; last < m; ++last) {
        best = std::min(best, std::max({a(k, i, s, m - last, left, k), crossing, t(k, s + 1, j, last, k, right)}));
      }
    }
    return known_[key] = best;
  }

 private:
  double t(std::size_t k, std::size_t i, std::size_t j, int m, std::size_t left, std::size_t right) {
    const int below = k == 1 ? 1 : levels_[k - 2].units;
    double weights = 0;
    for (std::size_t layer = i; layer <= j; ++layer) weights += layers_[layer].weights;
    const double exchange = (m - 1) * weights * factor(k) / sync_bandwidth_;
    return std::max(a(k - 1, i, j, below, left, right), exchange) / m;
  }

  double on_device(std::size_t i, std::size_t j, std::size_t left, std::size_t right) const {
    double time = 0;
    for (std::size_t layer = i; layer <= j; ++layer) time += layers_[layer].time;
    if (boundary_ == Boundary::Printed) return time;
    const double in = i == 0 ? 0 : layers_[i - 1].transfer * factor(left);
    const double out = j + 1 == layers_.size() ? 0 : layers_[j].transfer * factor(right);
    return std::max({time, in, out});
  }

  double factor(std::size_t level) const { return levels_[level - 1].factor; }

  const std::vector<PathLayer>& layers_;
  const std::vector<PathLevel>& levels_;
  double sync_bandwidth_;
  Boundary boundary_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, int, std::size_t, std::size_t>, double> known_;
};

}  // namespace

double pipedream_value(const std::vector<PathLayer>& layers, const std::vector<PathLevel>& levels,
                       double sync_bandwidth, Boundary boundary) {
  const std::size_t top = levels.size();
  return Recurrence(layers, levels, sync_bandwidth, boundary)
      .a(top, 0, layers.size() - 1, levels.back().units, top, top);
}

}  // namespace partita::detail
