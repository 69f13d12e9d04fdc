// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/solve_ip.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "partita/check/check.h"
#include "partita/partita.h"
#include "partita/portfolio/start.h"
#include "partita/solve/mip/process_backend.h"
#include "partita/util/error.h"
#include "partita/util/sanitized.h"
#include "tests/mip/questions.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/transformer.h"

namespace partita::detail::test {
namespace {

using SolveIp = IntegerProgram;

std::optional<Split> start_for(const Problem& problem) {
  Budget budget;
  const std::optional<Start> start = find_start(problem, {}, budget, {});
  return start ? std::optional(start->split) : std::nullopt;
}

TEST_P(SolveIp, FindsTheOptimumAndItsBoundsHold) {
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    const Problem one = problem(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.workload));
    IpOptions options;
    if (seed % 2 == 0) options.start = start_for(one);
    expect_optimum(one, *backend(), options, 1e-8);
  }
}

TEST_P(SolveIp, IsWhatPlanDoes) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    const Problem one = problem(seed + 1000);
    SCOPED_TRACE("seed " + std::to_string(seed + 1000) + "\n" + describe(*one.workload));
    expect_optimal_plan(one, by_program(), 1e-8);
  }
}

TEST_P(SolveIp, StopsAtTheGapAskedFor) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    const Problem one = problem(seed + 2000);
    SCOPED_TRACE("seed " + std::to_string(seed + 2000) + "\n" + describe(*one.workload));
    const std::optional<double> best = brute_force(one);
    if (!best) continue;
    Budget budget;
    const IpOutcome outcome = solve_ip(one, *backend(), {.gap = 0.3}, budget, {});
    ASSERT_TRUE(outcome.split.has_value());
    EXPECT_LE(outcome.bound, *best);
    EXPECT_GE(outcome.bound, outcome.value * (0.7 - 1e-6));
  }
}

