// SPDX-License-Identifier: Apache-2.0
#include "partita/read/quantity.h"

#include <gtest/gtest.h>

namespace partita::detail {
namespace {

TEST(Quantity, MemoryComesInPowersOf1000AndOf1024) {
  EXPECT_EQ(parse_bytes("141 GB"), 141e9);
  EXPECT_EQ(parse_bytes("16GiB"), 17179869184.0);
  EXPECT_EQ(parse_bytes("16g"), 17179869184.0);
  EXPECT_EQ(parse_bytes("1.6e10"), 1.6e10);
}

TEST(Quantity, TimesGoDownToNanoseconds) {
  EXPECT_DOUBLE_EQ(parse_seconds("10 us").value(), 10e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("10 \u00b5s").value(), 10e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("3ns").value(), 3e-9);
  EXPECT_EQ(parse_seconds("2min"), 120);
}

TEST(Quantity, ASmallBIsABitInBandwidthsAlone) {
  EXPECT_EQ(parse_bandwidth("55 GB/s"), 55e9);
  EXPECT_EQ(parse_bandwidth("100 Gb/s"), 12.5e9);
  EXPECT_EQ(parse_bandwidth("100Gbit/s"), 12.5e9);
  EXPECT_EQ(parse_bandwidth("2 MiB/s"), 2097152);
  EXPECT_EQ(parse_bandwidth("5e10"), 5e10);
}

TEST(Quantity, SpeedsHaveManyNames) {
  EXPECT_EQ(parse_flops("312 TFLOP/s"), 312e12);
  EXPECT_EQ(parse_flops("1.5 GFLOPS"), 1.5e9);
  EXPECT_EQ(parse_flops("4 TOPS"), 4e12);
  EXPECT_EQ(parse_flops("3e14"), 3e14);
}

TEST(Quantity, WhatIsNoQuantityIsNothing) {
  for (const char* text : {"", "GB/s", "55 GB", "55 gb/s", "-1 GB/s", "1e999 GB/s", "55 GB/s!", "nan"})
    EXPECT_EQ(parse_bandwidth(text), std::nullopt) << text;
  for (const char* text : {"", "312 T", "312 FLOPs/minute", "-1 TFLOP/s", "x"})
    EXPECT_EQ(parse_flops(text), std::nullopt) << text;
  for (const char* text : {"10 GB/s", "ten us", "-5 us", "5 years"})
    EXPECT_EQ(parse_seconds(text), std::nullopt) << text;
}

}  // namespace
}  // namespace partita::detail
