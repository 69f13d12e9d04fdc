// SPDX-License-Identifier: Apache-2.0
#include "partita/compare/algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "partita/model/comparison.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/device_table.h"
#include "partita/solve/baseline/even_layers.h"
#include "partita/solve/baseline/expert.h"
#include "partita/solve/baseline/local_search.h"
#include "partita/solve/baseline/metis.h"
#include "partita/solve/baseline/pipedream.h"
#include "partita/solve/baseline/scotch.h"
#include "partita/solve/shared/greedy.h"
#include "partita/solve/shared/single.h"

namespace partita {

using namespace detail;

namespace {

// --- which questions -----------------------------------------------------------------------------

std::string unlimited_cores_only(const Problem& problem, const AlgorithmOptions&) {
  return problem.strict_host_cores ? "for Question::strict_host_cores = false, not for strict" : "";
}

std::string with_expert_only(const Problem&, const AlgorithmOptions& options) {
  return options.expert ? "" : "needs AlgorithmOptions::expert";
}

std::string with_scotch_only(const Problem&, const AlgorithmOptions&) {
  return scotch_available() ? "" : "this build has no Scotch";
}

std::string with_metis_only(const Problem&, const AlgorithmOptions&) {
  return metis_available() ? "" : "this build has no METIS";
}

std::string with_layers_only(const Problem& problem, const AlgorithmOptions&) {
  const auto& nodes = problem.workload->graph.nodes;
  if (std::none_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.layer.has_value(); }))
    return "the input has no layerId";
  return "";
}

// --- our solvers ---------------------------------------------------------------------------------

template <Algorithm kAlgorithm>
Result solve_as_asked(const Problem& problem, const AlgorithmOptions& options, Budget& budget, const Sink& sink) {
  const PlanOptions plan{.algorithm = kAlgorithm, .threads = options.threads, .seed = options.seed};
  return answer(problem, plan, budget, sink).result;
}

template <Shape kShape, Algorithm kAlgorithm>
Result solve_shape(const Problem& problem, const AlgorithmOptions& options, Budget& budget, const Sink& sink) {
  Problem shaped = problem;
  shaped.shape = kShape;
  return solve_as_asked<kAlgorithm>(shaped, options, budget, sink);
}

// What is best for throughput, and then runs one sample at a time. Its bound is of another objective; what is left of
// it is whether there is a better one, or others as good.
Result run_max_load_for_latency(const Problem& problem, const AlgorithmOptions& options, Budget& budget, const Sink&) {
  Problem throughput = problem;
  throughput.objective = Objective::MaxLoad;
  throughput.transfers = TransferMode::Sum;
  const Result best = solve_shape<Shape::Staged, Algorithm::Exact>(throughput, options, budget, {});
  Result result;
  result.split = best.split;
  result.reason = best.reason;
  result.proof = best.status == Status::Optimal
                     ? "one of the splits that are best for throughput; their latencies differ"
                     : "not proved to be best for throughput within the limit";
  return result;
}

// The best staged split that keeps layers together. Its bound is of such splits alone, and left aside.
Result run_dp_layers(const Problem& problem, const AlgorithmOptions& options, Budget& budget, const Sink& sink) {
  Problem staged = problem;
  staged.shape = Shape::Staged;
  const PlanOptions plan{.algorithm = Algorithm::Exact, .contract_layers = true, .seed = options.seed};
  Result result = answer(staged, plan, budget, sink).result;
  result.proof = result.status == Status::Optimal ? "best of the staged splits that keep layers together" : "";
  return result;
}

// --- baselines -----------------------------------------------------------------------------------

Result of_split(std::optional<Split> split, const char* otherwise) {
  Result result;
  if (!split) result.reason = otherwise;
  result.split = std::move(split);
  return result;
}

constexpr const char* kNoPartition = "some node runs on no device that there is, or the partitioner failed";

Result run_greedy(const Problem& problem, const AlgorithmOptions&, Budget&, const Sink&) {
  return of_split(greedy_split(problem), "some node fits on no device that is left");
}

