// SPDX-License-Identifier: Apache-2.0
// Labels never prove more than is true, whatever they are; those below the optimum often do prove it; and certificates
// that are changed, or of another kind, are not believed.
#include <gtest/gtest.h>

#include <random>

#include "partita/check/certificate.h"
#include "partita/check/label_proof.h"
#include "partita/read/certificate.h"
#include "partita/report/certificate_json.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/latency_questions.h"

namespace partita::detail::test {
namespace {

using Int = LabelProof::Int;

// All labels that follow at this limit, with these tolls in turns; ends where they prove it, or nothing moves any more.
Certificate labels_at(const Problem& problem, double limit, const std::vector<Int>& tolls, bool& proved) {
  Certificate certificate;
  certificate.objective = Objective::Latency;
  certificate.limit = limit;
  LabelProof proof(problem, limit);
  const LatencyClaim& claim = proof.claim();
  const auto id = [&](std::size_t v) { return problem.workload->graph.nodes[NodeId(v)].original_id; };
  for (int round = 0; round < 6 && !proof.proved(); ++round) {
    bool moved = false;
    for (const Int toll : tolls) {
      for (const bool reversed : {false, true}) {
        if (proof.proved()) break;
        Certificate::Sweep& sweep = certificate.sweeps.emplace_back();
        sweep.toll = toll;
        sweep.reversed = reversed;
        const LabelProof::Track track{toll, reversed};
        const Int end = *proof.end(toll);
        const auto add = [&](std::size_t v, std::optional<std::size_t> other) {
          const Int found = proof.least(track, v, other, end + 1);
          if (found <= (other ? proof.label(track, v, *other) : end)) return;
          proof.raise(track, v, other, found);
          sweep.labels.push_back({id(v), other ? std::optional(id(*other)) : std::nullopt, found});
          moved = true;
        };
        for (std::size_t i = 0; i < claim.order.size() && !proof.proved(); ++i) {
          const std::size_t v = claim.order[reversed ? claim.order.size() - 1 - i : i];
          for (const std::size_t e : reversed ? claim.into[v] : claim.out_of[v])
            add(v, reversed ? claim.edges[e].from : claim.edges[e].to);
          add(v, std::nullopt);
        }
        if (!proof.proved()) moved = proof.learn(toll) || moved;
      }
    }
    if (!moved) break;
  }
  proved = proof.proved();
  return certificate;
}

std::vector<Int> some_tolls(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Int> tolls{0};
  if (seed % 2 == 0) tolls.push_back(static_cast<Int>(random() % (kLoadUnits / 4)));
  return tolls;
}

// The strongest claim that could be wrong: at the optimum itself, with whatever follows from it.
TEST(LatencyCertificate, NothingProvesTheOptimumAndMuchProvesLess) {
  std::size_t proved_below = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= cases(500); ++seed) {
    const Problem problem = latency_question(seed);
    const double best = best_latency_by_brute_force(problem);
    if (!(best > 0) || best == std::numeric_limits<double>::infinity()) continue;
    ++all;
    const std::vector<Int> tolls = some_tolls(seed);
    bool proved = false;
    labels_at(problem, best * (1 + 1e-12), tolls, proved);
    EXPECT_FALSE(proved) << "seed " << seed << "\n" << describe(*problem.workload);
    const Certificate below = labels_at(problem, best * (1 - 1e-6), tolls, proved);
    proved_below += proved;
    const Certificate copy = parse_certificate(certificate_json(problem, below), "test");
    const CertificateVerdict verdict = verify(problem, copy);
    EXPECT_EQ(verdict.holds, proved) << "seed " << seed << ": " << verdict.reason;
  }
  EXPECT_GT(proved_below, all / 2);
}

// Labels of a claim that is true, and of one that is not quite, changed at random.
TEST(LatencyCertificate, ChangedLabelsProveNoLimitThatASplitIsWithin) {
  std::size_t believed_before = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const Problem problem = latency_question(seed);
    const double best = best_latency_by_brute_force(problem);
    if (!(best > 0) || best == std::numeric_limits<double>::infinity()) continue;
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
    bool proved = false;
    const Certificate honest = labels_at(problem, best * (1 - 1e-6), some_tolls(seed), proved);
    believed_before += proved;
    for (int variant = 0; variant < 8; ++variant) {
      Certificate changed = honest;
      for (std::size_t i = below(4); i > 0 && !changed.sweeps.empty(); --i) {
        Certificate::Sweep& sweep = changed.sweeps[below(changed.sweeps.size())];
        if (below(8) == 0) sweep.toll = static_cast<Int>(random() >> below(63));
        if (below(8) == 0) sweep.reversed = !sweep.reversed;
        if (sweep.labels.empty()) continue;
        Certificate::Sweep::Label& label = sweep.labels[below(sweep.labels.size())];
        switch (below(4)) {
          case 0: label.time += static_cast<Int>(random() >> (24 + below(39))); break;
          case 1: label.time = static_cast<Int>(random()); break;
          case 2: label.other.reset(); break;
          default: std::swap(label, sweep.labels[below(sweep.labels.size())]);
        }
      }
      refused += !verify(problem, changed).holds;
      changed.limit = best * (1 + 1e-9);
      EXPECT_FALSE(verify(problem, changed).holds) << "seed " << seed << "\n" << describe(*problem.workload);
    }
  }
  EXPECT_GT(believed_before, 0u);
  EXPECT_GT(refused, 0u);
}

