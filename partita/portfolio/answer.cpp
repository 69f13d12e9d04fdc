// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "partita/check/certificate.h"
#include "partita/model/contention.h"
#include "partita/model/shared_links.h"
#include "partita/portfolio/first_answer.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/safe_range.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/shared_links.h"
#include "partita/portfolio/staged_certificate.h"
#include "partita/portfolio/wishes.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/joined_classes.h"
#include "partita/reduce/layers.h"
#include "partita/reduce/usable_devices.h"
#include "partita/solve/mip/choose_backend.h"
#include "partita/solve/mip/latency_program.h"
#include "partita/util/error.h"
#include "partita/util/parallel.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

// Whether a stage can run in more ways than on one accelerator or one host, at the plain sum of what it does.
bool needs_setups(const Problem& problem) {
  const Platform& platform = problem.workload->platform;
  return !is_plain(platform) || platform.clusters || problem.transfers != TransferMode::Sum || problem.replicas > 1 ||
         problem.memory_model != MemoryModel::Flat;
}

// What only staged splits have.
void refuse_stages(const Problem& problem) {
  if (problem.objective == Objective::Latency || problem.shape == Shape::Staged) return;
  const auto refuse = [&](const char* option, const char* what) {
    throw InputError(ErrorKind::Unsupported, option,
                     fmt::format("{} splits are found without {}; Question::shape = staged can do it",
                                 to_string(problem.shape), what));
  };
  if (problem.workload->platform.clusters) refuse("platform", "clusters of devices");
  if (problem.replicas > 1) refuse("Question::replicas", "copies of stages");
  if (problem.memory_model != MemoryModel::Flat)
    refuse("Question::memory_model", "samples in flight, which need an order of stages");
}

void require_supported(const Problem& problem, const PlanOptions& options) {
  require_backend(options.settings.mip);  // complains now, not when its turn comes
  const Algorithm algorithm = options.algorithm;
  if (problem.objective == Objective::Latency) {
    if (algorithm == Algorithm::Auto) return;
    if (algorithm == Algorithm::Ip) return refuse_strict_host_cores(problem);
    throw InputError(ErrorKind::Unsupported, "PlanOptions::algorithm",
                     "the dynamic programs are for throughput, not for Question::objective = latency; leave "
                     "PlanOptions::algorithm out, or use PlanOptions::algorithm = ip");
  }
  const bool staged_only = algorithm == Algorithm::Exact || algorithm == Algorithm::Linear;
  if (staged_only && problem.shape != Shape::Staged) {
    throw InputError(
        ErrorKind::Unsupported, "PlanOptions::algorithm",
        fmt::format("the dynamic programs find staged splits, not {} splits; leave PlanOptions::algorithm out, or "
                    "use PlanOptions::algorithm = ip",
                    to_string(problem.shape)));
  }
}

Plan answer(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, bool simple);

// The coarser problem's plan as a plan of the problem itself: the split keeps its value, and `check` says so again.
Plan plan_layers(const Problem& problem, PlanOptions options, Budget& budget, const Sink& sink, bool simple) {
  const LayeredProblem layered = keep_layers_together(problem, options.layer_ends);
  if (sink) {
    sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, problem.workload->graph.nodes.size(),
          layered.step});
  }
  options.contract_layers = options.certificate = false;
  Plan plan = answer(layered.problem, options, budget, sink, simple);
  plan.certificate.reset();  // it speaks of the coarser problem, which no file holds
  Result& result = plan.result;
  if (!result.proof.empty()) result.proof = "with layers kept together: " + result.proof;
  if (!result.reason.empty()) result.reason = "with layers kept together: " + result.reason;
  if (!result.split) return plan;
  result.split = lift_joined(problem, *result.split);
  settle_status(problem, result.value, result.bound, plan);
  return plan;
}

// What is found without the devices that nobody needs, in the numbers of the whole platform.
Plan plan_on_usable(const Problem& problem, const UsableDevices& usable, const PlanOptions& options, Budget& budget,
                    const Sink& sink, bool simple) {
  Problem smaller = problem;
  smaller.workload.change().platform = usable.platform;
  Plan plan = answer(smaller, options, budget, sink, simple);
  Result& result = plan.result;
  if (plan.certificate && !verify(problem, *plan.certificate, &budget).holds) {
    if (const std::string words = words_for(*plan.certificate, result); result.proof.ends_with(words))
      result.proof.resize(result.proof.size() - words.size());
    plan.certificate.reset();
  }
  if (!result.split) return plan;
  result.split = lift_devices(usable, problem.workload->platform.device_count(), *result.split);
  settle_status(problem, result.value, result.bound, plan);
  return plan;
}

// From so many nodes on, solvers may need a second before they have their first split.
constexpr std::size_t kLargeGraph = 20'000;

