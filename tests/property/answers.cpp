// SPDX-License-Identifier: Apache-2.0
#include "tests/property/answers.h"

#include <vector>

#include "tests/support/brute_force.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"

namespace partita::detail {

Complaint dishonest(const Problem& problem, const Plan& answer, std::optional<double> optimum) {
  const Result& result = answer.result;
  const auto text = [&](const char* what) {
    return fmt::format("{}: status {}, value {}, bound {}, optimum {}", what, to_string(result.status), result.value,
                       result.bound, optimum ? fmt::format("{}", *optimum) : "none");
  };
  if (result.status == Status::Infeasible && optimum) return text("infeasible, but there is a split");
  if (optimum && result.bound > *optimum * (1 + 1e-9) + 1e-12) return text("the bound is above the optimum");
  const bool claims_split = result.status == Status::Optimal || result.status == Status::Feasible;
  if (claims_split != result.split.has_value()) return text("status and split disagree");
  if (!result.split) return {};
  if (!optimum) return text("a split, but none is legal");
  std::vector<std::size_t> device_of;
  for (DeviceId d : result.split->device_of) {
    if (!d.valid() || d.index() >= problem.workload->platform.device_count()) return text("a node on no device");
    device_of.push_back(d.index());
  }
  if (device_of.size() != problem.workload->graph.nodes.size()) return text("a split of another graph");
  const auto& subgraphs = result.split->subgraph_of;
  const Evaluation evaluation = evaluate_by_definition(problem, device_of, {subgraphs.begin(), subgraphs.end()});
  if (!evaluation.legal()) return text("the split is not legal");
  if (!nearly(evaluation.value, result.value, 1e-9))
    return text(fmt::format("the split costs {}", evaluation.value).c_str());
  if (!answer.report.legal()) return text("check does not accept the split");
  if (!nearly(answer.report.value, result.value, 1e-9)) return text("check has another value");
  if (result.bound > result.value * (1 + 1e-9) + 1e-12) return text("the bound is above the value");
  if (result.status == Status::Optimal && !nearly(result.value, *optimum)) return text("not optimal");
  return {};
}

Complaint wrong(const Problem& problem, const Plan& answer, std::optional<double> optimum) {
  const Complaint complaint = dishonest(problem, answer, optimum);
  return complaint ? complaint : other_status(answer, optimum);
}

Complaint dishonest_setup(const Problem& problem, const Plan& answer, std::optional<double> optimum) {
  const Result& result = answer.result;
  const auto text = [&](const std::string& what) {
    return fmt::format("{}: status {}, value {}, bound {}, optimum {}\n{}", what, to_string(result.status),
                       result.value, result.bound, optimum ? fmt::format("{}", *optimum) : "none", describe(problem));
  };
  if (result.status == Status::Infeasible && optimum) return text("infeasible, but there is a split");
  if (optimum && result.bound > *optimum * (1 + 1e-9) + 1e-12) return text("the bound is above the optimum");
  if (!result.split) return {};
  const PipelineEvaluation evaluation = evaluate_pipeline(problem, *result.split);
  if (!evaluation.legal()) return text("the split is not legal");
  if (!nearly(evaluation.value, result.value, 1e-9)) return text(fmt::format("the split costs {}", evaluation.value));
  if (!answer.report.legal()) return text("check does not accept the split");
  if (result.status == Status::Optimal && !nearly(result.value, *optimum)) return text("not optimal");
  return {};
}

Complaint wrong_setup(const Problem& problem, const Plan& answer, std::optional<double> optimum) {
  if (Complaint complaint = dishonest_setup(problem, answer, optimum)) return complaint;
  const Complaint complaint = other_status(answer, optimum);
  return complaint ? Complaint(*complaint + "\n" + describe(problem)) : Complaint();
}

}  // namespace partita::detail