Result run_single(const Problem& problem, const AlgorithmOptions&, Budget&, const Sink&) {
  return of_split(single_split(problem), "some node can run neither on an accelerator nor on a host");
}

Result run_even_layers(const Problem& problem, const AlgorithmOptions&, Budget&, const Sink&) {
  return of_split(even_layers_split(problem), "some node can run neither on its accelerator nor on a host");
}

Result run_local_search(const Problem& problem, const AlgorithmOptions& options, Budget& budget, const Sink&) {
  return of_split(local_search_split(problem, {.seed = options.seed}, budget), "some node can run nowhere");
}

Result run_pipedream(const Problem& problem, const AlgorithmOptions&, Budget& budget, const Sink&) {
  std::optional<Split> split = pipedream_split(problem, budget);
  return of_split(std::move(split),
                  budget.exhausted() ? "no stages found within the limit" : "no stages of the path fit the devices");
}

Result run_expert(const Problem& problem, const AlgorithmOptions& options, Budget&, const Sink&) {
  return of_split(expert_split(problem, *options.expert),
                  "the file is not a split of this workload and its devices; partita check says more");
}

// Neither Scotch nor METIS can be stopped, so they are started only where they should be done in time. They took a
// quarter of this at most: 0.97 s of 4.1 for Scotch on a random graph of 100,000 nodes and 64 parts.
constexpr double kPartitionerSeconds = 2e-6;  // for each node and edge, and each halving of the devices

bool time_for_partitioner(const Problem& problem, const Budget& budget) {
  const Graph& graph = problem.workload->graph;
  const auto parts = static_cast<double>(std::min(problem.workload->platform.device_count(), graph.nodes.size()));
  const auto size = static_cast<double>(graph.nodes.size() + graph.edges.size());
  return kPartitionerSeconds * size * (1 + std::log2(std::max(parts, 1.0))) <= budget.seconds_left();
}

constexpr const char* kNoTimeForPartitioner = "the partitioner cannot be stopped, and may need more time than there is";

Result run_scotch(const Problem& problem, const AlgorithmOptions& options, Budget& budget, const Sink&) {
  if (!time_for_partitioner(problem, budget)) return of_split(std::nullopt, kNoTimeForPartitioner);
  return of_split(scotch_split(problem, options.seed), kNoPartition);
}

Result run_metis(const Problem& problem, const AlgorithmOptions& options, Budget& budget, const Sink&) {
  if (!time_for_partitioner(problem, budget)) return of_split(std::nullopt, kNoTimeForPartitioner);
  return of_split(metis_split(problem, options.seed), kNoPartition);
}

// --- the table -----------------------------------------------------------------------------------

using For = AlgorithmEntry::For;

AlgorithmEntry solver(const char* name, const char* summary, For objectives, std::optional<Shape> shape,
                      decltype(AlgorithmEntry::refusal) refusal, decltype(AlgorithmEntry::run) run) {
  return {name, summary, false, objectives, shape, refusal, run};
}

AlgorithmEntry baseline(const char* name, const char* summary, For objectives,
                        decltype(AlgorithmEntry::refusal) refusal, decltype(AlgorithmEntry::run) run) {
  return {name, summary, true, objectives, std::nullopt, refusal, run};
}

