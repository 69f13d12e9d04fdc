// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/toll_search.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr int kMostMeetings = 8;
constexpr double kWorthIt = 1e-7;  // of the bound; gaps ten times as large are closed

}  // namespace

std::size_t TollSearch::highest() const {
  const auto lower = [](const Point& a, const Point& b) { return a.bound < b.bound; };
  return static_cast<std::size_t>(std::max_element(points_.begin(), points_.end(), lower) - points_.begin());
}

// Of the line through this point and the one before, and the line through that point and the one behind.
std::optional<TollSearch::Point> TollSearch::meeting(std::size_t left, std::size_t right) const {
  if (left < 1 || right + 1 >= points_.size()) return std::nullopt;
  const auto slope = [&](std::size_t i) {
    return (points_[i + 1].bound - points_[i].bound) / (points_[i + 1].toll - points_[i].toll);
  };
  const double up = slope(left - 1), down = slope(right);
  const Point &a = points_[left], &b = points_[right];
  if (!(up > down)) return std::nullopt;
  const double toll = (b.bound - a.bound + up * a.toll - down * b.toll) / (up - down);
  if (!(toll > a.toll && toll < b.toll)) return std::nullopt;
  return Point{toll, a.bound + up * (toll - a.toll)};
}

// To the right or to the left of the highest point, whichever may be higher.
std::optional<double> TollSearch::best_meeting() const {
  const std::size_t top = highest();
  if (top == 0) return std::nullopt;
  std::optional<double> best;
  double height = points_[top].bound * (1 + kWorthIt);
  for (const auto& there : {meeting(top - 1, top), meeting(top, top + 1)}) {
    if (!there || there->bound <= height) continue;
    height = there->bound;
    best = there->toll;
  }
  return best;
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
  }
  if (meetings_++ < kMostMeetings) next_ = best_meeting();
}

}  // namespace partita::detail
