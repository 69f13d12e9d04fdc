// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/crossing_sets.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr std::size_t kMostCrossings = 12;  // the heaviest, that pairs are looked for in
constexpr double kOfTheBetterCase = 0.1;    // the worse case counts most

bool meet(std::span<const Word> a, std::span<const Word> b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & b[w]) != 0) return true;
  }
  return false;
}

class Crossings {
 public:
  Crossings(const std::vector<SetInUse>& solution, const ConvexOrder& order)
      : solution_(solution),
        order_(order),
        inside_(solution.size(), order.size()),
        after_(solution.size(), order.size()) {
    for (std::size_t i = 0; i < solution.size(); ++i) {
      for (GroupId v : solution[i].groups) {
        const PointId p = point_of(v);
        inside_.set(i, p.index());
        join_bits(after_.row(i), order.reached(p));
      }
    }
  }

  std::optional<ConvexOrder::Edge> best_edge() const {
    std::optional<ConvexOrder::Edge> best;
    double most = 0;
    for (const Crossing& crossing : heaviest()) {
      for (PointId a : leading_into(crossing.first, crossing.second)) {
        for (PointId b : leading_into(crossing.second, crossing.first)) {
          // Sets of a trellis that has forgotten points need not be convex, and then a path may join the two.
          if (order_.leads_to(a, b) || order_.leads_to(b, a)) continue;
          const double one = ruled_out(a, b), other = ruled_out(b, a);
          const double worth = std::min(one, other) + kOfTheBetterCase * std::max(one, other);
          if (worth <= most) continue;
          most = worth;
          best = {a, b};
        }
      }
    }
    return best;
  }

 private:
  struct Crossing {
    double weight = 0;
    std::size_t first = 0, second = 0;
  };

  PointId point_of(GroupId v) const { return order_.points_of(v).front(); }

  std::vector<Crossing> heaviest() const {
    std::vector<Crossing> result;
    for (std::size_t i = 0; i < solution_.size(); ++i) {
      for (std::size_t j = i + 1; j < solution_.size(); ++j) {
        if (!meet(after_.row(i), inside_.row(j)) || !meet(after_.row(j), inside_.row(i))) continue;
        if (meet(inside_.row(i), inside_.row(j))) continue;
        result.push_back({std::min(solution_[i].part, solution_[j].part), i, j});
      }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Crossing& a, const Crossing& b) { return a.weight > b.weight; });
    if (result.size() > kMostCrossings) result.resize(kMostCrossings);
    return result;
  }

  // Of the points of one set from which a path leads into the other: the first, the middle one and the last.
  std::vector<PointId> leading_into(std::size_t set, std::size_t other) const {
    std::vector<PointId> all;
    for (GroupId v : solution_[set].groups) {
      if (meet(order_.reached(point_of(v)), inside_.row(other))) all.push_back(point_of(v));
    }
    std::sort(all.begin(), all.end(), [&](PointId a, PointId b) { return order_.position(a) < order_.position(b); });
    if (all.size() <= 3) return all;
    return {all.front(), all[all.size() / 2], all.back()};
  }

  // How much of the solution is not convex any more once an edge leads from a to b.
  double ruled_out(PointId a, PointId b) const {
    double sum = 0;
    for (std::size_t i = 0; i < solution_.size(); ++i) {
      const bool has_a = inside_.test(i, a.index()), has_b = inside_.test(i, b.index());
      const bool begins = has_a || after_.test(i, a.index());
      const bool ends = has_b || meet(order_.reached(b), inside_.row(i));
      if (begins && ends && !(has_a && has_b)) sum += solution_[i].part;
    }
    return sum;
  }

  const std::vector<SetInUse>& solution_;
  const ConvexOrder& order_;
  BitMatrix inside_, after_;  // by set: its points, and what they lead to
};

}  // namespace

std::optional<ConvexOrder::Edge> edge_to_decide(const std::vector<SetInUse>& solution, const ConvexOrder& order) {
  return Crossings(solution, order).best_edge();
}

}  // namespace partita::detail