TEST(LatencyCertificate, IsOfLatencyAlone) {
  Problem problem = latency_question(1);
  const double best = best_latency_by_brute_force(problem);
  bool proved = false;
  Certificate certificate = labels_at(problem, best * 0.5, {0}, proved);
  ASSERT_TRUE(verify(problem, certificate).holds);

  Certificate other = certificate;
  other.objective = Objective::MaxLoad;
  EXPECT_NE(verify(problem, other).reason.find("about loads"), std::string::npos);
  other = certificate;
  other.classes.push_back({0, 1});
  EXPECT_NE(verify(problem, other).reason.find("prices"), std::string::npos);
  other = certificate;
  other.limit = 0;
  EXPECT_NE(verify(problem, other).reason.find("positive"), std::string::npos);
  other = certificate;
  other.limit = best;  // which no path proves
  other.sweeps = {{0, false, {{-12345, std::nullopt, 1}}}};
  EXPECT_NE(verify(problem, other).reason.find("lacks"), std::string::npos);
  other.sweeps = {{-1, false, {}}};
  EXPECT_NE(verify(problem, other).reason.find("toll"), std::string::npos);
  other.sweeps.assign(40, {0, false, {}});
  for (std::size_t i = 0; i < other.sweeps.size(); ++i) other.sweeps[i].toll = static_cast<Int>(i);
  EXPECT_NE(verify(problem, other).reason.find("tolls"), std::string::npos);

  problem.objective = Objective::MaxLoad;
  EXPECT_NE(verify(problem, certificate).reason.find("time of one sample"), std::string::npos);
}

// More nodes than paths can be kept of in the memory that there is: not accepted, and not called wrong either.
TEST(LatencyCertificate, IsUndecidedWithinTooLittle) {
  const Problem problem = latency_question(1);
  Certificate certificate;
  certificate.objective = Objective::Latency;
  certificate.limit = best_latency_by_brute_force(problem);
  certificate.sweeps.emplace_back();
  Budget no_memory(Budget::Limits{.memory_bytes = 1});
  EXPECT_TRUE(verify(problem, certificate, &no_memory).undecided);
  Budget no_time(Budget::Limits{.seconds = 0});
  EXPECT_TRUE(verify(problem, certificate, &no_time).undecided);
}

}  // namespace
}  // namespace partita::detail::test
