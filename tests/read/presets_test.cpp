// SPDX-License-Identifier: Apache-2.0
#include "partita/read/presets.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "partita/util/error.h"

namespace partita {
namespace {

TEST(Presets, EveryFigureHasASourceAndMakesSense) {
  std::set<std::string> names;
  for (const DevicePreset& preset : device_presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_FALSE(preset.source.empty()) << preset.name;
    EXPECT_FALSE(preset.label.empty()) << preset.name;
    EXPECT_GT(preset.rates.memory_bandwidth, 1e9) << preset.name;
    EXPECT_GE(preset.rates.flops_of(DataType::Float16), preset.rates.flops_of(DataType::Float32)) << preset.name;
    EXPECT_GT(preset.device.memory, 1e9) << preset.name;
    if (preset.device.kind == DeviceKind::Accelerator) {
      EXPECT_LT(preset.device.link_factor, 1e-7) << preset.name;  // seconds per byte: a link was found
      EXPECT_GT(preset.device.link_latency, 0) << preset.name;
    }
  }
  for (const LinkPreset& preset : link_presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_FALSE(preset.source.empty()) << preset.name;
  }
  for (const ServerPreset& preset : server_presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_GT(compose_platform(preset.name).platform.device_count(), 1u) << preset.name;
  }
}

TEST(Presets, AFlatPlatformHasNoClusters) {
  const PlatformSpec spec = compose_platform("a100+2xrtx3090+t4+epyc");
  ASSERT_EQ(spec.platform.classes.size(), 4u);
  EXPECT_FALSE(spec.platform.clusters);
  EXPECT_TRUE(is_physical(spec));
  EXPECT_EQ(spec.platform.classes[ClassId(1)].name, "rtx3090");
  EXPECT_EQ(spec.platform.classes[ClassId(1)].count, 2);
  EXPECT_EQ(spec.platform.classes[ClassId(3)].kind, DeviceKind::Host);
  EXPECT_EQ(spec.rates[ClassId(0)].flops_of(DataType::BFloat16), 312e12);
}

TEST(Presets, GroupsAreClustersWithTheirLink) {
  const PlatformSpec spec = compose_platform("2x(4xa100-nvlink+epyc)+ib");
  ASSERT_TRUE(spec.platform.clusters);
  const Cluster& root = *spec.platform.clusters;
  ASSERT_TRUE(root.link);
  EXPECT_DOUBLE_EQ(1 / root.link->factor, 23.4e9);
  EXPECT_DOUBLE_EQ(root.link->latency, 20e-6);
  ASSERT_EQ(root.clusters.size(), 2u);
  EXPECT_EQ(root.clusters[0], root.clusters[1]);
  EXPECT_EQ(root.clusters[0].devices[ClassId(0)], 4);
  EXPECT_EQ(root.clusters[0].devices[ClassId(1)], 1);
  EXPECT_FALSE(root.clusters[0].link);  // each device's own
  EXPECT_EQ(spec.platform.classes[ClassId(0)].count, 8);
  EXPECT_DOUBLE_EQ(1 / spec.platform.classes[ClassId(0)].link_factor, 232e9);
}

TEST(Presets, LevelsNest) {
  const PlatformSpec spec = compose_platform("2x(2x(2xl4)+eth100)+eth10");
  const Cluster& root = *spec.platform.clusters;
  EXPECT_EQ(root.clusters.size(), 2u);
  EXPECT_EQ(root.clusters[0].clusters.size(), 2u);
  EXPECT_EQ(spec.platform.classes[ClassId(0)].count, 8);
}

TEST(Presets, OneGroupIsThePlatform) {
  const PlatformSpec grouped = compose_platform("(4xa100)");
  EXPECT_FALSE(grouped.platform.clusters);
  EXPECT_EQ(grouped.platform.classes[ClassId(0)].count, 4);
  EXPECT_EQ(compose_platform("p5.48xlarge").platform.classes[ClassId(0)].name, "h100-nvlink");
}

TEST(Presets, ANameTakesAnyLink) {
  EXPECT_DOUBLE_EQ(1 / compose_platform("2xt4-eth10").platform.classes[ClassId(0)].link_factor, 1.12e9);
  EXPECT_DOUBLE_EQ(1 / compose_platform("2xmi300x-peer").platform.classes[ClassId(0)].link_factor, 48e9);
}

std::string complaint(const std::string& text) {
  try {
    compose_platform(text);
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::BadPlatform) << text;
    return error.what();
  }
  return "";
}

TEST(Presets, WhatIsNotUnderstoodIsNamed) {
  EXPECT_NE(complaint("4xa101").find("did you mean 'a100'?"), std::string::npos);
  EXPECT_NE(complaint("2x(4xa100)").find("how its groups are connected"), std::string::npos);
  EXPECT_NE(complaint("2x(4xa100").find("without its ')'"), std::string::npos);
  EXPECT_NE(complaint("4xa100)").find("expected '+'"), std::string::npos);
  EXPECT_NE(complaint("ib").find("names no device"), std::string::npos);
  EXPECT_NE(complaint("").find("a name is missing"), std::string::npos);
  EXPECT_NE(complaint("4xa100+").find("a name is missing"), std::string::npos);
  EXPECT_NE(complaint("2x(a100)+ib+eth10").find("one link"), std::string::npos);
  EXPECT_NE(complaint("0xa100").find("count from 1"), std::string::npos);
  EXPECT_NE(complaint("1000000x(1000000xa100)+ib"), "");
  EXPECT_NE(complaint(std::string(40, '(') + "a100" + std::string(40, ')')), "");
}

}  // namespace
}  // namespace partita
