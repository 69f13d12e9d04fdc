// SPDX-License-Identifier: Apache-2.0
// Chains of stages, for which there are closed formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/schedule/run_checker.h"
#include "tests/schedule/timeline.h"
#include "tests/support/cases.h"

namespace partita::test {
namespace {

// Stage i is a forward node and, in training, its backward twin; each moves its output to the next. Shared stages come
// last in the platform: the copies of stage i.
struct Chain {
  Problem problem;
  Split split;
  std::vector<double> forward, backward;  // loads of the stages, for a sample that the device takes
  std::vector<std::size_t> sharing;

  Chain(std::uint64_t seed, std::size_t stages, bool training, TransferMode mode, std::size_t most_sharing = 1) {
    std::mt19937 engine(static_cast<unsigned>(seed));
    const auto below = [&](unsigned n) { return static_cast<std::size_t>(engine() % n); };
    Graph& graph = problem.workload.graph;
    problem.transfers = mode;
    problem.backward_shape = true;
    problem.replicas = static_cast<int>(most_sharing);
    std::size_t devices = 0;
    for (std::size_t i = 0; i < stages; ++i) {
      sharing.push_back(1 + below(static_cast<unsigned>(most_sharing)));
      devices += sharing.back();
    }
    problem.workload.platform = make_platform(static_cast<int>(devices), kUnlimited, 0);
    problem.workload.platform.sync_bandwidth = 4;
    const auto add = [&](std::size_t stage, bool back) {
      Node node;
      node.original_id = static_cast<std::int64_t>(graph.nodes.size());
      node.time = {0.1 * static_cast<double>(1 + below(60)), kCannotRun};
      node.time.resize(problem.workload.platform.classes.size());
      node.parts.weights = static_cast<double>(below(4));
      node.parts.activation = 1;
      node.backward = back;
      if (training) node.colour = static_cast<std::int64_t>(stage);
      const NodeId v = graph.nodes.push_back(node);
      split.device_of.push_back(DeviceId(stage));
      if (v.index() > 0) graph.edges.push_back({NodeId(v.index() - 1), v, 0.1 * static_cast<double>(below(12))});
    };
    for (std::size_t i = 0; i < stages; ++i) add(i, false);
    for (std::size_t i = stages; training && i-- > 0;) add(i, true);
    for (std::size_t i = 0; i < stages; ++i) {
      split.order.push_back(DeviceId(i));
      split.copy_of.push_back(DeviceId(i));
    }
    for (std::size_t i = 0; i < stages; ++i) {
      for (std::size_t copy = 1; copy < sharing[i]; ++copy) split.copy_of.push_back(DeviceId(i));
    }
    const CheckReport report = check(problem, split);
    EXPECT_TRUE(report.legal()) << (report.legal() ? "" : report.violations.front().message);
    for (std::size_t i = 0; i < stages; ++i) {
      forward.push_back(pass_load(report.devices[DeviceId(i)].forward, mode));
      backward.push_back(pass_load(report.devices[DeviceId(i)].backward, mode));
    }
  }
};

TEST(Experiment, Copies) {
  int over = 0, all = 0, div_over = 0, div_all = 0;
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    const Chain chain(seed, 2 + seed % 6, true, TransferMode::Sum, 1 + seed % 4);
    const Simulation run = simulate(chain.problem, chain.split, run_as(ScheduleKind::OneF1B, 400));
    bool divides = true;
    std::size_t d = 0;
    for (std::size_t i = chain.sharing.size(); i-- > 0;) {
      d += chain.sharing[i];
      divides &= d % chain.sharing[i] == 0;
    }
    ++all;
    div_all += divides;
    bool o = run.time_per_sample > *run.formula * (1 + 1e-9);
    over += o;
    div_over += o && divides;
    if (!run.steady) printf("not steady %d\n", int(seed));
    if (o && over < 10) printf("%d div=%d: %s\n", int(seed), divides, run.remark.c_str());
  }
  printf("over %d of %d; dividing over %d of %d\n", over, all, div_over, div_all);
}
TEST(Experiment, Overlap) {
  for (auto mode : {TransferMode::Overlap, TransferMode::Duplex}) {
    int over = 0, under = 0, all = 0;
    double worst = 0;
    for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
      const Chain chain(seed, 2 + seed % 6, true, mode);
      const Simulation run = simulate(chain.problem, chain.split, run_as(ScheduleKind::OneF1B, 400));
      ++all;
      bool o = run.time_per_sample > *run.formula * (1 + 1e-9);
      over += o;
      under += run.time_per_sample < *run.formula * (1 - 1e-9);
      worst = std::max(worst, run.time_per_sample / *run.formula);
      if (!run.steady) printf("not steady %d\n", int(seed));
      if (o && over < 4) printf("%d : %s\n", int(seed), run.remark.c_str());
    }
    printf("over %d under %d of %d; worst %g\n", over, under, all, worst);
  }
}

}  // namespace
}  // namespace partita::test
