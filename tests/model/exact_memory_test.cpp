// SPDX-License-Identifier: Apache-2.0
// Sums of memory are the same in every order, and whole bytes stay what they are.
#include "partita/model/exact_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/graph_text.h"

namespace partita::detail {
namespace {

Workload with_sizes(const std::vector<double>& sizes, double limit) {
  Workload workload = graph_from_text("a 1 1", 1, limit);
  const Node node = workload.graph.nodes[NodeId(0)];
  workload.graph.nodes.clear();
  for (std::size_t i = 0; i < sizes.size(); ++i) workload.graph.nodes.push_back(node);
  for (std::size_t i = 0; i < sizes.size(); ++i) workload.graph.nodes[NodeId(i)].memory = sizes[i];
  return workload;
}

std::vector<double> sizes_in(const Workload& workload) {
  std::vector<double> sizes;
  for (const Node& node : workload.graph.nodes) sizes.push_back(node.memory);
  return sizes;
}

TEST(ExactMemory, WholeBytesAreLeftAlone) {
  Workload workload = with_sizes({17179869184, 16, 1e15 + 1, 0}, 17179869183);
  make_memory_sums_exact(workload);
  EXPECT_EQ(sizes_in(workload), (std::vector<double>{17179869184, 16, 1e15 + 1, 0}));
  EXPECT_EQ(workload.platform.classes[ClassId(0)].memory, 17179869183);
}

TEST(ExactMemory, SumsDoNotDependOnTheOrder) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> exponent(-40, 40);
    std::vector<double> sizes(2 + random() % 30);
    for (double& size : sizes) size = std::exp(exponent(random));
    Workload workload = with_sizes(sizes, sizes[0] + sizes[1]);
    make_memory_sums_exact(workload);
    std::vector<double> exact = sizes_in(workload);
    const double sum = std::accumulate(exact.begin(), exact.end(), 0.0);
    for (int i = 0; i < 10; ++i) {
      std::shuffle(exact.begin(), exact.end(), random);
      EXPECT_EQ(std::accumulate(exact.begin(), exact.end(), 0.0), sum) << "seed " << seed;
    }
    const std::vector<double> once = sizes_in(workload);
    const double largest = *std::max_element(sizes.begin(), sizes.end());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_LE(once[i], sizes[i]);
      EXPECT_GE(once[i], sizes[i] - 1e-14 * largest);
    }
    make_memory_sums_exact(workload);
    EXPECT_EQ(sizes_in(workload), once);
  }
}

TEST(ExactMemory, DecimalFractionsThatAddUpToTheLimitFit) {
  Workload workload = with_sizes({0.1, 0.2}, 0.3);  // 0.1 + 0.2 > 0.3 in binary
  make_memory_sums_exact(workload);
  const std::vector<double> sizes = sizes_in(workload);
  EXPECT_LE(sizes[0] + sizes[1], workload.platform.classes[ClassId(0)].memory);
}

}  // namespace
}  // namespace partita::detail
