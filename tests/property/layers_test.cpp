// SPDX-License-Identifier: Apache-2.0
// Layers kept together, on random workloads with random layers: the plan is the best of the splits that keep them
// together, by definition; layers of one node each change nothing.
#include "partita/reduce/layers.h"

#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "partita/partita.h"
#include "tests/property/property.h"
#include "tests/support/brute_force.h"

namespace partita::detail {
namespace {

Plan plan_layers(const Problem& problem) {
  PlanOptions options;
  options.contract_layers = true;
  Budget budget;
  return plan(problem, options, budget);
}

// Layers from the digits of `number`, a third of the nodes in none.
Workload with_layers(Workload workload, unsigned number, unsigned layers) {
  unsigned state = number * 2654435761U + 12345U;
  for (Node& node : workload.graph.nodes) {
    state = state * 1664525U + 1013904223U;
    if ((state >> 10) % 3 != 0) node.layer = (state >> 20) % layers;
  }
  return workload;
}

// Staged splits and latency: contiguous and free ones can take seconds each, and layers reach them in the same way.
Problem problem_of(const Workload& workload, unsigned number) {
  Problem problem{workload};
  switch (number % 8) {
    case 0: problem.objective = Objective::GPipe; break;
    case 1:
    case 2: problem.objective = Objective::Latency; break;
    case 4: problem.backward_shape = true; break;
    default: break;
  }
  return problem;
}

// All splits of the problem itself in which the nodes of each layer share a device; of the unused devices of a class,
// only the first is tried.
class BestTogether {
 public:
  explicit BestTogether(const Problem& problem) : problem_(problem), device_of_(problem.workload->graph.nodes.size()) {
    const auto layers = find_layers(problem.workload->graph);
    std::map<std::int64_t, std::size_t> unit_of_layer;
    for (NodeId v : layers.all()) {
      std::size_t unit = units_.size();
      if (layers[v]) unit = unit_of_layer.try_emplace(*layers[v], unit).first->second;
      if (unit == units_.size()) units_.emplace_back();
      units_[unit].push_back(v.index());
    }
    used_.assign(problem.workload->platform.device_count(), 0);
    place(0);
  }

  std::optional<double> value() const { return best_ == kNone ? std::nullopt : std::optional(best_); }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  void place(std::size_t unit) {
    if (unit == units_.size()) {
      const Evaluation evaluation = evaluate_by_definition(problem_, device_of_);
      if (evaluation.legal()) best_ = std::min(best_, evaluation.value);
      return;
    }
    ClassId fresh;
    for (std::size_t d = 0; d < used_.size(); ++d) {
      const ClassId c = problem_.workload->platform.class_of(DeviceId(d));
      if (used_[d] == 0) {
        if (fresh == c) continue;
        fresh = c;
      }
      for (std::size_t v : units_[unit]) device_of_[v] = d;
      ++used_[d];
      place(unit + 1);
      --used_[d];
    }
  }

  const Problem& problem_;
  std::vector<std::vector<std::size_t>> units_;
  std::vector<std::size_t> device_of_;
  std::vector<int> used_;
  double best_ = kNone;
};

TEST(Layers, GiveTheBestOfTheSplitsThatKeepThemTogether) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) -> Complaint {
    const Problem problem = problem_of(with_layers(workload, number, 1 + number % 4), number);
    const Plan answer = plan_layers(problem);
    const auto best = BestTogether(problem).value();
    const Status expected = best ? Status::Optimal : Status::Infeasible;
    if (answer.result.status != expected) {
      return fmt::format("status {} instead of {}: {} {}", to_string(answer.result.status), to_string(expected),
                         answer.result.value, best.value_or(-1));
    }
    if (!best) return {};
    if (!nearly(answer.result.value, *best)) return fmt::format("{} instead of {}", answer.result.value, *best);
    const CheckReport report = check(problem, *answer.result.split);
    if (!report.legal()) return "illegal: " + report.violations[0].message;
    if (report.value != answer.result.value) return "check has another value";
    const auto layers = find_layers(problem.workload->graph);
    std::map<std::int64_t, DeviceId> device;
    for (NodeId v : layers.all()) {
      const DeviceId here = answer.result.split->device_of[v];
      if (layers[v] && device.try_emplace(*layers[v], here).first->second != here) return "a layer is divided";
    }
    return {};
  });
}

TEST(Layers, OfOneNodeEachChangeNothing) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) -> Complaint {
    Problem problem = problem_of(workload, number);
    std::int64_t next = number;
    for (Node& node : problem.workload.change().graph.nodes) node.layer = next++;
    Budget budget;
    const Plan plain = plan(problem, {}, budget), layered = plan_layers(problem);
    if (plain.result.status != layered.result.status) return "another status";
    if (plain.result.split && plain.result.value != layered.result.value) return "another value";
    return {};
  });
}

// The rules about tied weights speak of colour classes: without colours, layers are what the file says.
TEST(Layers, WithoutColoursAreThoseOfTheFile) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) -> Complaint {
    Workload plain = with_layers(workload, number, 1 + number % 4);
    for (Node& node : plain.graph.nodes) node.colour.reset();
    const auto layers = find_layers(plain.graph);
    for (NodeId v : layers.all()) {
      if (layers[v] != plain.graph.nodes[v].layer) return "another layer";
    }
    return {};
  });
}

}  // namespace
}  // namespace partita::detail
