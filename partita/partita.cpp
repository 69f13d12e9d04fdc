// SPDX-License-Identifier: Apache-2.0
#include "partita/partita.h"

#include <fmt/format.h>

#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/layers.h"
#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/latency_program.h"
#include "partita/solve/mip/read_solution.h"
#include "partita/util/error.h"

namespace partita {
namespace {

// Each shape has its own portfolio for max-load, and gpipe has one for all of them; all else of throughput is left to
// the integer programs.
bool needs_ip(const Problem& problem) { return problem.transfers != TransferMode::Sum; }

void require_supported(const Problem& problem, Algorithm algorithm) {
  if (problem.objective == Objective::Latency) {
    if (algorithm == Algorithm::Auto) return;
    if (algorithm == Algorithm::Ip) return refuse_strict_host_cores(problem);
    throw InputError(ErrorKind::Unsupported, "--algorithm",
                     "the dynamic programs are for throughput, not for --objective latency; leave --algorithm out, or "
                     "use --algorithm ip");
  }
  const bool staged_only = algorithm == Algorithm::Exact || algorithm == Algorithm::Linear;
  if (staged_only && (needs_ip(problem) || problem.shape != Shape::Staged)) {
    throw InputError(
        ErrorKind::Unsupported, "--algorithm",
        fmt::format(
            "the dynamic programs find staged splits with --transfers sum, not {} splits with --transfers {}; leave "
            "--algorithm out, or use --algorithm ip",
            to_string(problem.shape), to_string(problem.transfers)));
  }
}

// What the columns mean, in short. docs/algorithms/integer-programs.md lists them all.
std::string describe_program(const Problem& problem) {
  const std::string& name = problem.workload.name;
  if (problem.objective == Objective::Latency) {
    return fmt::format(
        "{}: latency, at most {} subgraph{} in each pass of an accelerator\n"
        "x_V_D = 1: group V is on device D; devices a0 a1 ... and h0, the hosts\n"
        "y_N_S = 1: node N is on seat S; f0 f1 ... (forward), b0 b1 ... (backward) run in this order; owner_S_D = 1: "
        "on "
        "D\n",
        name, problem.subgraphs, problem.subgraphs == 1 ? "" : "s");
  }
  const char* columns =
      problem.shape == Shape::Staged
          ? "y_V_S = 1: group V is on seat S or before it; seats a0 a1 ... and, before aN, hN_0 hN_1 ...\n"
          : "x_V_D = 1: group V is on device D; devices a0 a1 ... h0 h1 ...\n";
  return fmt::format("{}: {} split, {}, transfers {}{}\n{}", name, to_string(problem.shape),
                     to_string(problem.objective), to_string(problem.transfers),
                     problem.backward_shape ? ", backward shape" : "", columns);
}

// The coarser problem's plan as a plan of the problem itself: the split keeps its value, and `check` says so again.
Plan plan_layers(const Problem& problem, PlanOptions options, Budget& budget, const Sink& sink) {
  const LayeredProblem layered = keep_layers_together(problem);
  if (sink) {
    sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, problem.workload.graph.nodes.size(),
          layered.step});
  }
  options.contract_layers = false;
  Plan plan = partita::plan(layered.problem, options, budget, sink);
  plan.certificate.reset();  // it speaks of the coarser problem, which no file holds
  Result& result = plan.result;
  if (!result.proof.empty()) result.proof = "with layers kept together: " + result.proof;
  if (!result.reason.empty()) result.reason = "with layers kept together: " + result.reason;
  if (!result.split) return plan;
  result.split = lift_layers(problem, *result.split);
  settle_status(problem, result.value, result.bound, plan);
  return plan;
}

}  // namespace

Plan plan(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink) {
  require_supported(problem, options.algorithm);
  if (options.contract_layers) return plan_layers(problem, options, budget, sink);
  if (problem.objective == Objective::GPipe && !problem.workload.graph.has_backward()) {
    // Without a backward pass, the largest forward load is all there is.
    Problem same = problem;
    same.objective = Objective::MaxLoad;
    return partita::plan(same, options, budget, sink);
  }
  Plan plan;
  Result& result = plan.result;
  result.seed = options.seed;

  if (options.algorithm == Algorithm::Ip) {
    plan_ip(problem, options, budget, sink, plan);
  } else if (problem.objective == Objective::Latency) {
    plan_latency(problem, options, budget, sink, plan);
  } else if (needs_ip(problem)) {
    plan_ip(problem, options, budget, sink, plan);
  } else if (problem.objective == Objective::GPipe) {
    plan_gpipe(problem, options, budget, sink, plan);
  } else if (problem.shape == Shape::Staged) {
    plan_staged(problem, options, budget, sink, plan);
  } else if (problem.shape == Shape::Contiguous) {
    plan_contiguous(problem, options, budget, sink, plan);
  } else {
    plan_free(problem, options, budget, sink, plan);
  }
  result.seconds = budget.seconds_used();
  if (sink) sink({Progress::Event::Done, result.seconds, result.value, result.bound, 0, result.proof});
  return plan;
}

Plan adopt(const Problem& problem, const Split& split) {
  Plan plan;
  plan.report = check(problem, split);
  plan.result.proof = "loads are not negative";
  if (!plan.report.legal()) {
    plan.result.reason = "the split is illegal: " + plan.report.violations[0].message;
    return plan;
  }
  plan.result.status = plan.report.value == 0 ? Status::Optimal : Status::Feasible;
  plan.result.split = split;
  plan.result.value = plan.report.value;
  return plan;
}

std::string integer_program(const Problem& problem, ModelFormat format) {
  const auto formulation = formulate(problem);
  return model_text(formulation->model(), format, describe_program(problem));
}

Split read_integer_solution(const Problem& problem, std::string_view text, const std::string& where) {
  const auto formulation = formulate(problem);
  return formulation->decode(read_solution(formulation->model(), text, where));
}

}  // namespace partita
