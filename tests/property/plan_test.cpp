// SPDX-License-Identifier: Apache-2.0
// `plan` against brute force: exact answers are exact, limited ones are honest, and names and units do not matter.
#include "partita/partita.h"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "partita/check/certificate.h"
#include "tests/property/answers.h"
#include "tests/property/property.h"
#include "tests/support/brute_force.h"
#include "tests/support/random_settings.h"

namespace partita::detail {
namespace {

TEST(PlanEqualsBruteForce, Staged) {
  expect_for_all_workloads([](const Workload& workload, unsigned) {
    const Problem problem{workload};
    return wrong(problem, plan_fully(problem), brute_force(problem));
  });
}

TEST(PlanEqualsBruteForce, StagedWithBackwardShape) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) -> Complaint {
    if (!workload.graph.has_backward()) return {};
    Problem problem{workload};
    problem.backward_shape = true;
    if (number % 2 == 0) {
      // Without forward edges the backward ones alone order the devices; with them they seldom add anything.
      std::erase_if(problem.workload.change().graph.edges,
                    [&](const Edge& e) { return !workload.graph.nodes[e.to].backward; });
    }
    return wrong(problem, plan_fully(problem), brute_force(problem));
  });
}

Problem contiguous_problem(const Workload& workload, unsigned number) {
  Problem problem{workload};
  problem.shape = Shape::Contiguous;
  problem.backward_shape = number % 2 == 0;
  return problem;
}

TEST(PlanEqualsBruteForce, Contiguous) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        const Problem problem = contiguous_problem(workload, number);
        const Plan answer = plan_fully(problem);
        if (answer.certificate && !verify(problem, *answer.certificate).holds) return "its certificate does not hold";
        if (answer.certificate && answer.certificate->limit != answer.result.bound)
          return "a certificate of another bound";
        return wrong(problem, answer, brute_force(problem));
      },
      10);
}

TEST(PlanIsHonest, ContiguousWithFewTicks) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        const Problem problem = contiguous_problem(workload, number);
        const auto optimum = brute_force(problem);
        for (const std::uint64_t ticks : {0, 10, 1000, 10'000, 1'000'000}) {
          if (Complaint complaint = dishonest(problem, plan_within(problem, ticks), optimum)) {
            return fmt::format("{} ticks: {}", ticks, *complaint);
          }
        }
        return {};
      },
      10);
}

TEST(PlanEqualsBruteForce, WithTheExactAlgorithm) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) {
    const Problem problem{workload, {.backward_shape = number % 2 == 0}};
    return wrong(problem, plan_fully(problem, {.algorithm = Algorithm::Exact, .seed = number}), brute_force(problem));
  });
}

TEST(PlanEqualsBruteForce, StagedGpipe) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) {
    Problem problem{workload};
    problem.objective = Objective::GPipe;
    problem.backward_shape = number % 3 == 0;
    PlanOptions options;
    options.seed = number;
    return wrong(problem, plan_fully(problem, options), brute_force(problem));
  });
}

TEST(PlanEqualsBruteForce, GpipeOfOtherShapes) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        if (!workload.graph.has_backward()) return {};  // that is max-load
        Problem problem{workload};
        problem.objective = Objective::GPipe;
        problem.shape = number % 2 == 0 ? Shape::Free : Shape::Contiguous;
        return wrong(problem, plan_fully(problem), brute_force(problem));
      },
      20);
}

TEST(PlanEqualsBruteForce, Latency) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) {
    Problem problem{workload, {.objective = Objective::Latency}};
    PlanOptions options;
    options.seed = number;
    return wrong(problem, plan_fully(problem, options), brute_force(problem));
  });
}

TEST(PlanEqualsBruteForce, LatencyOnThreads) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) {
        Problem problem{workload, {.objective = Objective::Latency}};
        problem.strict_host_cores = number % 2 == 0;
        PlanOptions options;
        options.seed = number;
        options.threads = 2 + static_cast<int>(number % 2);
        return wrong(problem, plan_fully(problem, options), brute_force(problem));
      },
      4);
}

TEST(PlanIsHonest, ForLatencyWithSubgraphsAndFewCores) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        Problem problem{workload, {.objective = Objective::Latency}};
        problem.subgraphs = 1 + static_cast<int>(number % 3);
        problem.strict_host_cores = problem.subgraphs == 1 || number % 2 == 0;
        const auto optimum = brute_force(problem);
        for (const std::uint64_t ticks : {0, 10, 1000, 20'000}) {
          PlanOptions options;
          options.threads = 1 + static_cast<int>(ticks % 3);
          if (Complaint complaint = dishonest(problem, plan_within(problem, ticks, options), optimum)) {
            return fmt::format("{} ticks: {}", ticks, *complaint);
          }
        }
        return {};
      },
      8);
}

