// SPDX-License-Identifier: Apache-2.0
// Any allocation of a solver may be the one that fails. Whichever it is, plan() answers, and what it answers is true.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>

#include "partita/partita.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/random_workload.h"

namespace {

constexpr std::int64_t kNever = INT64_MAX;
std::atomic<std::int64_t> until_failure{kNever};  // allocations
std::atomic<std::int64_t> failures_left{0};

bool fails() {
  if (until_failure.load(std::memory_order_relaxed) == kNever || --until_failure >= 0) return false;
  if (--failures_left >= 0) return true;
  until_failure = kNever;
  return false;
}

}  // namespace

// Who sorts takes a buffer in this way, and does without where there is none.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : std::malloc(size > 0 ? size : 1);
}
// None is inlined, or g++ takes the free() of the other for one of memory that new made, and warns.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const memory = operator new(size, std::nothrow);
  if (!memory) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace partita::detail::test {
namespace {

// So many allocations from the given one on fail, for as long as this lives.
class FailingAllocations {
 public:
  FailingAllocations(std::int64_t first, std::int64_t count) {
    failures_left = count;
    until_failure = first;
  }
  ~FailingAllocations() { until_failure = kNever; }
};

struct Tally {
  int failures = 0, splits_after_failure = 0;
};

// One or several failures, sooner or later: memory that is short for a moment, or for longer.
Tally expect_true_answers(const Problem& problem, std::optional<double> best, int threads) {
  Tally tally;
  PlanOptions options;
  options.threads = threads;
  for (std::int64_t first = 1; first < 200'000; first += 1 + first / 8) {
    for (const std::int64_t count : {1, 30}) {
      Budget budget(Budget::Limits{.seconds = 5, .ticks = 50'000});
      Plan plan;
      bool failed = false;
      {
        const FailingAllocations failing(first, count);
        plan = partita::plan(problem, options, budget);
        failed = budget.out_of_memory();
      }
      const Result& result = plan.result;
      tally.failures += failed;
      if (best) {
        EXPECT_NE(result.status, Status::Infeasible) << "allocation " << first;
        EXPECT_LE(result.bound, *best * (1 + 1e-9)) << "allocation " << first;
      }
      if (!result.split) continue;
      tally.splits_after_failure += failed;
      const CheckReport report = check(problem, *result.split);
      EXPECT_TRUE(report.legal()) << "allocation " << first;
      EXPECT_DOUBLE_EQ(report.value, result.value) << "allocation " << first;
      if (result.status == Status::Optimal && best) {
        EXPECT_NEAR(result.value, *best, 2e-6 * *best) << "allocation " << first;
      }
    }
  }
  return tally;
}

std::optional<double> best_value(const Problem& problem) {
  if (problem.objective != Objective::Latency) return brute_force(problem);
  const double best = best_latency_by_brute_force(problem);
  return best < kUnlimited ? std::optional(best) : std::nullopt;
}

void expect_true_answers(Objective objective, Shape shape, int threads) {
  Tally all;
  for (std::uint64_t seed = 1; seed <= cases(6); ++seed) {
    Problem problem{random_workload(seed)};
    problem.objective = objective;
    problem.shape = shape;
    const Tally tally = expect_true_answers(problem, best_value(problem), threads);
    all.failures += tally.failures;
    all.splits_after_failure += tally.splits_after_failure;
  }
  EXPECT_GT(all.failures, 20);
  EXPECT_GT(all.splits_after_failure, all.failures / 4);
}

TEST(OutOfMemory, StagedSplits) { expect_true_answers(Objective::MaxLoad, Shape::Staged, 1); }
TEST(OutOfMemory, GpipeSplits) { expect_true_answers(Objective::GPipe, Shape::Staged, 1); }
TEST(OutOfMemory, LatencySplits) { expect_true_answers(Objective::Latency, Shape::Staged, 1); }
TEST(OutOfMemory, LatencySplitsOnThreads) { expect_true_answers(Objective::Latency, Shape::Staged, 4); }
TEST(OutOfMemory, FreeSplits) { expect_true_answers(Objective::MaxLoad, Shape::Free, 1); }
TEST(OutOfMemory, FreeSplitsOnThreads) { expect_true_answers(Objective::MaxLoad, Shape::Free, 2); }

}  // namespace
}  // namespace partita::detail::test
