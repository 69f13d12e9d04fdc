// SPDX-License-Identifier: Apache-2.0
#include "partita/partita.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>

#include "partita/model/contention.h"
#include "partita/model/made_sound.h"
#include "partita/model/shared_links.h"
#include "partita/model/validate.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/read_solution.h"
#include "partita/solve/mip/write_model.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"
#include "partita/util/within_limits.h"

namespace partita {

using namespace detail;

namespace {

// What the columns mean, in short. docs/algorithms/integer-programs.md lists them all.
std::string describe_program(const Problem& problem) {
  const std::string name = visible(problem.workload->name);
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

bool keeps_layers(const Graph& graph, const Split& split) {
  std::map<std::int64_t, DeviceId> device_of_layer;
  for (NodeId v : graph.nodes.all()) {
    const std::optional<std::int64_t> layer = graph.nodes[v].layer;
    if (layer && device_of_layer.emplace(*layer, split.device_of[v]).first->second != split.device_of[v]) return false;
  }
  return true;
}

// The split that was there already, where nothing better was found.
void keep_start(const Problem& problem, const PlanOptions& options, Plan& plan) {
  const Split& start = *options.start;
  const CheckReport report = check(problem, start);
  if (!report.legal()) return;
  // The bound speaks of splits that keep layers.
  const bool ends_bound = options.contract_layers && options.layer_ends != LayerEnds::Apart;
  if (ends_bound || (options.contract_layers && !keeps_layers(problem.workload->graph, start))) return;
  Result& result = plan.result;
  if (result.split && result.value <= report.value) return;
  if (result.status == Status::Infeasible)
    throw std::logic_error("there is said to be no split, and the one to start from is legal");
  result.split = start;
  result.split->order = report.order;
  result.reason.clear();
  settle_status(problem, result.bound, plan);
}

Problem formulated(const Problem& problem) {
  if (!problem.wishes.empty()) {
    throw InputError(ErrorKind::Unsupported, "Problem::wishes",
                     "integer programs are written without wishes; leave them out");
  }
  Problem sound = with_busy_times(made_sound(problem));
  if (has_shared_links(sound)) {
    throw InputError(ErrorKind::Unsupported, "platform.shared_links",
                     "the integer programs know nothing of shared links; leave them out of the platform");
  }
  return sound;
}

}  // namespace

Plan plan(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink) {
  std::optional<Problem> sound;
  if (within_limits(budget, [&] { sound = made_sound(problem); })) {
    Plan plan = answer(*sound, options, budget, sink);
    if (options.start) within_limits(budget, [&] { keep_start(*sound, options, plan); });
    return plan;
  }
  Plan plan;
  within_limits(budget, [&] { plan.result.reason = kNoMemoryForSplit; });  // as far as there is memory for words
  return plan;
}

Plan adopt(const Problem& problem, const Split& split) {
  validate(problem);
  Plan plan;
  plan.report = check(problem, split);
  if (!plan.report.legal()) {
    plan.result.reason = "the split is illegal: " + plan.report.violations[0].message;
    return plan;
  }
  const bool nothing_to_gain = plan.report.value == 0;
  plan.result.status = nothing_to_gain ? Status::Optimal : Status::Feasible;
  if (nothing_to_gain) plan.result.proof = "loads are not negative";
  plan.result.split = split;
  plan.result.value = plan.report.value;
  return plan;
}

std::string integer_program(const Problem& problem, ModelFormat format) {
  const Problem sound = formulated(problem);
  const auto formulation = formulate(sound);
  return model_text(formulation->model(), format, describe_program(sound));
}

Split read_integer_solution(const Problem& problem, std::string_view text, const std::string& where) {
  const Problem sound = formulated(problem);
  const auto formulation = formulate(sound);
  return formulation->decode(read_solution(formulation->model(), text, where));
}

}  // namespace partita
