// SPDX-License-Identifier: Apache-2.0
// Where a bound with tolls (latency_bound.h) is highest.
//
// With a toll x for each block, what labels give less x * b is the least of many lines: one for each kind of split, with
// a slope of its blocks on the way less b. So it is concave, and highest where two lines meet. Tolls are doubled until
// the bound has fallen twice; then the lines through the points to the left and to the right of the highest one are
// made to meet, in the two ways in which they may: a concave function is nowhere above them there. So it goes on as long
// as that promises something; each point found makes the lines steeper or flatter, and the next comes closer. Any toll
// gives a valid bound. Several tolls may be tried at once: the next ones by doubling, or both points where lines meet.
// Tests: tests/solve/toll_search_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace partita::detail {

class TollSearch {
 public:
  // The bound without a toll, the first toll to try and the last.
  TollSearch(double without, double first, double last) : first_(first), last_(last), points_{{0, without}} {}

  // The tolls to try next, at most so many, above 0; none if that was all. Each is to be told before the next call.
  std::vector<double> next(std::size_t most = 1);
  void tell(double toll, double bound);
  double best() const { return points_[highest()].toll; }

 private:
  struct Point {
    double toll, bound;
  };
  std::size_t highest() const;
  std::vector<double> next_by_doubling(std::size_t most) const;
  std::optional<Point> meeting(std::size_t left, std::size_t right) const;
  std::vector<double> best_meetings(std::size_t most) const;

  double first_, last_;
  std::vector<Point> points_;  // by toll
  int meetings_ = 0;
  bool doubling_ = true;
};

}  // namespace partita::detail
