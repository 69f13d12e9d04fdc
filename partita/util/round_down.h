// SPDX-License-Identifier: Apache-2.0
// Sums that are never too large: for relaxations, which may lower a cost by the last digit but must not raise it.
#pragma once

#include <cmath>
#include <limits>

namespace partita::detail {

// The largest double not above a + b, or one below it; a and b are finite and their sum does not overflow.
// [Knuth, TAOCP 2, 4.2.2]: with rounding to nearest, `error` is exactly a + b - sum.
inline double sum_rounded_down(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  const double error = (a - (sum - of_b)) + (b - of_b);
  return error < 0 ? std::nextafter(sum, -std::numeric_limits<double>::infinity()) : sum;
}

}  // namespace partita::detail