void ask_portfolio(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  if (problem.objective == Objective::GPipe && !problem.workload->graph.has_backward()) {
    // Without a backward pass, the largest forward load is all there is.
    Problem same = problem;
    same.objective = Objective::MaxLoad;
    ask_portfolio(same, options, budget, sink, plan);
  } else if (options.algorithm == Algorithm::Ip) {
    plan_ip(problem, options, budget, sink, plan);
  } else if (problem.objective == Objective::Latency) {
    plan_latency(problem, options, budget, sink, plan);
  } else if (problem.objective == Objective::GPipe && problem.shape == Shape::Staged && !needs_setups(problem)) {
    plan_staged_gpipe(problem, options, budget, sink, plan);
  } else if (problem.objective == Objective::GPipe) {
    plan_gpipe(problem, options, budget, sink, plan);
  } else if (problem.shape != Shape::Staged) {
    plan_free(problem, options, budget, sink, plan);
  } else if (needs_setups(problem)) {
    plan_setups(problem, options, budget, sink, plan);
  } else {
    plan_staged(problem, options, budget, sink, plan);
  }
}

// A limit of time or memory that came before the solvers were done leaves the split that they had by then, measured
// anew, or else the simple split; and the simple bound where there is no better one.
void fall_back(const Problem& problem, std::optional<Split> first, Plan& plan) {
  Result& result = plan.result;
  if (result.status == Status::Infeasible || result.status == Status::Optimal) return;
  if (result.status == Status::Feasible && result.bound > 0) return;
  if (!(result.bound > 0)) {
    result.bound = first_bound(problem);
    result.proof = problem.objective == Objective::Latency ? "the longest path of least node times"
                                                           : "some device carries at least the average";
    result.unverified = false;
    plan.certificate.reset();
  }
  if (!result.split) result.split = first ? std::move(first) : first_split(problem);
  if (!result.split) return;
  result.reason.clear();
  settle_status(problem, result.bound, plan);
}

// `simple`: with the simple answers, where a limit leaves no others.
Plan answer(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, bool simple) {
  require_supported(problem, options);
  refuse_stages(problem);
  Plan plan;
  Result& result = plan.result;
  result.seed = options.seed;
  std::optional<Split> first;
  bool another = true;  // the answer is that of another form of the problem, which has been told to the sink
  const bool whole = within_limits(budget, [&] {
    if (has_shared_links(problem) && !options.contract_layers) {
      another = false;
      const AskPlain ask = [&](const Problem& plain, Budget& part, const Sink& news) {
        return answer(plain, options, part, news, simple);
      };
      plan_shared_links(problem, options, ask, budget, sink, plan);
    } else if (has_shared_links(problem)) {
      plan = plan_layers(problem, options, budget, sink, simple);
    } else if (const int exponent = exponent_to_safe_range(problem); exponent != 0) {
      plan = answer(with_times_scaled(problem, exponent), options, budget, scaled_back(sink, exponent), simple);
      scale_back(problem, exponent, plan);
    } else if (const std::optional<UsableDevices> usable = leave_out_idle(problem)) {
      plan = plan_on_usable(problem, *usable, options, budget, sink, simple);
    } else if (options.contract_layers) {
      plan = plan_layers(problem, options, budget, sink, simple);
    } else {
      another = false;
      if (simple && problem.workload->graph.nodes.size() >= kLargeGraph) first = first_split(problem);
      ask_portfolio(problem, options, budget, sink, plan);
    }
  });
  if (another && whole) return plan;
  const bool settled = within_limits(budget, [&] {
    if (!whole && result.reason.empty()) result.reason = kNoSplitYet;
    if (simple) fall_back(problem, std::move(first), plan);
  });
  if (!settled) {
    result.split.reset();
    result.status = Status::Unknown;
  }
  result.seconds = budget.seconds_used();
  within_limits(budget, [&] {
    if (result.status == Status::Unknown && budget.out_of_memory()) result.reason = kNoMemoryForSplit;
    if (sink) sink({Progress::Event::Done, result.seconds, result.value, result.bound, 0, result.proof});
  });
  return plan;
}

// `simple` as above, wishes and contention included.
Plan answer_all(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, bool simple) {
  const Problem busy = with_busy_times(problem);
  if (busy.wishes.empty()) return answer(busy, options, budget, sink, simple);
  Plan plan;
  PlanOptions of_case = options;
  of_case.certificate = false;  // it would speak of a case
  const bool whole = within_limits(budget, [&] {
    plan = answer_with_wishes(busy, of_case, budget, sink, [&](const Problem& one, Budget& share, const Sink& news) {
      return answer(one, of_case, share, news, simple);
    });
  });
  if (!whole) plan.result.reason = budget.out_of_memory() ? kNoMemoryForSplit : kNoSplitYet;
  return plan;
}

}  // namespace

Plan answer(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink) {
  if (options.threads <= 1) return answer_all(problem, options, budget, sink, true);
  Workers workers(options.threads);
  Budget shared(budget, budget.limits().ticks);
  shared.work_with(workers);
  return answer_all(problem, options, shared, sink, true);
}

Plan answer_within(const Problem& problem, const PlanOptions& options, Budget& budget) {
  return answer_all(problem, options, budget, {}, false);
}

}  // namespace partita::detail
