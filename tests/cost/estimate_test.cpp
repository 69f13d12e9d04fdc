// SPDX-License-Identifier: Apache-2.0
// The roofline and its table of efficiencies, and the file that holds one.
#include "partita/cost/estimate.h"

#include <gtest/gtest.h>

#include "partita/cost/calibration_file.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

const DeviceRates kEstimateRates{
    .flops = {{DataType::Float16, 1e12}, {DataType::Float32, 1e11}}, .memory_bandwidth = 1e9, .launch = 1e-6};

Efficiencies table_of(Efficiency all) {
  Efficiencies table;
  table.forward.fill(all);
  table.backward.fill(all);
  return table;
}

TEST(Estimate, TheLargerOfArithmeticAndTrafficAfterLaunchAndRamp) {
  Work work{.family = OperatorFamily::MatrixProduct, .arithmetic = DataType::Float16, .flops = 1e9, .bytes = 1e3};
  const Efficiencies table = table_of({0.5, 0.25, 3e-6, true});
  EXPECT_DOUBLE_EQ(estimate(work, kEstimateRates, table), 1e-6 + 3e-6 + 1e9 / 0.5e12);
  work.bytes = 1e9;
  EXPECT_DOUBLE_EQ(estimate(work, kEstimateRates, table), 1e-6 + 3e-6 + 1e9 / 0.25e9);
  work.arithmetic = DataType::Float32;
  work.bytes = 0;
  EXPECT_DOUBLE_EQ(estimate(work, kEstimateRates, table), 1e-6 + 3e-6 + 1e9 / 0.5e11);
}

TEST(Estimate, ChainsAndItemsBoundItTooAndPiecesHaveARampEach) {
  Work work{.family = OperatorFamily::BatchNormalization, .flops = 0, .bytes = 1e3, .chain = 1e6, .items = 1e3};
  Efficiencies table = table_of({1, 1, 2e-6, true, 3e-9, 0});
  EXPECT_DOUBLE_EQ(estimate(work, kEstimateRates, table), 1e-6 + 2e-6 + 3e-3);
  table = table_of({1, 1, 2e-6, true, 3e-9, 5e-6});
  EXPECT_DOUBLE_EQ(estimate(work, kEstimateRates, table), 1e-6 + 2e-6 + 5e-3);
  work.pieces = 7;
  EXPECT_DOUBLE_EQ(estimate(work, kEstimateRates, table), 1e-6 + 14e-6 + 5e-3);
}

TEST(Estimate, ViewsTakeNoTimeAndMisalignedProductsTakeLonger) {
  const Efficiencies table = table_of({0.5, 0.5, 0, true});
  EXPECT_EQ(estimate({.family = OperatorFamily::View, .flops = 1e9, .bytes = 1e9}, kEstimateRates, table), 0);
  Work work{.family = OperatorFamily::MatrixProduct, .arithmetic = DataType::Float16, .flops = 1e12, .bytes = 0};
  const double aligned = estimate(work, kEstimateRates, table);
  work.misaligned = true;
  EXPECT_GT(estimate(work, kEstimateRates, table), 3 * aligned);
}

TEST(Estimate, SaysWhereItComesFrom) {
  const Efficiencies fitted = table_of({0.5, 0.5, 0, true}), assumed = table_of({0.5, 0.5, 0, false});
  Work work{.family = OperatorFamily::Softmax, .flops = 1, .bytes = 1};
  EXPECT_EQ(source_of(work, fitted), CostSource::Calibrated);
  EXPECT_EQ(source_of(work, assumed), CostSource::Roofline);
  work.bytes.reset();
  EXPECT_EQ(source_of(work, fitted), CostSource::Default);
  EXPECT_EQ(source_of({.family = OperatorFamily::Other, .flops = 1, .bytes = 1}, fitted), CostSource::Default);
}

TEST(Efficiencies, AreWithinWhatDevicesCanDo) {
  const Efficiencies table = calibrated_efficiencies();
  for (std::size_t f = 0; f < kOperatorFamilies; ++f) {
    for (bool backward : {false, true}) {
      const Efficiency& one = table.of(static_cast<OperatorFamily>(f), backward);
      EXPECT_GT(one.compute, 0);
      EXPECT_LE(one.compute, 1);
      EXPECT_GT(one.memory, 0);
      EXPECT_LE(one.memory, 1.2) << to_string(static_cast<OperatorFamily>(f));
      EXPECT_LT(one.ramp, 1e-4);
      EXPECT_LT(one.step, 1e-7);
      EXPECT_LT(one.item, 1e-8);
    }
  }
  // Products that stream their weights: tokens made one at a time.
  EXPECT_GE(table.of(OperatorFamily::MatrixProduct, false).memory, 0.7);
}

TEST(EfficienciesFile, ComesBackAsItWas) {
  Calibration calibration{.efficiencies = calibrated_efficiencies(), .launch = 1e-6, .families = {}};
  calibration.efficiencies.of(OperatorFamily::Pooling, true) = {0.25, 0.125, 5e-6, false, 2e-9, 3e-12};
  EXPECT_EQ(parse_efficiencies(efficiencies_json(calibration, "h200", DataType::BFloat16), "f"),
            calibration.efficiencies);
}

TEST(EfficienciesFile, BadFiles) {
  const auto refused = [](const char* text, const char* mentions) {
    try {
      parse_efficiencies(text, "f");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(mentions), std::string::npos) << error.what();
    }
  };
  refused("[]", "f");
  refused("{", "not JSON");
  refused(R"({"efficiencies": []})", "version");
  refused(R"({"version": 2, "efficiencies": []})", "version 1");
  refused(R"({"version": 1})", "efficiencies");
  refused(R"({"version": 1, "efficiencies": [{"family": "cooking", "compute": 1, "memory": 1}]})", "cooking");
  refused(R"({"version": 1, "efficiencies": [{"family": "softmax", "compute": 0, "memory": 1}]})", "above 0");
  refused(R"({"version": 1, "efficiencies": [{"family": "softmax", "compute": 1}]})", "memory");
  refused(R"({"version": 1, "efficiencies": [{"family": "softmax", "compute": 1, "memory": 1, "step": -1}]})", "step");
  refused(R"({"version": 1, "efficiencies": [{"family": "softmax", "compute": 1, "memory": 1, "item": "x"}]})", "item");
}

}  // namespace
}  // namespace partita::detail
