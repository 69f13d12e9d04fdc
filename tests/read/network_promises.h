// SPDX-License-Identifier: Apache-2.0
// What every reader of model files promises of its network.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "partita/model/network.h"

namespace partita::detail {

inline double bytes_of(const Network& network) {
  double sum = 0;
  for (const Weight& weight : network.weights) sum += weight.bytes;
  return sum;
}

inline void expect_promises(const Network& network) {
  EXPECT_FALSE(network.operators.empty());
  std::set<std::size_t> made;
  for (TensorId input : network.inputs) made.insert(input.index());
  std::set<std::string> names;
  std::set<std::string> weight_names;
  for (const Weight& weight : network.weights) {
    EXPECT_TRUE(weight_names.insert(weight.name).second) << weight.name;
    EXPECT_TRUE(std::isfinite(weight.bytes) && weight.bytes >= 0) << weight.name;
    EXPECT_GE(weight.parameters, 0) << weight.name;
  }
  for (const Operator& op : network.operators) {
    EXPECT_TRUE(!op.name.empty() && names.insert(op.name).second) << op.name;
    for (TensorId input : op.inputs) EXPECT_TRUE(made.contains(input.index())) << op.name;
    for (TensorId output : op.outputs) EXPECT_TRUE(made.insert(output.index()).second) << op.name;
    for (WeightId weight : op.weights) ASSERT_LT(weight.index(), network.weights.size());
    ASSERT_TRUE(op.flops.has_value()) << op.name;
    EXPECT_TRUE(std::isfinite(*op.flops) && *op.flops >= 0) << op.name;
    EXPECT_TRUE(std::isfinite(op.moved_bytes.value_or(0)) && op.moved_bytes.value_or(0) >= 0) << op.name;
    EXPECT_TRUE(std::isfinite(op.state_bytes) && op.state_bytes >= 0) << op.name;
  }
  EXPECT_EQ(made.size(), network.tensors.size());
  EXPECT_FALSE(network.outputs.empty());
}

}  // namespace partita::detail
