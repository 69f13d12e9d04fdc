// SPDX-License-Identifier: Apache-2.0
// Where a bound with tolls (latency_bound.h) is highest.
//
// With a toll x for each block, what labels give less x * b is the least of many lines: one for each kind of split, with
// a slope of its blocks on the way less b. So it is concave, and highest where two lines meet. Tolls are doubled until
// the bound has fallen twice; then the lines through the points to the left and to the right of the highest one are
// made to meet, in the two ways in which they may: a concave function is nowhere above them there. So it goes on as long
// as that promises something; each point found makes the lines steeper or flatter, and the next comes closer. Any toll
// gives a valid bound. Tests: tests/solve/toll_search_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace partita::detail {

class TollSearch {
 public:
  // The bound without a toll, the first toll to try and the last.
  TollSearch(double without, double first, double last) : last_(last), points_{{0, without}}, next_(first) {}

  // The toll to try next, or nothing if that was all.
  std::optional<double> next() const { return next_; }
  // What next() gave.
  void tell(double bound);
  double best() const { return points_[highest()].toll; }

 private:
  struct Point {
    double toll, bound;
  };
  std::size_t highest() const;
  std::optional<Point> meeting(std::size_t left, std::size_t right) const;
  std::optional<double> best_meeting() const;

  double last_;
  std::vector<Point> points_;  // by toll
  int meetings_ = 0;
  bool doubling_ = true;
  std::optional<double> next_;
};

}  // namespace partita::detail
