// SPDX-License-Identifier: Apache-2.0
// Certificates that somebody made to keep the check busy: the order of the classes does not matter, and whatever takes
// too much memory or time is not accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "partita/check/certificate.h"
#include "partita/partita.h"

namespace partita::detail {
namespace {

// `rows` chains side by side, with a node that joins them every so often.
Problem ladder(std::size_t length, std::size_t rows) {
  Problem problem;
  problem.shape = Shape::Free;
  problem.workload.change().platform = make_platform(4, kUnlimited, 0);
  Graph& graph = problem.workload.change().graph;
  for (std::size_t i = 0; i < length * rows; ++i) {
    Node node;
    node.original_id = static_cast<std::int64_t>(i);
    node.time = {1.0 + static_cast<double>(i % 7) / 8, 100};
    graph.nodes.push_back(node);
    if (i >= rows) graph.edges.push_back({NodeId(i - rows), NodeId(i), 0.125});
    if (i >= rows && i % 5 == 0) graph.edges.push_back({NodeId(i - rows + 1), NodeId(i), 0.25});
  }
  return problem;
}

Certificate fair_prices(const Problem& problem) {
  Certificate certificate;
  double total = 0;
  for (const Node& node : problem.workload->graph.nodes) {
    total += node.time[0];
    certificate.classes.push_back({node.original_id, static_cast<std::int64_t>(node.time[0] * (1 << 20))});
  }
  certificate.limit = total / 4 * (1 - 1e-4);
  certificate.devices.emplace_back().buckets = 1000;
  return certificate;
}

TEST(CertificateLimits, TheOrderOfClassesDoesNotMatter) {
  const Problem problem = ladder(60, 2);
  Certificate certificate = fair_prices(problem);
  certificate.devices[0].theta =
      static_cast<std::int64_t>(0.9 * certificate.limit * (1 << 20) / (1LL << 40) * (1LL << 36));
  Budget first(Budget::Limits{.seconds = 20});
  const CertificateVerdict in_order = verify(problem, certificate, &first);
  ASSERT_FALSE(in_order.undecided) << in_order.reason;
  std::mt19937_64 random(1);
  std::shuffle(certificate.classes.begin(), certificate.classes.end(), random);
  Budget second(Budget::Limits{.seconds = 20});
  const CertificateVerdict shuffled = verify(problem, certificate, &second);
  EXPECT_EQ(shuffled.holds, in_order.holds);
  EXPECT_FALSE(shuffled.undecided) << shuffled.reason;
}

TEST(CertificateLimits, TooManyStatesAreNotAccepted) {
  // Wide in the order of the file too: every chain is open all the time.
  const Problem problem = ladder(40, 40);
  Certificate certificate = fair_prices(problem);
  std::mt19937_64 random(1);
  std::shuffle(certificate.classes.begin(), certificate.classes.end(), random);
  Budget budget(Budget::Limits{.seconds = 60, .memory_bytes = std::size_t{32} << 20});
  const CertificateVerdict verdict = verify(problem, certificate, &budget);
  EXPECT_FALSE(verdict.holds);
  EXPECT_TRUE(verdict.undecided);
  EXPECT_NE(verdict.reason.find("memory"), std::string::npos) << verdict.reason;
  EXPECT_LT(budget.seconds_used(), 50);
}

TEST(CertificateLimits, TooManyLabelsAreNotAccepted) {
  const Problem problem = ladder(200, 4);
  Certificate certificate = fair_prices(problem);
  certificate.devices[0].buckets = 1'000'000;
  std::mt19937_64 random(1);
  for (Certificate::Class& one : certificate.classes)
    one.price = static_cast<std::int64_t>(random() % (std::uint64_t{1} << 44));
  Budget budget(Budget::Limits{.seconds = 1, .memory_bytes = std::size_t{64} << 20});
  const CertificateVerdict verdict = verify(problem, certificate, &budget);
  EXPECT_FALSE(verdict.holds);
  EXPECT_LT(budget.seconds_used(), 20);  // this machine may be busy
}

}  // namespace
}  // namespace partita::detail
