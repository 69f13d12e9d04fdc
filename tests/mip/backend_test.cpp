// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <new>
#include <optional>
#include <thread>

#include "partita/solve/mip/process_backend.h"
#include "partita/util/error.h"
#include "tests/mip/questions.h"

namespace partita::detail::test {
namespace {

// A knapsack turned round: cover `demand` with things of weight and cost at least cost.
LinearModel covering_model(std::size_t things, double demand) {
  LinearModel model;
  Terms weight;
  for (std::size_t i = 0; i < things; ++i) {
    const double w = static_cast<double>(13 + 37 * i % 29);
    const ColumnId x = model.add_column({"x_" + std::to_string(i), 0, 1, w + static_cast<double>(i % 7), true});
    weight.push_back({x, w});
  }
  model.add_at_least("demand", std::move(weight), demand);
  return model;
}

class OneBackend : public EveryBackend {
 protected:
  MipOutcome solve(const LinearModel& model, std::vector<double> start = {}, double gap = 0) const {
    Budget budget(Budget::Limits{.seconds = 60});
    return backend()->solve({.model = model, .start = std::move(start), .gap = gap}, budget);
  }
};

INSTANTIATE_TEST_SUITE_P(ByName, OneBackend, testing::ValuesIn(kBackends), backend_name);

TEST_P(OneBackend, SolvesAndProves) {
  const LinearModel model = covering_model(20, 100);
  const MipOutcome outcome = solve(model);
  ASSERT_TRUE(outcome.solution.has_value());
  EXPECT_TRUE(outcome.finished);
  EXPECT_FALSE(outcome.infeasible);
  EXPECT_LE(model.largest_violation(*outcome.solution), 1e-6);
  EXPECT_NEAR(model.objective(*outcome.solution), outcome.bound, 1e-6);
}

TEST_P(OneBackend, SaysInfeasible) {
  const MipOutcome outcome = solve(covering_model(5, 1e6));
  EXPECT_TRUE(outcome.infeasible);
  EXPECT_FALSE(outcome.solution.has_value());
}

TEST_P(OneBackend, NeedsNoRows) {
  LinearModel model;
  model.add_column({"x_0", 0, 5, -1, true});
  const MipOutcome outcome = solve(model);
  ASSERT_TRUE(outcome.solution.has_value());
  EXPECT_NEAR((*outcome.solution)[0], 5, 1e-6);
}

TEST_P(OneBackend, TakesTheStart) {
  const LinearModel model = covering_model(40, 300);
  const std::vector<double> everything(40, 1);
  const MipOutcome outcome = solve(model, everything, 1);  // any solution will do
  ASSERT_TRUE(outcome.solution.has_value());
  EXPECT_LE(model.objective(*outcome.solution), model.objective(everything) + 1e-6);
}

TEST_P(OneBackend, AnExhaustedBudgetEndsAtOnce) {
  Budget budget;
  budget.cancel();
  const LinearModel model = covering_model(20, 100);
  const MipOutcome outcome = backend()->solve({.model = model}, budget);
  EXPECT_FALSE(outcome.solution.has_value());
  EXPECT_FALSE(outcome.finished);
  EXPECT_EQ(outcome.bound, -kNoLimit);
}

TEST_P(OneBackend, SolvesLinearPrograms) {
  LinearModel model;
  const ColumnId x = model.add_column({"x_0", 0, 5, 1});
  const ColumnId y = model.add_column({"x_1", 0, 5, 2});
  model.add_at_least("sum", {{x, 1}, {y, 1}}, 7.5);
  const MipOutcome outcome = solve(model);
  ASSERT_TRUE(outcome.solution.has_value());
  EXPECT_TRUE(outcome.finished);
  EXPECT_NEAR(model.objective(*outcome.solution), 10, 1e-6);
  EXPECT_NEAR(outcome.bound, 10, 1e-6);
}

// Ends itself where work is limited: at the same place every time, and what it says until then is true.
TEST_P(OneBackend, LimitedWorkEndsAtTheSamePlaceEveryTime) {
  const LinearModel model = covering_model(60, 700);
  const double best = model.objective(*solve(model).solution);
  std::optional<double> bound, objective;
  for (int again = 0; again < 3; ++again) {
    Budget budget(Budget::Limits{.seconds = 60, .ticks = 2000});
    const MipOutcome outcome = backend()->solve({.model = model}, budget);
    EXPECT_EQ(outcome.failure, "");
    EXPECT_LE(outcome.bound, best + 1e-6);
    const double found = outcome.solution ? model.objective(*outcome.solution) : kNoLimit;
    EXPECT_GE(found, best - 1e-6);
    EXPECT_EQ(bound.value_or(outcome.bound), outcome.bound);
    EXPECT_EQ(objective.value_or(found), found);
    bound = outcome.bound;
    objective = found;
  }
}

// The settings about a solver itself change how it works, not what it says.
TEST_P(OneBackend, GivesTheSameAnswerWithItsTechniquesOff) {
  const LinearModel model = covering_model(30, 250);
  const double best = model.objective(*solve(model).solution);
  for (bool MipSettings::*technique : {&MipSettings::preprocessing, &MipSettings::cuts, &MipSettings::heuristics}) {
    MipSettings settings;
    settings.backend = GetParam();
    settings.*technique = false;
    Budget budget(Budget::Limits{.seconds = 60});
    const MipOutcome outcome = choose_backend(settings)->solve({.model = model}, budget);
    ASSERT_TRUE(outcome.solution.has_value());
    EXPECT_TRUE(outcome.finished);
    EXPECT_NEAR(model.objective(*outcome.solution), best, 1e-6);
    EXPECT_NEAR(outcome.bound, best, 1e-6);
  }
}

TEST(ChooseBackend, TakesTheOneThatIsAskedForOrSaysThatItIsNotThere) {
  EXPECT_STREQ(backend_called("cbc")->name(), "CBC");
  EXPECT_STREQ(backend_called("auto")->name(), highs_is_here() ? "HiGHS" : "CBC");
  if (highs_is_here()) {
    EXPECT_STREQ(backend_called("highs")->name(), "HiGHS");
  }
  const auto kind_of_error = [](const char* name) -> std::optional<ErrorKind> {
    try {
      backend_called(name);
    } catch (const InputError& error) {
      return error.kind();
    }
    return std::nullopt;
  };
  EXPECT_EQ(kind_of_error("gurobi"), ErrorKind::Usage);
  EXPECT_EQ(kind_of_error("highs"), highs_is_here() ? std::nullopt : std::optional(ErrorKind::Unsupported));
}

// ---- any solver in a process of its own ----

void expect_no_children() {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
}

MipOutcome solve_by(const ProcessBackend::Solver& solver, double seconds = 60) {
  const LinearModel model = covering_model(3, 10);
  Budget budget(Budget::Limits{.seconds = seconds});
  const MipOutcome outcome = ProcessBackend("Somebody", solver).solve({.model = model}, budget);
  expect_no_children();
  return outcome;
}

constexpr std::array kSolution{1.0, 1.0, 1.0};

TEST(ProcessBackend, HearsWhatTheSolverSays) {
  std::vector<double> told;
  const LinearModel model = covering_model(3, 10);
  Budget budget;
  ProcessBackend backend("Somebody", [](const MipRequest& request, MipReporter& reporter) {
    std::printf("noise\n");
    std::fflush(stdout);
    reporter.bound(3);
    reporter.bound(2);
    reporter.work(100);
    reporter.solution(std::vector<double>(request.model.columns().size(), 1));
    reporter.finished(false);
  });
  testing::internal::CaptureStdout();
  const MipOutcome outcome =
      backend.solve({.model = model, .raised = [&](double bound) { told.push_back(bound); }}, budget);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(told, std::vector<double>{3});
  EXPECT_EQ(outcome.bound, 3);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(budget.ticks_used(), 100u);
  ASSERT_TRUE(outcome.solution.has_value());
  EXPECT_EQ(*outcome.solution, std::vector<double>(3, 1));
}

TEST(ProcessBackend, ACrashKeepsWhatWasSaidAndNothingElse) {
  for (const int number : {SIGSEGV, SIGABRT, SIGKILL}) {
    const MipOutcome outcome = solve_by([&](const MipRequest&, MipReporter& reporter) {
      reporter.solution(kSolution);
      reporter.bound(1);
      reporter.finished(true);
      signal(number, SIG_DFL);  // the sanitizers have handlers of their own
      raise(number);
    });
    EXPECT_EQ(outcome.failure, "Somebody failed (signal " + std::to_string(number) + ")");
    EXPECT_TRUE(outcome.solution.has_value());
    EXPECT_FALSE(outcome.finished || outcome.infeasible);
  }
}

TEST(ProcessBackend, ExceptionsAndExitsAreFailures) {
  EXPECT_EQ(solve_by([](const MipRequest&, MipReporter&) { throw 1; }).failure, "Somebody failed (an exception)");
  EXPECT_EQ(solve_by([](const MipRequest&, MipReporter&) { throw std::bad_alloc(); }).failure,
            "Somebody failed (out of memory)");
  EXPECT_EQ(solve_by([](const MipRequest&, MipReporter&) { _exit(7); }).failure, "Somebody failed (exit code 7)");
}

TEST(ProcessBackend, NonsenseIsAFailure) {
  const auto too_short = [](const MipRequest&, MipReporter& reporter) {
    reporter.solution(std::span(kSolution).first(2));
  };
  const auto no_number = [](const MipRequest&, MipReporter& reporter) { reporter.bound(std::nan("")); };
  const auto no_numbers = [](const MipRequest&, MipReporter& reporter) {
    reporter.solution(std::array{1.0, kNoLimit, 1.0});
  };
  for (const ProcessBackend::Solver& solver : {ProcessBackend::Solver(too_short), {no_number}, {no_numbers}}) {
    const MipOutcome outcome = solve_by(solver);
    EXPECT_EQ(outcome.failure, "Somebody failed (its answer makes no sense)");
    EXPECT_FALSE(outcome.solution.has_value());
  }
}

void never_ends(const MipRequest&, MipReporter& reporter) {
  reporter.solution(kSolution);
  for (;;) pause();
}

TEST(ProcessBackend, IsKilledAtTheLimit) {
  const auto start = std::chrono::steady_clock::now();
  const MipOutcome outcome = solve_by(never_ends, 0.3);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.solution.has_value());
}

TEST(ProcessBackend, IsKilledWhenSomebodyCancels) {
  const LinearModel model = covering_model(3, 10);
  Budget budget;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    budget.cancel();
  });
  const MipOutcome outcome = ProcessBackend("Somebody", never_ends).solve({.model = model}, budget);
  other.join();
  EXPECT_LT(budget.seconds_used(), 2);
  EXPECT_TRUE(outcome.solution.has_value());
  expect_no_children();
}

TEST(ProcessBackend, IsKilledAtASolutionThatMeetsAKnownBound) {
  const LinearModel model = covering_model(3, 10);
  Budget budget(Budget::Limits{.seconds = 60});
  const double value = model.objective(kSolution);
  ProcessBackend("Somebody", never_ends).solve({.model = model, .known_bound = value}, budget);
  EXPECT_LT(budget.seconds_used(), 5);
}

TEST(ProcessBackend, LeavesSignalsToItsParent) {
  const MipOutcome outcome = solve_by([](const MipRequest&, MipReporter& reporter) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) raise(number);
    reporter.finished(false);
  });
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.failure, "");
}

}  // namespace
}  // namespace partita::detail::test
