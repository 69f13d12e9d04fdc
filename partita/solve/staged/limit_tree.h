// SPDX-License-Identifier: Apache-2.0
// The limits that a few steps of a bisection can ask, parents before children: with several threads all of them are asked
// at once, and then the bisection goes the way that the answers tell. With `until_failure` it ends at the first limit that
// is not refuted, so that n steps have n limits; else they have 2^n - 1.
#pragma once

#include <cstddef>
#include <vector>

namespace partita::detail {

struct LimitTree {
  struct Limit {
    double limit;
    std::size_t if_refuted = 0, if_not = 0;  // which limit comes next; 0: none
    bool refuted = false;
  };
  std::vector<Limit> limits;

  LimitTree(double low, double high, int steps, bool until_failure) { add(low, high, steps, until_failure); }

 private:
  std::size_t add(double low, double high, int steps, bool until_failure) {
    if (steps == 0) return 0;
    const double limit = (low + high) / 2;
    const std::size_t here = limits.size();
    limits.push_back({limit});
    const std::size_t if_refuted = add(limit, high, steps - 1, until_failure);
    limits[here].if_refuted = if_refuted;
    if (!until_failure) {
      const std::size_t if_not = add(low, limit, steps - 1, until_failure);
      limits[here].if_not = if_not;
    }
    return here;
  }
};

}  // namespace partita::detail