TEST_P(SolveIp, BoundsHoldWhereverItStops) {
  for (std::uint64_t seed = 1; seed <= cases(40); ++seed) {
    const Problem one = problem(seed + 4000);
    SCOPED_TRACE("seed " + std::to_string(seed + 4000) + "\n" + describe(*one.workload));
    const std::optional<double> best = brute_force(one);
    Budget budget;
    std::uint64_t told = 0;
    const Sink sink = [&](const Progress&) {
      if (++told > seed % 4) budget.cancel();
    };
    IpOptions options;
    if (seed % 3 == 0) options.start = start_for(one);
    const IpOutcome outcome = solve_ip(one, *backend(), options, budget, sink);
    EXPECT_LE(outcome.bound, best.value_or(kNoLimit));
    EXPECT_FALSE(outcome.infeasible && best);
    if (outcome.split) {
      EXPECT_TRUE(check(one, *outcome.split).legal());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryQuestion, SolveIp, kEveryQuestion, question_name);
INSTANTIATE_TEST_SUITE_P(EveryQuestionForHighs, SolveIp, kEveryQuestionForHighs, question_name);

class SolveIpLimits : public EveryBackend {
 protected:
  PlanOptions by_program() const { return by_program_of(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(EveryBackend, SolveIpLimits, testing::ValuesIn(kBackends), backend_name);

Problem transformer_problem(std::size_t layers, Shape shape) {
  Problem problem;
  problem.workload = transformer({.layers = layers});
  problem.shape = shape;
  return problem;
}

TEST_P(SolveIpLimits, AnExhaustedBudgetStillGivesTheStart) {
  const Problem problem = transformer_problem(12, Shape::Contiguous);
  Budget budget(Budget::Limits{.ticks = 3000});
  const Plan answer = plan(problem, by_program(), budget);
  ASSERT_TRUE(answer.result.split.has_value());
  EXPECT_TRUE(answer.report.legal());
}

TEST_P(SolveIpLimits, ATimeLimitKeepsTheBestSplitAndAValidBound) {
  if (kSanitized) GTEST_SKIP() << "time is what it tests";
  const Problem problem = transformer_problem(12, Shape::Free);
  Budget budget(Budget::Limits{.seconds = 1.5});
  const Plan answer = plan(problem, by_program(), budget);
  EXPECT_LT(budget.seconds_used(), 15);
  ASSERT_TRUE(answer.result.split.has_value());
  EXPECT_TRUE(answer.report.legal());
  EXPECT_LE(answer.result.bound, answer.result.value);
}

// A chain of unlike nodes: stages must be consecutive, free splits can balance the devices in very many ways.
Problem chain_problem(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Problem problem;
  problem.shape = Shape::Free;
  problem.workload.change().platform = make_platform(5, kUnlimited, 0);
  for (std::size_t v = 0; v < 60; ++v) {
    Node node;
    node.original_id = static_cast<std::int64_t>(v);
    node.time = {1 + static_cast<double>(engine() % 1000000) / 1e5, kCannotRun};
    problem.workload.change().graph.nodes.push_back(node);
    if (v > 0) problem.workload.change().graph.edges.push_back({NodeId(v - 1), NodeId(v), 0.01});
  }
  return problem;
}

// What the solver has told of must come back, also where it is stopped in the middle of a linear program.
TEST_P(SolveIpLimits, CancellingKeepsTheBestSplit) {
  std::uint64_t total = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Problem problem = chain_problem(seed);
    Budget budget(Budget::Limits{.seconds = 3});
    double first = kNoLimit, best = kNoLimit;
    std::uint64_t improvements = 0;
    const Sink sink = [&](const Progress& progress) {
      if (first == kNoLimit) first = progress.value;
      if (progress.value < best && progress.value < first) ++improvements;
      best = std::min(best, progress.value);
      if (improvements > seed % 4) budget.cancel();
    };
    const Plan answer = plan(problem, by_program(), budget, sink);
    ASSERT_TRUE(answer.result.split.has_value());
    EXPECT_TRUE(answer.report.legal());
    EXPECT_LE(answer.result.value, best * (1 + 1e-6)) << "chain " << seed;
    total += improvements;
  }
  EXPECT_GT(total, 0) << "the test is about improvements";
}

// Every shape and objective, by the integer program and by the portfolio of the question.
template <class Test>
void for_every_question(Test test) {
  for (const Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
    for (const Objective objective : {Objective::MaxLoad, Objective::GPipe}) {
      for (const Algorithm algorithm : {Algorithm::Auto, Algorithm::Ip}) {
        Problem problem = transformer_problem(12, shape);
        problem.objective = objective;
        SCOPED_TRACE(std::string(to_string(shape)) + " " + to_string(objective) +
                     (algorithm == Algorithm::Ip ? " by the integer program" : ""));
        test(problem, algorithm);
      }
    }
  }
}

void expect_best_so_far(const Plan& answer) {
  ASSERT_TRUE(answer.result.split.has_value()) << answer.result.reason;
  EXPECT_TRUE(answer.report.legal());
  EXPECT_LE(answer.result.bound, answer.result.value);
}

TEST_P(SolveIpLimits, ATenthOfASecondIsEnoughForASplit) {
  if (kSanitized) GTEST_SKIP() << "time is what it tests";
  for_every_question([this](const Problem& problem, Algorithm algorithm) {
    PlanOptions options = by_program();
    options.algorithm = algorithm;
    Budget budget(Budget::Limits{.seconds = 0.1});
    expect_best_so_far(plan(problem, options, budget));
    EXPECT_LT(budget.seconds_used(), 10);
  });
}

TEST_P(SolveIpLimits, AnotherThreadMayCancel) {
  for_every_question([this](const Problem& problem, Algorithm algorithm) {
    PlanOptions options = by_program();
    options.algorithm = algorithm;
    Budget budget(Budget::Limits{.seconds = 60});
    double cancelled_at = 60;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      cancelled_at = budget.seconds_used();
      budget.cancel();
    });
    const Plan answer = plan(problem, options, budget);
    const double ended_at = budget.seconds_used();
    other.join();
    expect_best_so_far(answer);
    EXPECT_LT(ended_at, cancelled_at + 10);
  });
}

// One that is below the optimum by a little: the first solution that meets it ends the search, and it is not claimed.
TEST_P(SolveIpLimits, ABoundKnownFromElsewhereEndsTheSearch) {
  const Problem problem = chain_problem(1);
  Budget plenty(Budget::Limits{.seconds = 2});
  const IpOutcome first = solve_ip(problem, *backend(), {}, plenty, {});
  ASSERT_TRUE(first.split.has_value());
  Budget budget(Budget::Limits{.seconds = 60});
  const IpOutcome again =
      solve_ip(problem, *backend(), {.start = first.split, .bound = first.value * (1 - 1e-7)}, budget, {});
  EXPECT_LT(budget.seconds_used(), 20);
  ASSERT_TRUE(again.split.has_value());
  EXPECT_LE(again.value, first.value * (1 + 1e-9));
  EXPECT_LE(again.bound, again.value);
}

TEST(SolveIpReasons, NameTheConstraint) {
  Problem problem;
  const auto reason = [&](const char* text, int accelerators, double memory, int hosts, Shape shape,
                          Algorithm algorithm) {
    problem.workload = graph_from_text(text, accelerators, memory, hosts);
    problem.shape = shape;
    Budget budget;
    const Plan answer = plan(problem, {.algorithm = algorithm}, budget);
    EXPECT_EQ(answer.result.status, Status::Infeasible);
    return answer.result.reason;
  };
  const auto expect_start = [](const std::string& text, const std::string& start) {
    EXPECT_EQ(text.substr(0, start.size()), start);
  };
  for (const Algorithm algorithm : {Algorithm::Auto, Algorithm::Ip}) {
    // By one node, by the total, by no single limit: three nodes of 2 on two devices of 3.
    expect_start(reason("a 1 - mem=9; b 1 -", 2, 5, 1, Shape::Contiguous, algorithm), "node 1 (a) fits no device");
    expect_start(reason("a 1 - mem=4; b 1 - mem=4; c 1 - mem=4", 2, 5, 1, Shape::Contiguous, algorithm),
                 "memory: what");
    expect_start(reason("a 1 - mem=2; b 1 - mem=2; c 1 - mem=2", 2, 3, 0, Shape::Contiguous, algorithm),
                 "memory: contiguous splits exist");
    // The host must be contiguous, and cannot be.
    expect_start(reason("a - 1; b 1 -; c - 1; a -> b -> c : 1", 1, kUnlimited, 1, Shape::Contiguous, algorithm),
                 "the devices that nodes can run on");
  }
  expect_start(reason("a 1 - mem=2; b 1 - mem=2; c 1 - mem=2", 2, 3, 0, Shape::Free, Algorithm::Ip),
               "memory: free splits exist");
  expect_start(reason("a 1 - mem=2; b 1 - mem=2; c 1 - mem=2", 2, 3, 0, Shape::Staged, Algorithm::Ip),
               "memory: staged splits exist");
}

TEST(SolveIpReasons, TheDynamicProgramsRefuseOtherShapes) {
  Problem problem;
  problem.workload = graph_from_text("a 3 30; b 2 20; a -> b : 0.5");
  problem.shape = Shape::Contiguous;
  Budget budget;
  for (const Algorithm algorithm : {Algorithm::Exact, Algorithm::Linear}) {
    EXPECT_THROW(plan(problem, {.algorithm = algorithm}, budget), InputError);
  }
}

TEST_P(SolveIpLimits, AStartThatIsGivenIsNotLost) {
  Problem problem;
  problem.workload = graph_from_text("a 3 30; b 2 20; c 1 10; d 2 20; a -> b -> c -> d : 0.5", 2, kUnlimited, 0);
  problem.shape = Shape::Free;
  const Split start = split_from_text(problem.workload, "a d | b c");
  Budget budget;
  budget.cancel();
  const IpOutcome outcome = solve_ip(problem, *backend(), {.start = start}, budget, {});
  ASSERT_TRUE(outcome.split.has_value());
  EXPECT_EQ(outcome.split->device_of, start.device_of);
  EXPECT_NEAR(outcome.value, 6, 1e-12);
}

// Two contiguous sets may depend on each other, so contiguous can be better than staged, and free better than both.
TEST(SolveIpShapes, EachShapeIsWiderThanTheOneBefore) {
  Problem problem;
  problem.workload =
      graph_from_text("a 4 -; b 4 -; c 4 -; d 4 -; a -> b : 1; c -> d : 1; a -> d : 1; c -> b : 1", 2, kUnlimited, 0);
  double before = kNoLimit;
  for (const Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
    problem.shape = shape;
    Budget budget;
    const Plan answer = plan(problem, {.algorithm = Algorithm::Ip}, budget);
    EXPECT_EQ(answer.result.status, Status::Optimal);
    EXPECT_NEAR(answer.result.value, *brute_force(problem), 1e-9);
    EXPECT_LE(answer.result.value, before * (1 + 1e-9));
    before = answer.result.value;
  }
}

// ---- what a solver says is not believed ----

Problem two_nodes() {
  Problem problem;
  problem.workload = graph_from_text("a 3 30; b 2 20; a -> b : 0.5", 2, kUnlimited, 0);
  problem.shape = Shape::Free;
  return problem;
}

IpOutcome solve_with(const ProcessBackend::Solver& solver, const Problem& problem, std::optional<Split> start) {
  Budget budget;
  ProcessBackend backend("Somebody", solver);
  return solve_ip(problem, backend, {.start = std::move(start)}, budget, {});
}

TEST(SolveIpTrust, ALegalStartRefutesThatThereIsNoSplit) {
  const Problem problem = two_nodes();
  const auto liar = [](const MipRequest&, MipReporter& reporter) { reporter.finished(true); };
  const IpOutcome outcome = solve_with(liar, problem, split_from_text(problem.workload, "a b | "));
  ASSERT_TRUE(outcome.split.has_value());
  EXPECT_FALSE(outcome.infeasible);
  EXPECT_EQ(outcome.bound, 0);
  EXPECT_NE(outcome.failure.find("claims that no split exists"), std::string::npos) << outcome.failure;
}

TEST(SolveIpTrust, ALegalStartRefutesABoundAboveIt) {
  const Problem problem = two_nodes();
  const auto liar = [](const MipRequest&, MipReporter& reporter) {
    reporter.bound(5000);
    reporter.finished(false);
  };
  const IpOutcome outcome = solve_with(liar, problem, split_from_text(problem.workload, "a b | "));
  EXPECT_EQ(outcome.bound, 0);
  EXPECT_NE(outcome.failure.find("refutes"), std::string::npos) << outcome.failure;
}

TEST(SolveIpTrust, SolutionsThatAreNoneAreNotTaken) {
  const Problem problem = two_nodes();
  const auto liar = [](const MipRequest& request, MipReporter& reporter) {
    reporter.solution(std::vector<double>(request.model.columns().size(), 7));
    reporter.finished(false);
  };
  for (const Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
    Problem shaped = problem;
    shaped.shape = shape;
    EXPECT_FALSE(solve_with(liar, shaped, std::nullopt).split.has_value());
  }
}

TEST(SolveIpTrust, ACrashLeavesTheStart) {
  const Problem problem = two_nodes();
  const auto crash = [](const MipRequest&, MipReporter&) { raise(SIGKILL); };
  const IpOutcome outcome = solve_with(crash, problem, split_from_text(problem.workload, "a b | "));
  ASSERT_TRUE(outcome.split.has_value());
  EXPECT_EQ(outcome.value, 5);
  EXPECT_EQ(outcome.failure, "Somebody failed (signal 9)");
  EXPECT_NE(outcome.proof.find("Somebody failed"), std::string::npos);
}

// Nothing is known to start from, so the slow node's time on the host stays in the program.
TEST(SolveIpTrust, NumbersTooFarApartAreRefused) {
  Problem problem;
  problem.workload = graph_from_text("a 1 - mem=2; b 1 - mem=2; c 1 - mem=2; d 1 1e14", 2, 3, 1);
  problem.shape = Shape::Free;
  Budget budget;
  try {
    plan(problem, {.algorithm = Algorithm::Ip}, budget);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    EXPECT_NE(error.problem().find("differ by a factor"), std::string::npos) << error.problem();
  }
  problem.transfers = TransferMode::Overlap;
  EXPECT_EQ(plan(problem, {}, budget).result.status, Status::Infeasible);
}

// Times up to 1e18 apart: bounds hold, whatever becomes of the rest.
TEST_P(SolveIp, BoundsHoldWhereTimesAreFarApart) {
  for (std::uint64_t seed = 1; seed <= cases(12); ++seed) {
    Problem one = problem(seed + 6000);
    std::mt19937_64 engine(seed);
    for (Node& node : one.workload.change().graph.nodes) {
      for (double& time : node.time) time *= std::pow(10, static_cast<double>(engine() % 19) - 9);
    }
    SCOPED_TRACE("seed " + std::to_string(seed + 6000) + "\n" + describe(*one.workload));
    const std::optional<double> best = brute_force(one);
    Budget budget(Budget::Limits{.seconds = 20});
    try {
      const Plan answer = plan(one, by_program(), budget);
      EXPECT_LE(answer.result.bound, best.value_or(kNoLimit) * (1 + 1e-9));
      EXPECT_FALSE(best && answer.result.status == Status::Infeasible);
      EXPECT_FALSE(answer.result.status == Status::Optimal && !answer.result.unverified && answer.result.bound > 0);
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
