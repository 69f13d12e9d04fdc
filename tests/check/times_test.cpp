// SPDX-License-Identifier: Apache-2.0
#include "partita/check/times.h"

#include <gtest/gtest.h>

namespace partita::detail {
namespace {

TEST(Times, HaveTheirUnitWhereItIsKnown) {
  EXPECT_EQ(time_text(1.824131, "ms"), "1.82413 ms");
  EXPECT_EQ(time_text(1.824131, ""), "1.82413");
  EXPECT_EQ(time_heading("load", "us"), "load [us]");
  EXPECT_EQ(time_heading("load", ""), "load");
  EXPECT_EQ(time_text(1, "\x1b[2J"), "1 \\x1b[2J");
}

TEST(Times, SamplesPerSecond) {
  EXPECT_EQ(throughput_text(1.82413, "ms"), "548 samples/s");
  EXPECT_EQ(throughput_text(1.82413, "s"), "0.548 samples/s");
  EXPECT_EQ(throughput_text(50, "us"), "20000 samples/s");
  EXPECT_EQ(throughput_text(8, "ns"), "125000000 samples/s");
  for (const char* unit : {"", "fortnights", "MS"}) EXPECT_EQ(throughput_text(1, unit), "") << unit;
  EXPECT_EQ(throughput_text(0, "ms"), "");
  EXPECT_EQ(throughput_text(1e-320, "ns"), "");
}

TEST(Times, PerSample) {
  EXPECT_EQ(per_sample_text(1.82413, "ms"), "1.82413 ms per sample, 548 samples/s");
  EXPECT_EQ(per_sample_text(1.82413, "ticks"), "1.82413 ticks per sample");
  EXPECT_EQ(per_sample_text(1.82413, ""), "1.82413 per sample (in the file's unit of time)");
}

}  // namespace
}  // namespace partita::detail