const std::array kAlgorithms{
    solver("auto", "what `plan` does: the best portfolio for the question", For::Everything, std::nullopt, nullptr,
           solve_as_asked<Algorithm::Auto>),
    solver("dp", "staged splits by the exact dynamic program over ideals", For::Throughput, Shape::Staged, nullptr,
           solve_shape<Shape::Staged, Algorithm::Exact>),
    solver("dpl", "staged splits by the linearised dynamic program", For::Throughput, Shape::Staged, nullptr,
           solve_shape<Shape::Staged, Algorithm::Linear>),
    solver("contiguous", "contiguous splits by search and the bounds of free ones", For::Throughput, Shape::Contiguous,
           nullptr, solve_shape<Shape::Contiguous, Algorithm::Auto>),
    solver("free", "any splits by search and the configuration LP", For::Throughput, Shape::Free, nullptr,
           solve_shape<Shape::Free, Algorithm::Auto>),
    solver("ip-staged", "staged splits by the integer program", For::Throughput, Shape::Staged, nullptr,
           solve_shape<Shape::Staged, Algorithm::Ip>),
    solver("ip-contiguous", "contiguous splits by the integer program", For::Throughput, Shape::Contiguous, nullptr,
           solve_shape<Shape::Contiguous, Algorithm::Ip>),
    solver("ip-free", "any splits by the integer program", For::Throughput, Shape::Free, nullptr,
           solve_shape<Shape::Free, Algorithm::Ip>),
    solver("latency", "one sample's time by search, and bounds along spines and by labels", For::Latency, std::nullopt,
           nullptr, solve_as_asked<Algorithm::Auto>),
    solver("ip-latency", "one sample's time by the integer program", For::Latency, std::nullopt, unlimited_cores_only,
           solve_as_asked<Algorithm::Ip>),
    baseline("max-load-for-latency", "the staged split that is best for throughput, one sample at a time", For::Latency,
             nullptr, run_max_load_for_latency),
    baseline("dp-layers", "the dynamic program over layers: nodes of one layerId share a device", For::Throughput,
             with_layers_only, run_dp_layers),
    baseline("greedy", "accelerators filled up to their memory, one after the other", For::Everything, nullptr,
             run_greedy),
    baseline("single", "everything on one accelerator, whatever its memory", For::Everything, nullptr, run_single),
    baseline("even-layers", "as many layers on every accelerator, in the file's order", For::Everything, nullptr,
             run_even_layers),
    baseline("expert", "the split of AlgorithmOptions::expert, extended to the backward pass", For::Everything,
             with_expert_only, run_expert),
    baseline("local-search", "the best single reassignment, again and again, from ten random splits", For::Throughput,
             nullptr, run_local_search),
    baseline("pipedream", "branchings contracted, then the linearised dynamic program", For::Throughput, nullptr,
             run_pipedream),
    baseline("scotch", "Scotch: balanced compute, little traffic", For::Everything, with_scotch_only, run_scotch),
    baseline("metis", "METIS: balanced compute, least sum of edges cut", For::Everything, with_metis_only, run_metis),
};

}  // namespace

std::span<const AlgorithmEntry> algorithms() { return kAlgorithms; }

const AlgorithmEntry* find_algorithm(std::string_view name) {
  const auto entry = std::ranges::find(kAlgorithms, name, &AlgorithmEntry::name);
  return entry == kAlgorithms.end() ? nullptr : &*entry;
}

bool serves(const AlgorithmEntry& algorithm, const Problem& problem) {
  const For objective = problem.objective == Objective::Latency ? For::Latency : For::Throughput;
  return algorithm.objectives == For::Everything || algorithm.objectives == objective;
}

std::string refusal(const AlgorithmEntry& algorithm, const Problem& problem, const AlgorithmOptions& options) {
  if (!serves(algorithm, problem)) return fmt::format("not for Question::objective = {}", to_string(problem.objective));
  return algorithm.refusal ? algorithm.refusal(problem, options) : "";
}

std::string left_out(const AlgorithmEntry& algorithm, const Problem& problem, const AlgorithmOptions& options) {
  const std::string refused = refusal(algorithm, problem, options);
  if (!refused.empty()) return refused;
  const bool throughput = problem.objective != Objective::Latency;
  if (throughput && algorithm.shape && !implies(*algorithm.shape, problem.shape))
    return fmt::format("for Question::shape = {}", *algorithm.shape == Shape::Free ? "free" : "contiguous or free");
  if (algorithm.name != "auto") return "";
  if (!throughput) return "the same as latency";
  if (problem.shape != Shape::Staged) return fmt::format("the same as {}", to_string(problem.shape));
  // Only `auto` asks the integer program for help, with gpipe beyond the plain platform.
  const bool asks_program = problem.objective == Objective::GPipe && problem.workload->graph.has_backward() &&
                            (problem.transfers != TransferMode::Sum || !is_plain(problem.workload->platform));
  return asks_program ? "" : "the same as dp";
}

}  // namespace partita
