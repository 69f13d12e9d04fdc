// SPDX-License-Identifier: Apache-2.0
// The volume bound, and the choice of limits to refute.
#include <gtest/gtest.h>

#include <limits>

#include "partita/solve/configuration/limit_ladder.h"
#include "partita/solve/free/volume.h"
#include "tests/support/cases.h"
#include "tests/support/net_graphs.h"

namespace partita::detail::test {
namespace {

constexpr std::uint64_t kLong = 1'000'000'000;  // ticks: beyond any patience

TEST(VolumeBound, IsNeverAboveTheOptimum) {
  std::size_t positive = 0;
  for (std::uint64_t seed = 1; seed <= cases(3000); ++seed) {
    const NetCase one = random_net_case(seed);
    const double best = least_free_value(one.graph, one.platform);
    if (best == std::numeric_limits<double>::infinity()) continue;
    const double bound = volume_bound(instance_of(one)).bound;
    EXPECT_LE(bound, best * (1 + 1e-9)) << "seed " << seed;
    positive += bound > 0;
  }
  EXPECT_GT(positive, 0u);
}

TEST(LimitLadder, BeginsJustBelowTheBestValue) {
  LimitLadder ladder;
  const double limit = ladder.next(100, 50, 1);
  EXPECT_LT(limit, 100);
  EXPECT_GT(limit, 100 * (1 - 1e-6));
  EXPECT_EQ(ladder.next(100, 50, 1), limit);  // and stays there while there is patience
}

TEST(LimitLadder, GoesBelowALimitThatTakesTooLong) {
  LimitLadder ladder;
  const double top = ladder.next(100, 50, kLong);
  ladder.undecided(false);
  const double lower = ladder.next(100, 50, kLong);
  EXPECT_LT(lower, top);
  EXPECT_GT(lower, 50);
  ladder.undecided(false);
  EXPECT_EQ(ladder.next(100, 50, kLong), top);  // the second round, with more patience
  ladder.undecided(false);
  const double again = ladder.next(100, 50, kLong);
  ladder.undecided(false);
  EXPECT_LT(ladder.next(100, 50, 1), again);
}

TEST(LimitLadder, ClimbsFirstWhereTheTopIsFar) {
  LimitLadder ladder({.far = 0.1});
  const double top = ladder.next(100, 50, kLong);
  for (int i = 0; i < 20; ++i) {
    ladder.undecided(false);
    EXPECT_LT(ladder.next(100, 50, kLong), top);
  }
  ladder.undecided(false);
  bool at_top = false;
  for (int i = 0; i < 20 && !at_top; ++i) {
    at_top = ladder.next(100, 95, kLong) == top;
    ladder.undecided(false);
  }
  EXPECT_TRUE(at_top);
}

TEST(LimitLadder, TriesABetterSplitAtOnce) {
  LimitLadder ladder;
  ladder.next(100, 50, kLong);
  ladder.undecided(false);
  EXPECT_LT(ladder.next(100, 50, 1), 99);
  EXPECT_GT(ladder.next(90, 50, 1), 89.9);
}

TEST(LimitLadder, TriesWhatSeemsEasyFirst) {
  LimitLadder ladder;
  ladder.next(100, 50, kLong);
  ladder.undecided(false, 70);
  EXPECT_EQ(ladder.next(100, 50, 1), 70);
  EXPECT_EQ(ladder.next(100, 50, kLong), 70);  // and stays there while there is patience
  ladder.undecided(false, 65);
  EXPECT_EQ(ladder.next(100, 50, kLong), 60);  // it was judged too well: twice as far down
  ladder.refuted();
  const double higher = ladder.next(100, 60, kLong);
  EXPECT_GT(higher, 60);
  ladder.undecided(false, 55);  // below what is refuted
  EXPECT_GT(ladder.next(100, 60, 1), 60);
}

TEST(LimitLadder, GoesAsFarUpAsPricesSeemToRefute) {
  LimitLadder ladder;
  const double top = ladder.next(100, 50, kLong);
  ladder.undecided(false);
  const double first = ladder.next(100, 50, 1);
  ladder.refuted(90);
  const double second = ladder.next(100, first, 1);
  EXPECT_GT(second, 85);
  EXPECT_LE(second, 90);
  ladder.refuted(101);
  EXPECT_EQ(ladder.next(100, second, 1), top);
  EXPECT_GT(likely_limit_above(90, 0.99), 90);
  EXPECT_LT(likely_limit_above(90, 0.99), 91);
  EXPECT_EQ(likely_limit_above(90, 1.01), 0);
}

TEST(LimitLadder, EndsWhereTheRelaxationAllowsWhatIsNotRefuted) {
  LimitLadder ladder;
  double bound = 50, allowed = 80;  // as a relaxation would answer whose own optimum is 80
  for (int i = 0; i < 200 && !ladder.exhausted(100, bound); ++i) {
    const double limit = ladder.next(100, bound, 1000);
    if (limit == 0) break;
    EXPECT_GT(limit, bound);
    if (limit < allowed) {
      bound = limit;
      ladder.refuted();
    } else {
      ladder.impossible();
    }
  }
  EXPECT_TRUE(ladder.exhausted(100, bound));
  EXPECT_NEAR(bound, allowed, 0.02);
  EXPECT_EQ(ladder.next(100, bound, 1), 0);
  EXPECT_FALSE(ladder.exhausted(allowed, bound));  // a better split, whose limit nobody has asked for
  EXPECT_GT(ladder.next(allowed, bound, 1), bound);
}

TEST(LimitLadder, HasMorePatienceWhereOnlyTheTopIsLeft) {
  LimitLadder ladder;
  const double bound = 100 - 0.005;  // nearer to the value than any two limits are to each other
  const double top = ladder.next(100, bound, kLong);
  for (int i = 0; i < 5; ++i) {
    ladder.undecided(false);
    EXPECT_EQ(ladder.next(100, bound, kLong), top);
  }
}

constexpr LimitLadder::Patience kNearby{
    .first_top = 10, .first = 10, .top = 10, .other = 10, .near = 0.01, .times_near = 5};

TEST(LimitLadder, HasMorePatienceWhereLittleIsOpen) {
  const auto turns = [](double bound, bool nearly) {
    LimitLadder ladder(kNearby);
    const double top = ladder.next(100, bound, 10);
    int count = 0;
    do {
      ladder.undecided(false, 0, nearly);
      ++count;
    } while (ladder.next(100, bound, 10) == top);
    return count;
  };
  EXPECT_EQ(turns(98, false), 1);
  EXPECT_EQ(turns(99.5, false), 5);
  EXPECT_GT(turns(99.5, true), 5);  // prices may be a proof
}

TEST(LimitLadder, DoesNotGiveUpALimitForAValueThatWasAllowed) {
  LimitLadder ladder(kNearby);
  ladder.next(100, 99.5, 1);
  ladder.impossible(99.7);
  const double limit = ladder.next(100, 99.5, 1);
  EXPECT_LT(limit, 99.7);  // what prices seem to refute, or not quite
  EXPECT_GT(limit, 99.675);
  ladder.undecided(false);
  EXPECT_EQ(ladder.next(99.95, 99.5, 1), limit);
  ladder.undecided(false);
  EXPECT_GT(ladder.next(99.6, 99.5, 1), 99.59);  // far below what was allowed
}

TEST(LimitLadder, TriesAValueThatWasAllowedBriefly) {
  LimitLadder ladder(kNearby);
  ladder.next(100, 99.5, 1);
  ladder.impossible(99.7);
  const double limit = ladder.next(100, 99.5, 20);
  ladder.undecided(false, 99.2);  // far from a refutation
  const double top = ladder.next(99.95, 99.5, 1);
  EXPECT_GT(top, 99.94);
  ladder.undecided(false, 99.9);
  EXPECT_EQ(ladder.next(99.95, 99.5, 10), top);  // its time is not over yet
  ladder.undecided(false, 99.9);
  EXPECT_EQ(ladder.next(99.95, 99.5, 29), limit);  // with what was spent before: 50 is its patience
  ladder.undecided(false, 99.2);
  EXPECT_EQ(ladder.next(99.95, 99.5, 1), limit);
  ladder.undecided(false, 99.2);
  EXPECT_NE(ladder.next(99.95, 99.5, 1), limit);
}

TEST(LimitLadder, BeginsBelowAndGoesOnWhereTheTopIsFar) {
  LimitLadder ladder({.first = 30, .other = 30, .far = 0.03, .far_at_first = true});
  const double limit = ladder.next(100, 50, 10);
  EXPECT_LT(limit, 75);
  ladder.undecided(false);
  EXPECT_EQ(ladder.next(99, 50, 10), limit);  // a better value changes nothing
  ladder.undecided(false, 60);
  EXPECT_EQ(ladder.next(99, 50, 10), limit);
  ladder.undecided(false, 60);
  EXPECT_EQ(ladder.next(98, 50, 10), 60);  // its patience is over
  ladder.refuted();
  EXPECT_GT(ladder.next(61, 60, 10), 60.99);  // no longer far
}

TEST(LimitLadder, GoesOnAfterABetterValueThatIsAllowed) {
  LimitLadder ladder(kNearby);
  ladder.next(100, 99.5, 1);
  ladder.impossible(99.7);
  const double limit = ladder.next(100, 99.5, 20);
  ladder.undecided(false, 99.2);
  EXPECT_GT(ladder.next(99.95, 99.5, 1), 99.94);
  ladder.impossible(99.8);
  EXPECT_EQ(ladder.next(99.95, 99.5, 1), limit);
}

TEST(LimitLadder, TriesABetterSplitAtOnceWhereMuchIsOpen) {
  LimitLadder ladder(kNearby);
  ladder.next(100, 90, 1);
  ladder.impossible(97);
  EXPECT_LT(ladder.next(100, 90, 1), 96);
  EXPECT_GT(ladder.next(99.9, 90, 1), 99.8);
}

}  // namespace
}  // namespace partita::detail::test
