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

// To the right or to the left of the highest point, the one that may be higher first.
std::vector<double> TollSearch::best_meetings(std::size_t most) const {
  const std::size_t top = highest();
  if (top == 0) return {};
  std::vector<Point> worth_it;
  for (const auto& there : {meeting(top - 1, top), meeting(top, top + 1)}) {
    if (there && there->bound > points_[top].bound * (1 + kWorthIt)) worth_it.push_back(*there);
  }
  if (worth_it.size() == 2 && worth_it[1].bound > worth_it[0].bound) std::swap(worth_it[0], worth_it[1]);
  std::vector<double> tolls;
  for (std::size_t i = 0; i < std::min(most, worth_it.size()); ++i) tolls.push_back(worth_it[i].toll);
  return tolls;
}

std::vector<double> TollSearch::next_by_doubling(std::size_t most) const {
  const bool any = points_.size() > 1;
  const std::size_t top = highest();
  std::vector<double> tolls;
  if (any && (top == 0 || top + 3 <= points_.size())) return tolls;
  if (any && top + 2 == points_.size()) most = 1;  // it has fallen once; larger tolls take longer
  for (double toll = any ? 2 * points_.back().toll : first_; toll <= last_ && tolls.size() < most; toll *= 2)
    tolls.push_back(toll);
  return tolls;
}

std::vector<double> TollSearch::next(std::size_t most) {
  if (doubling_) {
    std::vector<double> tolls = next_by_doubling(most);
    if (!tolls.empty()) return tolls;
    doubling_ = false;
  }
  if (meetings_++ == kMostMeetings) return {};
  return best_meetings(most);
}

void TollSearch::tell(double toll, double bound) {
  const Point told{toll, bound};
  const auto at = std::upper_bound(points_.begin(), points_.end(), told,
                                   [](const Point& a, const Point& b) { return a.toll < b.toll; });
  points_.insert(at, told);
}

}  // namespace partita::detail
