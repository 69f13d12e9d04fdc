// SPDX-License-Identifier: Apache-2.0
// `plan` with wishes against brute force: for all shapes and objectives, on plain devices and on any others, with copies of
// stages, samples in flight and layers kept together.
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "partita/util/error.h"
#include "tests/property/answers.h"
#include "tests/property/property.h"
#include "tests/support/brute_force.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"
#include "tests/support/wishes.h"

namespace partita::detail {
namespace {

// Without renaming devices there is more for the brute force to try.
bool small_enough(const Problem& problem, double most = 60'000) {
  const double devices = static_cast<double>(problem.workload->platform.device_count());
  return std::pow(devices, static_cast<double>(problem.workload->graph.nodes.size())) <= most;
}

// How often wishes can be kept, and how often they cost something.
struct WishesMet {
  int asked = 0, kept = 0, dearer = 0, impossible = 0;

  void count(std::optional<double> with, std::optional<double> without) {
    ++asked;
    kept += with.has_value();
    dearer += with && without && *with > *without * (1 + 1e-9);
    impossible += !with && without;
  }
  void expect_enough() const {
    constexpr int kFew = 40;  // in a short run, all of them small
    if (asked < kFew) return;
    expect_more_than(kept, asked, 5, "kept");
    expect_more_than(dearer, asked, 25, "dearer");
    expect_more_than(impossible, asked, 25, "impossible");
  }
};

Problem with_wishes(const Workload& workload, unsigned number, const Question& question) {
  Problem problem{workload, question};
  problem.wishes = random_wishes(workload, number);
  return problem;
}

Complaint told(Complaint complaint, const Problem& problem) {
  if (complaint) *complaint += "\n" + describe(problem.wishes);
  return complaint;
}

void expect_exact(const std::function<Question(unsigned)>& question, int rarity) {
  WishesMet met;
  expect_for_all_workloads(
      [&](const Workload& workload, unsigned number) -> Complaint {
        const Problem problem = with_wishes(workload, number, question(number));
        if (!small_enough(problem)) return {};
        const std::optional<double> optimum = brute_force(problem);
        met.count(optimum, brute_force({workload, question(number)}));
        return told(wrong(problem, plan_fully(problem), optimum), problem);
      },
      rarity);
  met.expect_enough();
}

// Where searches and bounds need not meet, within some ticks.
void expect_mostly_proved(const std::function<Question(unsigned)>& question, int rarity) {
  WishesMet met;
  int proved = 0;
  expect_for_all_workloads(
      [&](const Workload& workload, unsigned number) -> Complaint {
        const Problem problem = with_wishes(workload, number, question(number));
        if (!small_enough(problem, problem.subgraphs > 1 ? 1000 : 20'000)) return {};
        const std::optional<double> optimum = brute_force(problem);
        met.count(optimum, brute_force({workload, question(number)}));
        const Plan answer = plan_within(problem, 400'000);
        proved += answer.result.status == Status::Infeasible || answer.result.status == Status::Optimal;
        return told(dishonest(problem, answer, optimum), problem);
      },
      rarity);
  met.expect_enough();
  EXPECT_GE(proved, met.asked * 8 / 10);
}

TEST(WishesEqualBruteForce, Staged) {
  expect_exact([](unsigned number) { return Question{.backward_shape = number % 3 == 0}; }, 2);
}

TEST(WishesAreHonest, ContiguousAndFree) {
  expect_mostly_proved([](unsigned number) { return Question{.shape = number % 2 ? Shape::Free : Shape::Contiguous}; },
                       20);
}

TEST(WishesEqualBruteForce, OtherTransfers) {
  expect_exact(
      [](unsigned number) { return Question{.transfers = number % 2 ? TransferMode::Overlap : TransferMode::Duplex}; },
      8);
}

TEST(WishesAreHonest, Gpipe) {
  expect_mostly_proved(
      [](unsigned number) {
        return Question{.objective = Objective::GPipe,
                        .shape = std::array{Shape::Staged, Shape::Contiguous, Shape::Free}[number % 3]};
      },
      10);
}

TEST(WishesAreHonest, Latency) {
  expect_mostly_proved(
      [](unsigned number) {
        Question question{.objective = Objective::Latency};
        question.subgraphs = 1 + static_cast<int>(number % 5 == 0);
        question.strict_host_cores = number % 4 == 0;
        return question;
      },
      16);
}

TEST(WishesAreHonest, WithFewTicks) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        Question question;
        question.shape = std::array{Shape::Staged, Shape::Contiguous, Shape::Free}[number % 3];
        const Problem problem = with_wishes(workload, number, question);
        if (!small_enough(problem)) return {};
        const auto optimum = brute_force(problem);
        for (const std::uint64_t ticks : {0, 10, 1000}) {
          if (Complaint complaint = dishonest(problem, plan_within(problem, ticks), optimum))
            return told(fmt::format("{} ticks: {}", ticks, *complaint), problem);
        }
        return {};
      },
      8);
}

// Layers are joined after the wishes: the bound is of splits that do both.
TEST(WishesAreHonest, WithLayersKeptTogether) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        Workload layered = workload;
        for (NodeId v : layered.graph.nodes.all()) layered.graph.nodes[v].layer = (v.index() + number) / 2;
        const Problem problem = with_wishes(layered, number, {});
        if (!small_enough(problem)) return {};
        const auto optimum = brute_force(problem);
        const Plan answer = plan_fully(problem, {.contract_layers = true});
        if (!answer.result.split) return {};
        if (!optimum) return told("a split, but none is legal", problem);
        if (!answer.report.legal()) return told("check does not accept the split", problem);
        if (answer.result.value < *optimum * (1 - 1e-9)) return told("better than the best", problem);
        return {};
      },
      4);
}