TEST(PlanIsHonest, ForLatencyWithFewTicks) {
  expect_for_all_workloads([](const Workload& workload, unsigned) -> Complaint {
    const Problem problem{workload, {.objective = Objective::Latency}};
    const auto optimum = brute_force(problem);
    for (const std::uint64_t ticks : {0, 1, 10, 100, 1000, 10'000, 100'000}) {
      if (Complaint complaint = dishonest(problem, plan_within(problem, ticks), optimum)) {
        return fmt::format("{} ticks: {}", ticks, *complaint);
      }
    }
    return {};
  });
}

TEST(PlanIsHonest, ForGpipeWithFewTicks) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        Problem problem{workload};
        problem.objective = Objective::GPipe;
        problem.shape = std::array{Shape::Staged, Shape::Contiguous, Shape::Free}[number % 3];
        const auto optimum = brute_force(problem);
        for (const std::uint64_t ticks : {0, 1, 10, 100, 1000, 10000}) {
          if (Complaint complaint = dishonest(problem, plan_within(problem, ticks), optimum)) {
            return fmt::format("{} ticks: {}", ticks, *complaint);
          }
        }
        return {};
      },
      8);
}

TEST(PlanIsHonest, WithFewTicks) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) -> Complaint {
    Problem problem{workload};
    problem.backward_shape = number % 2 == 0;
    const auto optimum = brute_force(problem);
    for (const std::uint64_t ticks : {0, 1, 3, 10, 30, 100, 1000}) {
      if (Complaint complaint = dishonest(problem, plan_within(problem, ticks), optimum)) {
        return fmt::format("{} ticks: {}", ticks, *complaint);
      }
    }
    return {};
  });
}

TEST(PlanIsHonest, WithAGap) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) -> Complaint {
    const Problem problem{workload};
    PlanOptions options;
    options.gap = 0.05 * static_cast<double>(number % 10);
    const auto optimum = brute_force(problem);
    const Plan answer = plan_fully(problem, options);
    if (Complaint complaint = dishonest(problem, answer, optimum)) return complaint;
    if (optimum && answer.result.gap() > options.gap + kOptimalGap) {
      return fmt::format("gap {} where {} was asked for", answer.result.gap(), options.gap);
    }
    return {};
  });
}

TEST(PlanIsHonest, Linear) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) {
    const Problem problem{workload, {.backward_shape = number % 2 == 0}};
    return dishonest(problem, plan_fully(problem, {.algorithm = Algorithm::Linear}), brute_force(problem));
  });
}

// Whatever is turned off or set, the search for staged splits stays exact.
TEST(PlanEqualsBruteForce, WithRandomSettings) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        Problem problem{workload};
        problem.backward_shape = number % 2 == 0;
        PlanOptions options;
        options.settings = random_settings(number);
        Complaint complaint =
            wrong(problem, plan_within(problem, Budget::Limits{}.ticks, options), brute_force(problem));
        if (complaint) *complaint += " with " + settings_text(options.settings);
        return complaint;
      },
      2);
}

// Every portfolio on plain devices: without some technique an answer may be worse, but never wrong.
TEST(PlanIsHonest, WithRandomSettings) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        Problem problem{workload};
        problem.objective = std::array{Objective::MaxLoad, Objective::GPipe, Objective::Latency}[number % 3];
        if (problem.objective != Objective::Latency)
          problem.shape = std::array{Shape::Free, Shape::Contiguous, Shape::Staged}[number / 3 % 3];
        if (number % 5 == 0) problem.transfers = TransferMode::Overlap;
        PlanOptions options;
        options.seed = number;
        options.settings = random_settings(number);
        if (number % 7 == 0) {
          options.algorithm = Algorithm::Ip;
          options.settings.mip.largest_program = MipSettings().largest_program;  // else it is refused
          options.settings.mip.objective_limit = true;                           // likewise, for the range of numbers
        }
        const Plan answer = plan_within(problem, 300'000, options);
        Complaint complaint = dishonest(problem, answer, brute_force(problem));
        if (!complaint && answer.certificate && !verify(problem, *answer.certificate).holds)
          complaint = "its certificate does not hold";
        if (complaint) *complaint += " with " + settings_text(options.settings);
        return complaint;
      },
      5);
}

TEST(PlanIsHonest, WithLittleMemory) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) {
    const Problem problem{workload};
    Budget::Limits limits;
    limits.memory_bytes = number % 4096;
    limits.ticks = 2000;  // short of memory the search keeps trying as long as it may
    Budget budget(limits);
    return dishonest(problem, plan(problem, {}, budget), brute_force(problem));
  });
}

