// SPDX-License-Identifier: Apache-2.0
#include "partita/util/nearest_name.h"

#include <gtest/gtest.h>

namespace partita::detail {
namespace {

const std::vector<std::string> kFields{"id", "size", "timeFactor", "linkFactor", "colorClass", "cpuLatency"};

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_name("timefactor", kFields), "timeFactor");
  EXPECT_EQ(nearest_name("time_factor", kFields), "timeFactor");
  EXPECT_EQ(nearest_name("colour_class", kFields), "colorClass");
  EXPECT_EQ(nearest_name("cpuLatnecy", kFields), "cpuLatency");
  EXPECT_EQ(nearest_name("siez", kFields), "size");
  EXPECT_EQ(nearest_name("ID", kFields), "id");
}

TEST(NearestName, OffersNothingFarAway) {
  EXPECT_FALSE(nearest_name("weights", kFields));
  EXPECT_FALSE(nearest_name("ab", kFields));
  EXPECT_FALSE(nearest_name("x", {"y"}));
  EXPECT_FALSE(nearest_name("", kFields));
  EXPECT_FALSE(nearest_name("size", {}));
  EXPECT_FALSE(nearest_name(std::string(1'000'000, 'a'), {std::string(1'000'000, 'a')}));
}

TEST(NearestName, PrefersTheSmallerMistakeThenTheFirst) {
  EXPECT_EQ(nearest_name("factor", {"factory", "factors", "Factor"}), "Factor");
  EXPECT_EQ(nearest_name("factor", {"factory", "factors"}), "factory");
}

}  // namespace
}  // namespace partita::detail
