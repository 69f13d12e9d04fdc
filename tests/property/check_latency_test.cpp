// SPDX-License-Identifier: Apache-2.0
// The time of one sample: `check` against the definitions, as tests/support/latency_brute_force.cpp reads them, with
// several subgraphs on an accelerator and with few host cores, on random splits and on all splits of tiny graphs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "partita/check/check.h"
#include "tests/property/answers.h"
#include "tests/property/property.h"
#include "tests/support/brute_force.h"
#include "tests/support/latency_brute_force.h"

namespace partita::detail {
namespace {

struct Labels {
  std::vector<std::size_t> device_of;
  std::vector<std::size_t> subgraph_of;
};

bool is_host(const Workload& workload, std::size_t device) {
  return workload.platform.classes[workload.platform.class_of(DeviceId(device))].kind == DeviceKind::Host;
}

std::vector<NodeId> topological(const Graph& graph) {
  std::vector<NodeId> order;
  IdVector<NodeId, bool> placed(graph.nodes.size(), false);
  while (order.size() < graph.nodes.size()) {
    for (NodeId v : graph.nodes.all()) {
      const bool waits = std::any_of(graph.edges.begin(), graph.edges.end(),
                                     [&](const Edge& edge) { return edge.to == v && !placed[edge.from]; });
      if (placed[v] || waits) continue;
      placed[v] = true;
      order.push_back(v);
    }
  }
  return order;
}

// Half of the time anything, which mostly waits for itself; else a topological order in pieces, each on some device, in
// its next subgraph, which is often legal. Colours are kept half of the time.
Labels random_labels(const Problem& problem, std::mt19937& engine) {
  const Graph& graph = problem.workload->graph;
  const std::size_t devices = problem.workload->platform.device_count();
  const bool anything = engine() % 2 == 0;
  const bool keep_colours = engine() % 2 == 0;
  Labels labels{std::vector<std::size_t>(graph.nodes.size(), 0), std::vector<std::size_t>(graph.nodes.size(), 0)};
  std::map<std::size_t, std::size_t> next;  // by device
  std::size_t device = 0;
  std::size_t subgraph = 0;
  bool first = true;
  for (NodeId v : topological(graph)) {
    if (anything) {
      device = engine() % devices;
      subgraph = engine() % static_cast<std::size_t>(problem.subgraphs);
      if (engine() % 20 == 0) ++subgraph;
    } else if (first || engine() % 3 == 0) {
      device = engine() % devices;
      subgraph = next[device]++;
    }
    first = false;
    labels.device_of[v.index()] = device;
    labels.subgraph_of[v.index()] = subgraph;
  }
  for (NodeId v : graph.nodes.all()) {
    for (NodeId u : ids<NodeId>(v.index())) {
      if (keep_colours && graph.nodes[v].colour && graph.nodes[u].colour == graph.nodes[v].colour)
        labels.device_of[v.index()] = labels.device_of[u.index()];
    }
  }
  return labels;
}

Split split_of(const Labels& labels) {
  Split split;
  for (const std::size_t d : labels.device_of) split.device_of.push_back(DeviceId(d));
  for (const std::size_t s : labels.subgraph_of) split.subgraph_of.push_back(static_cast<std::uint32_t>(s));
  return split;
}

// Whatever the rule of the schedule: blocks start after what they wait for, accelerators do one thing at a time, the
// busy cores are what is said, and in strict schedules no more than there are.
Complaint broken_schedule(const Problem& problem, const Labels& labels, const CheckReport& report) {
  const Graph& graph = problem.workload->graph;
  const auto step_of = [&](NodeId v) {
    const DeviceId d(labels.device_of[v.index()]);
    return *std::find_if(report.schedule.begin(), report.schedule.end(), [&](const ScheduleStep& step) {
      if (step.device != d) return false;
      if (is_host(problem.workload, d.index())) return step.node == v;
      return step.backward == graph.nodes[v].backward && step.subgraph == labels.subgraph_of[v.index()];
    });
  };
  for (const Edge& edge : graph.edges) {
    const ScheduleStep from = step_of(edge.from);
    const ScheduleStep to = step_of(edge.to);
    const bool same = from.device == to.device && from.node == to.node && from.backward == to.backward &&
                      from.subgraph == to.subgraph;
    if (!same && to.start < from.finish) return "a block starts before its input is there";
  }
  std::size_t nodes = 0;
  std::size_t busiest = 0;
  for (const ScheduleStep& a : report.schedule) {
    nodes += a.node_count;
    std::size_t busy = 0;  // when a starts
    for (const ScheduleStep& b : report.schedule) {
      if (b.start <= a.start && b.finish > a.start && b.node.valid()) ++busy;
      if (&a == &b || a.node.valid() || a.device != b.device) continue;
      const bool apart = a.finish <= b.start || b.finish <= a.start;
      if (!apart) return "an accelerator does two things at once";
    }
    busiest = std::max(busiest, busy);
  }
  if (nodes != graph.nodes.size()) return "the schedule does not hold every node once";
  if (busiest != report.host_cores) return fmt::format("busy cores: {}, not {}", busiest, report.host_cores);
  if (problem.strict_host_cores && busiest > problem.workload->platform.device_count(DeviceKind::Host))
    return "more cores are busy than there are";
  return {};
}

Complaint compare(const Problem& problem, const Labels& labels) {
  const Evaluation expected = evaluate_by_definition(problem, labels.device_of, labels.subgraph_of);
  const CheckReport report = check(problem, split_of(labels));
  const auto differs = [&](const char* what, bool expected_ok, Violation::Kind kind) -> Complaint {
    if (expected_ok != has(report, kind)) return {};
    return fmt::format("{}: check {}, the definition {}", what, has(report, kind) ? "complains" : "is content",
                       expected_ok ? "allows it" : "does not");
  };
  if (Complaint c = differs("memory", expected.memory_ok, Violation::Kind::Memory)) return c;
  if (Complaint c = differs("support", expected.support_ok, Violation::Kind::Support)) return c;
  if (Complaint c = differs("colours", expected.colours_ok, Violation::Kind::Colour)) return c;
  if (Complaint c = differs("subgraphs", expected.subgraphs_ok, Violation::Kind::Subgraph)) return c;
  if (Complaint c = differs("shape", expected.shape_ok, Violation::Kind::Shape)) return c;
  if (report.legal() != expected.legal()) return "a violation of another kind";
  if (std::isinf(expected.value) != std::isinf(report.value)) return "only one of them waits for itself";
  if (std::isinf(expected.value)) return {};
  if (!nearly(report.value, expected.value, 1e-9)) {
    return fmt::format("value: check {}, the definition {} ({} subgraphs, {} host cores)", report.value, expected.value,
                       problem.subgraphs, problem.strict_host_cores ? "strict" : "unlimited");
  }
  return broken_schedule(problem, labels, report);
}

// The first nodes of a workload on a few of its devices, so that all splits can be tried.
Workload beginning(const Workload& workload, std::size_t nodes, int accelerators, int hosts) {
  Workload result = workload;
  result.graph = {};
  for (NodeId v : ids<NodeId>(std::min(nodes, workload.graph.nodes.size())))
    result.graph.nodes.push_back(workload.graph.nodes[v]);
  for (const Edge& edge : workload.graph.edges) {
    if (std::max(edge.from, edge.to).index() < nodes) result.graph.edges.push_back(edge);
  }
  for (DeviceClass& c : result.platform.classes)
    c.count = std::min(c.count, c.kind == DeviceKind::Host ? hosts : accelerators);
  return result;
}

// Sometimes hosts have a memory limit, the accelerators' if they have one.
Workload with_host_memory(Workload workload, unsigned number) {
  double memory = 3;
  for (DeviceClass& c : workload.platform.classes) {
    if (c.kind == DeviceKind::Accelerator && c.memory != kUnlimited) memory = c.memory;
    if (c.kind == DeviceKind::Host && number % 4 == 0) c.memory = memory;
  }
  return workload;
}

// The eight questions there are: one to four subgraphs, cores unlimited or strict. In strict schedules ties decide, so
// there times are such that sums are exact.
template <class Ask>
Complaint for_each_question(const Workload& workload, int most_subgraphs, const Ask& ask) {
  for (int subgraphs = 1; subgraphs <= most_subgraphs; ++subgraphs) {
    for (const bool strict : {false, true}) {
      Problem problem{strict ? rounded(workload) : workload, {.objective = Objective::Latency}};
      problem.subgraphs = subgraphs;
      problem.strict_host_cores = strict;
      if (Complaint complaint = ask(problem)) return complaint;
    }
  }
  return {};
}

TEST(CheckEqualsLatencyDefinition, OnRandomSplits) {
  std::map<bool, int> legal;  // by whether some accelerator runs several subgraphs
  int tried = 0;
  expect_for_all_workloads([&](const Workload& workload, unsigned number) -> Complaint {
    std::mt19937 engine(number);
    return for_each_question(with_host_memory(workload, number), 4, [&](const Problem& problem) -> Complaint {
      for (int i = 0; i < 4; ++i) {
        const Labels labels = random_labels(problem, engine);
        ++tried;
        if (Complaint complaint = compare(problem, labels)) return complaint;
        const auto later = std::max_element(labels.subgraph_of.begin(), labels.subgraph_of.end());
        if (check(problem, split_of(labels)).legal()) ++legal[later != labels.subgraph_of.end() && *later > 0];
      }
      return {};
    });
  });
  // Enough of both kinds to have been put to the test.
  EXPECT_GT(100 * legal[false], tried);
  EXPECT_GT(100 * legal[true], tried);
}

// Tiny graphs, every split: no legal one is missed, no illegal one passes, and the brute force finds the best of them.
TEST(CheckEqualsLatencyDefinition, OnEverySplitOfTinyGraphs) {
  const auto property = [](const Workload& drawn, unsigned number) -> Complaint {
    const bool two_hosts = number % 3 == 0;
    const Workload workload = with_host_memory(beginning(drawn, 4, two_hosts ? 1 : 2, two_hosts ? 2 : 1), number / 3);
    const std::size_t devices = workload.platform.device_count();
    const std::size_t nodes = workload.graph.nodes.size();
    return for_each_question(workload, 2, [&](const Problem& problem) -> Complaint {
      const std::size_t places = devices * static_cast<std::size_t>(problem.subgraphs);
      std::vector<std::size_t> place_of(nodes, 0);
      double best = std::numeric_limits<double>::infinity();
      while (true) {
        Labels labels;
        for (const std::size_t place : place_of) {
          labels.device_of.push_back(place % devices);
          labels.subgraph_of.push_back(place / devices);
        }
        if (Complaint complaint = compare(problem, labels)) return complaint;
        const CheckReport report = check(problem, split_of(labels));
        if (report.legal()) best = std::min(best, report.value);
        std::size_t v = 0;
        while (v < nodes && ++place_of[v] == places) place_of[v++] = 0;
        if (v == nodes) break;
      }
      const double found = best_latency_by_brute_force(problem);
      if (std::isinf(best) != std::isinf(found)) return "feasible for one of them only";
      if (!std::isinf(best) && !nearly(best, found, 1e-9))
        return fmt::format("the best split: {}, the brute force {}", best, found);
      return {};
    });
  };
  expect_for_all_workloads(property, 5);
}

// More subgraphs never hurt: what is legal with fewer stays legal.
TEST(LatencyBruteForce, MoreSubgraphsNeverHurt) {
  int better = 0, tried = 0;
  expect_for_all_workloads(
      [&](const Workload& workload, unsigned) -> Complaint {
        ++tried;
        Problem problem{workload, {.objective = Objective::Latency}};
        const double one = best_latency_by_brute_force(problem);
        problem.subgraphs = 2;
        const double two = best_latency_by_brute_force(problem);
        if (two > one) return fmt::format("two subgraphs {}, one {}", two, one);
        better += two < one - 1e-9;
        return {};
      },
      10);
  expect_more_than(better, tried, 40, "better");
}

}  // namespace
}  // namespace partita::detail