// The same problem, so the same answer; `factor` is what one value should be of the other.
Complaint disagree(const Plan& one, const Plan& other, double factor) {
  if (one.result.status != other.result.status) {
    return fmt::format("status {} became {}", to_string(one.result.status), to_string(other.result.status));
  }
  if (!one.result.split) return {};
  if (!nearly(one.result.value * factor, other.result.value)) {
    return fmt::format("value {} became {}, factor {}", one.result.value, other.result.value, factor);
  }
  if (!nearly(one.result.bound * factor, other.result.bound, 1e-5)) {
    return fmt::format("bound {} became {}, factor {}", one.result.bound, other.result.bound, factor);
  }
  return {};
}

TEST(PlanIsInvariant, UnderRenamingAndReordering) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) {
    return disagree(plan_fully({workload}), plan_fully({shuffled(workload, number)}), 1);
  });
}

TEST(PlanIsInvariant, UnderScaling) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) {
    constexpr std::array kFactors{2.0, 0.5, 1024.0, 1e-6, 1e6, 0.3};
    const double factor = kFactors[number % kFactors.size()];
    const Plan one = plan_fully({workload});
    Plan other = plan_fully({scaled(workload, factor)});
    // Back to the first units, where `nearly` has its absolute part.
    other.result.value /= factor;
    other.result.bound /= factor;
    return disagree(one, other, 1);
  });
}

TEST(PlanIsInvariant, ForLatencyToo) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        const auto planned = [](const Workload& other) {
          return plan_fully({other, {.objective = Objective::Latency}});
        };
        const Plan one = planned(workload);
        if (Complaint complaint = disagree(one, planned(shuffled(workload, number)), 1)) return complaint;
        if (Complaint complaint = disagree(one, planned(subdivided(workload)), 1)) return complaint;
        Plan large = planned(scaled(workload, 1e6));
        large.result.value /= 1e6;
        large.result.bound /= 1e6;
        return disagree(one, large, 1);
      },
      4);
}

TEST(PlanIsInvariant, UnderSubdivision) {
  expect_for_all_workloads([](const Workload& workload, unsigned) {
    return disagree(plan_fully({workload}), plan_fully({subdivided(workload)}), 1);
  });
}

// Larger than brute force can do: the workload three times, joined by an edge from some node of one copy to some node
// of the next.
Workload three_joined(const Workload& workload, unsigned number) {
  Workload joined = workload;
  Graph& graph = joined.graph;
  const std::size_t count = graph.nodes.size();
  const std::vector<Edge> edges = graph.edges;
  for (std::size_t copy = 1; copy < 3; ++copy) {
    const std::size_t shift = copy * count;
    for (std::size_t v = 0; v < count; ++v) {
      Node node = workload.graph.nodes[NodeId(v)];
      node.original_id += static_cast<std::int64_t>(1000 * copy);
      if (node.colour) *node.colour += static_cast<std::int64_t>(1000 * copy);
      graph.nodes.push_back(node);
    }
    for (const Edge& edge : edges) {
      graph.edges.push_back({NodeId(edge.from.index() + shift), NodeId(edge.to.index() + shift), edge.cost});
    }
    const NodeId from(shift - count + number % count);
    const NodeId to(shift + number / 8 % count);
    if (!graph.nodes[from].backward || graph.nodes[to].backward) graph.edges.push_back({from, to, 1});
  }
  return joined;
}

// Whatever one run proves, no other run beats.
TEST(PlanIsConsistent, ForLatencyOnJoinedWorkloads) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        const Problem problem{three_joined(workload, number), {.objective = Objective::Latency}};
        double least = kUnlimited, bound = 0;
        bool infeasible = false;
        for (const std::uint64_t ticks : {3'000, 30'000, 300'000}) {
          PlanOptions options;
          options.seed = number + ticks;
          const Plan answer = plan_within(problem, ticks, options);
          infeasible = infeasible || answer.result.status == Status::Infeasible;
          least = std::min(least, answer.result.value);
          bound = std::max(bound, answer.result.bound);
        }
        if (infeasible && least < kUnlimited) return "infeasible, but there is a split";
        if (bound > least * (1 + 1e-9)) return fmt::format("bound {} above a split's {}", bound, least);
        return {};
      },
      20);
}

// The exact answer passes check, and no quick answer beats it.
TEST(PlanIsConsistent, OnJoinedWorkloads) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        const Problem problem{three_joined(workload, number)};
        const Plan exact = plan_fully(problem);
        const std::optional<double> optimum = exact.result.split ? std::optional(exact.result.value) : std::nullopt;
        if (Complaint complaint = wrong(problem, exact, optimum)) return complaint;
        PlanOptions linear;
        linear.algorithm = Algorithm::Linear;
        if (Complaint c = dishonest(problem, plan_within(problem, Budget::Limits{}.ticks, linear), optimum)) return c;
        return dishonest(problem, plan_within(problem, 200, {}), optimum);
      },
      50);
}

}  // namespace
}  // namespace partita::detail
