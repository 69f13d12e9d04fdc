// SPDX-License-Identifier: Apache-2.0
// The steps that must stay near-linear: reading a large file, checking a split of it, and the linearised DP on a chain.
#include <benchmark/benchmark.h>

#include "partita/check/check.h"
#include "partita/partita.h"
#include "partita/read/workload.h"
#include "partita/report/workload_json.h"
#include "tests/support/transformer.h"

namespace partita::detail {
namespace {

Workload chain(std::size_t nodes) {
  Workload workload;
  workload.name = "chain";
  workload.platform = make_platform(6, kUnlimited, 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    Node node;
    node.original_id = static_cast<std::int64_t>(v);
    node.time = {1 + 0.01 * static_cast<double>(v * 37 % 101), 30};
    workload.graph.nodes.push_back(node);
    if (v > 0)
      workload.graph.edges.push_back({NodeId(v - 1), NodeId(v), 0.5 + 0.01 * static_cast<double>(v * 53 % 97)});
  }
  return workload;
}

void read_transformer(benchmark::State& state) {
  const std::string text = workload_json(transformer_of_size(static_cast<std::size_t>(state.range(0)), false));
  for (auto _ : state) benchmark::DoNotOptimize(parse_workload(text, "benchmark"));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(read_transformer)->Arg(2500)->Arg(5000)->Arg(10000)->Arg(20000)->Unit(benchmark::kMillisecond)->Complexity();

void check_transformer(benchmark::State& state) {
  const Problem problem{transformer_of_size(static_cast<std::size_t>(state.range(0)), false)};
  const std::size_t count = problem.workload->graph.nodes.size();
  Split split;
  for (std::size_t v = 0; v < count; ++v) split.device_of.push_back(DeviceId(6 * v / count));
  for (auto _ : state) benchmark::DoNotOptimize(check(problem, split));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(check_transformer)->Arg(5000)->Arg(10000)->Arg(20000)->Unit(benchmark::kMillisecond)->Complexity();

void plan_chain_linearised(benchmark::State& state) {
  const Problem problem{chain(static_cast<std::size_t>(state.range(0)))};
  PlanOptions options;
  options.algorithm = Algorithm::Linear;
  for (auto _ : state) {
    Budget budget;
    benchmark::DoNotOptimize(plan(problem, options, budget));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(plan_chain_linearised)->Arg(1250)->Arg(2500)->Arg(5000)->Unit(benchmark::kMillisecond)->Complexity();

}  // namespace
}  // namespace partita::detail
