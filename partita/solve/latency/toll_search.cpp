// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/toll_search.h"

#include <algorithm>

namespace partita::detail {

std::size_t TollSearch::highest() const {
  const auto lower = [](const Point& a, const Point& b) { return a.bound < b.bound; };
  return static_cast<std::size_t>(std::max_element(points_.begin(), points_.end(), lower) - points_.begin());
}

// Of the line through this point and the one before, and the line through that point and the one behind.
std::optional<double> TollSearch::meeting(std::size_t left, std::size_t right) const {
  if (left < 1 || right + 1 >= points_.size()) return std::nullopt;
  const auto slope = [&](std::size_t i) {
    return (points_[i + 1].bound - points_[i].bound) / (points_[i + 1].toll - points_[i].toll);
  };
  const double up = slope(left - 1), down = slope(right);
  const Point &a = points_[left], &b = points_[right];
  if (!(up > down)) return std::nullopt;
  const double toll = (b.bound - a.bound + up * a.toll - down * b.toll) / (up - down);
  if (!(toll > a.toll && toll < b.toll)) return std::nullopt;
  return toll;
}

void TollSearch::tell(double bound) {
  const Point told{*next_, bound};
  const auto at = std::upper_bound(points_.begin(), points_.end(), told,
                                   [](const Point& a, const Point& b) { return a.toll < b.toll; });
  points_.insert(at, told);
  next_.reset();
  if (doubling_) {
    const std::size_t top = highest();
    if (top > 0 && top + 3 > points_.size() && 2 * told.toll <= last_) {
      next_ = 2 * told.toll;
      return;
    }
    doubling_ = false;
    if (top == 0) return;
    for (const auto& toll : {meeting(top, top + 1), meeting(top - 1, top)}) {
      if (toll) meetings_.push_back(*toll);
    }
  }
  if (meetings_.empty()) return;
  next_ = meetings_.back();
  meetings_.pop_back();
}

}  // namespace partita::detail
