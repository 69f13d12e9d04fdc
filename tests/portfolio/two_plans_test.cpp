// SPDX-License-Identifier: Apache-2.0
// Several plans at once in one process: each answer is the one that it is alone. `./dev tsan` runs this file under
// ThreadSanitizer, linked with partita::core alone, so it uses nothing else.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "partita/model/graph_builder.h"
#include "partita/partita.h"

namespace partita::detail {
namespace {

// Two branches of training that join: forward nodes with times and sizes of all kinds, and a backward node for each.
Workload branches(int length, int accelerators, int hosts) {
  GraphBuilder builder(make_platform(accelerators, 40, hosts));
  const auto time = [](int i) { return std::vector<double>{1.0 + (i * 7) % 5, 9.0 + (i * 3) % 4}; };
  const auto add = [&](int i, bool backward) {
    return builder.add_node({.name = "n" + std::to_string(i),
                             .time = time(i),
                             .memory = 2.0 + i % 3,
                             .backward = backward,
                             .colour = i,
                             .id = backward ? 1000 + i : i});
  };
  const int n = 2 * length + 2;
  std::vector<NodeId> forward, backward;
  for (int i = 0; i < n; ++i) forward.push_back(add(i, false));
  for (int i = 0; i < n; ++i) backward.push_back(add(i, true));
  const auto connect = [&](int from, int to) {
    builder.add_edge(forward[from], forward[to], 0.5 + from % 3);
    builder.add_edge(backward[to], backward[from], 0.25 + to % 2);
  };
  for (int i = 0; i < 2; ++i) {
    const int first = 1 + i * length;
    connect(0, first);
    for (int j = 0; j + 1 < length; ++j) connect(first + j, first + j + 1);
    connect(first + length - 1, n - 1);
  }
  builder.add_edge(forward[n - 1], backward[n - 1], 1);
  return builder.build("branches");
}

struct Asked {
  std::string name;
  Question question;
  PlanOptions options;
  std::uint64_t ticks = 200'000;
};

std::vector<Asked> questions() {
  std::vector<Asked> all;
  for (const Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
    for (const Objective objective : {Objective::MaxLoad, Objective::GPipe}) {
      Asked asked{std::string(to_string(objective)) + " " + to_string(shape), {}, {}};
      asked.question.objective = objective;
      asked.question.shape = shape;
      all.push_back(asked);
    }
  }
  Asked latency{"latency", {}, {}};
  latency.question.objective = Objective::Latency;
  all.push_back(latency);
  Asked copies{"copies", {}, {}};
  copies.question.replicas = 2;
  copies.question.transfers = TransferMode::Overlap;
  all.push_back(copies);
  Asked program{"integer program", {}, {}};
  program.options.algorithm = Algorithm::Ip;
  all.push_back(program);
  return all;
}

Plan answer_to(const Asked& asked, const SharedWorkload& workload) {
  const bool program = asked.options.algorithm == Algorithm::Ip;  // its solver minds the clock alone
  Budget budget({.seconds = program ? 3 : kUnlimited, .ticks = asked.ticks});
  std::size_t told = 0;
  Plan plan =
      partita::plan(Problem(workload, asked.question), asked.options, budget, [&told](const Progress&) { ++told; });
  EXPECT_GT(told, 0u) << asked.name;
  return plan;
}

TEST(TwoPlans, AtOnceAnswerAsAlone) {
  const SharedWorkload workload = branches(3, 3, 1);  // one for all of them
  const std::vector<Asked> all = questions();
  std::vector<Plan> alone, first(all.size()), second(all.size());
  for (const Asked& asked : all) alone.push_back(answer_to(asked, workload));
  const auto answer_all = [&](std::vector<Plan>& plans, std::size_t shift) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t k = (i + shift) % all.size();
      plans[k] = answer_to(all[k], workload);
    }
  };
  {
    const std::jthread one(answer_all, std::ref(first), 0);
    const std::jthread other(answer_all, std::ref(second), 1);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Plan* plan : {&first[i], &second[i]}) {
      ASSERT_TRUE(plan->result.split && alone[i].result.split) << all[i].name;
      EXPECT_TRUE(plan->report.legal()) << all[i].name;
      if (all[i].options.algorithm == Algorithm::Ip) continue;
      EXPECT_EQ(plan->result.value, alone[i].result.value) << all[i].name;
      EXPECT_EQ(plan->result.bound, alone[i].result.bound) << all[i].name;
      EXPECT_EQ(plan->result.split->device_of, alone[i].result.split->device_of) << all[i].name;
    }
  }
}

TEST(TwoPlans, OnSeveralThreadsClaimWhatOneDoes) {
  const SharedWorkload workload = branches(8, 3, 1);
  for (Asked asked : questions()) {
    if (asked.options.algorithm == Algorithm::Ip) continue;
    asked.ticks = 400'000;
    const Result one = answer_to(asked, workload).result;
    asked.options.threads = 4;
    const Plan plan = answer_to(asked, workload);
    ASSERT_TRUE(one.split && plan.result.split) << asked.name;
    EXPECT_TRUE(plan.report.legal()) << asked.name;
    EXPECT_LE(plan.result.bound, one.value * (1 + 1e-9)) << asked.name;
    EXPECT_LE(one.bound, plan.result.value * (1 + 1e-9)) << asked.name;
  }
}

// Each of them with threads of its own; one is told to stop from outside.
TEST(TwoPlans, WithThreadsOfTheirOwnAndCancelled) {
  const SharedWorkload workload = branches(12, 4, 1);
  std::vector<Plan> plans(3);
  {
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      running.emplace_back([&plans, &workload, i] {
        Question question;
        question.objective = i == 1 ? Objective::Latency : Objective::MaxLoad;
        question.shape = i == 2 ? Shape::Contiguous : Shape::Free;
        Budget budget({.seconds = 4});
        const std::jthread stopper([&budget, i] {
          std::this_thread::sleep_for(std::chrono::milliseconds(1500 + 200 * i));
          budget.cancel();
        });
        plans[i] = partita::plan(Problem(workload, question), {.threads = 3}, budget);
      });
    }
  }
  for (const Plan& plan : plans) {
    ASSERT_TRUE(plan.result.split);
    EXPECT_TRUE(plan.report.legal());
    EXPECT_LE(plan.result.bound, plan.result.value);
  }
}

}  // namespace
}  // namespace partita::detail
