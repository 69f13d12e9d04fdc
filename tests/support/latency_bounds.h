// SPDX-License-Identifier: Apache-2.0
// LatencyBound, asked about splits below a limit, against the optimum.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "partita/reduce/never.h"
#include "partita/solve/latency/latency_bound.h"

namespace partita::detail::test {

// What a bound may be, up to rounding.
inline double below(double optimum) { return optimum * (1 + 1e-12); }

// With a limit: what lies below the limit is never ruled out, and a limit that is the optimum mostly is met.
struct BoundsBelowLimits {
  std::size_t proved = 0, all = 0;

  void judge(std::uint64_t seed, const LatencyInstance& instance, double optimum, double factor, bool pairs,
             Budget& budget) {
    LatencyBound bound(instance, &budget);
    bound.improve(optimum * factor, budget);
    if (pairs && bound.look_at_pairs()) bound.improve(optimum * factor, budget);
    EXPECT_TRUE(bound.finished() || optimum == kNever) << "seed " << seed;
    EXPECT_LE(bound.bound(), below(optimum)) << "seed " << seed << " factor " << factor;
    if (optimum == kNever || factor > 1) return;
    ++all;
    proved += bound.bound() >= optimum * (1 - 1e-6);
  }
};

}  // namespace partita::detail::test