void expect_exact_setups(const SetupFeatures& features, int rarity, std::size_t most_nodes) {
  WishesMet met;
  int refused = 0;
  expect_for_all_workloads(
      [&](const Workload& workload, unsigned number) -> Complaint {
        Problem problem = random_setup(workload, number, features);
        if (problem.workload->graph.nodes.size() > most_nodes) return {};
        const std::optional<double> without = pipeline_brute_force(problem);
        problem.wishes = random_wishes(problem.workload, number);
        const std::optional<double> optimum = pipeline_brute_force(problem);
        try {
          const Plan answer = plan_fully(problem);
          met.count(optimum, without);
          return told(wrong_setup(problem, answer, optimum), problem);
        } catch (const InputError& error) {
          const bool known =
              problem.replicas > 1 && problem.workload->platform.clusters && !problem.wishes.apart.empty();
          if (!known || error.kind() != ErrorKind::Unsupported) return told(error.what(), problem);
          ++refused;
          return {};
        }
      },
      rarity);
  met.expect_enough();
  EXPECT_LE(refused, met.asked / 2);
}

TEST(WishesEqualBruteForce, SetupsOfClasses) {
  SetupFeatures features = SetupFeatures::none();
  features.classes = features.contention = features.transfers = true;
  expect_exact_setups(features, 2, 6);
}

TEST(WishesEqualBruteForce, SetupsInClusters) {
  SetupFeatures features = SetupFeatures::none();
  features.classes = features.clusters = features.latencies = true;
  expect_exact_setups(features, 4, 6);
}

TEST(WishesEqualBruteForce, SetupsWithCopies) {
  SetupFeatures features = SetupFeatures::none();
  features.classes = features.copies = true;
  expect_exact_setups(features, 1, 5);
}

TEST(WishesEqualBruteForce, SetupsWithSamplesInFlight) {
  SetupFeatures features = SetupFeatures::none();
  features.memory = features.recompute = features.copies = true;
  expect_exact_setups(features, 1, 5);
}

TEST(WishesEqualBruteForce, SetupsWithEverything) { expect_exact_setups({}, 2, 5); }

}  // namespace
}  // namespace partita::detail
