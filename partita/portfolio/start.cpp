// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/start.h"

#include <algorithm>
#include <limits>

#include "partita/check/check.h"
#include "partita/reduce/contradiction.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/free/contiguous/contiguous_anneal.h"
#include "partita/solve/free/free_search.h"
#include "partita/solve/shared/greedy.h"
#include "partita/solve/staged/staged.h"

namespace partita::detail {
namespace {

constexpr double kStagedPart = 0.75;
constexpr std::uint64_t kNoTickLimit = std::numeric_limits<std::uint64_t>::max();
constexpr double kLeastSeconds = 1;  // a short limit is better spent here than on a solver that has no start
constexpr std::uint64_t kFreeTicksPerGroup = 20'000;  // 5 ms or so

// The best split of the problem's own shape, contiguous or free, that a short search finds.
std::optional<Split> wider_split(const Problem& problem, const StartOptions& options, const std::optional<Split>& from,
                                 Budget& budget) {
  const FreeInstance instance = make_free_instance(problem);
  FreeSplit start;
  if (from) {
    start = to_free(problem, instance, *from);
    start.value = free_value(instance, start.device_of);
  }
  if (problem.shape == Shape::Contiguous) {
    if (!from) return std::nullopt;
    return lift_free(instance, improve_contiguous(problem, instance, std::move(start), options.seed, budget));
  }
  FreeSearch<SumLoads> search(instance, options.seed, options.settings.free);
  if (from) search.start_from(start);
  Budget slice(budget, kFreeTicksPerGroup * instance.graph.size());
  search.improve(slice);
  if (search.best().value == kUnlimited) return std::nullopt;
  return lift_free(instance, search.best());
}

std::optional<Start> find_within(const Problem& problem, const StartOptions& options, Budget& budget,
                                 const Sink& sink) {
  std::optional<Start> best;
  const auto offer = [&](const std::optional<Split>& split) {
    if (!split) return;
    const CheckReport report = check(problem, *split);
    if (!report.legal() || (best && best->value <= report.value)) return;
    best = Start{*split, report.value};
    best->split.order = report.order;
    if (sink) sink({Progress::Event::Split, budget.seconds_used(), report.value, 0, split->device_of.size(), ""});
  };
  if (!is_plain(problem.workload->platform)) {
    offer(greedy_split(problem));
    return best;
  }
  // The staged solver's values are those of max-load with transfers added up.
  const Sink splits_only = [&](const Progress& progress) {
    if (progress.event == Progress::Event::Split)
      sink({progress.event, progress.seconds, progress.value, 0, progress.groups, ""});
  };
  const bool same_value = problem.objective == Objective::MaxLoad && problem.transfers == TransferMode::Sum;
  const bool staged_only = problem.shape == Shape::Staged;
  Budget staged_part = share_of(budget, staged_only ? 1 : kStagedPart, kNoTickLimit);
  offer(staged_split(problem, options.seed, options.settings, staged_part, sink && same_value ? splits_only : Sink()));
  if (!staged_only) offer(wider_split(problem, options, best ? std::optional(best->split) : std::nullopt, budget));
  return best;
}

}  // namespace

std::optional<Split> staged_split(const Problem& problem, std::uint64_t seed, const Settings& settings, Budget& budget,
                                  const Sink& sink) {
  Problem staged = problem;
  staged.shape = Shape::Staged;
  const StagedInstance instance = make_staged_instance(staged);
  if (!find_contradiction(staged, instance.graph, instance.platform, instance.group_of).empty()) return std::nullopt;
  const StagedOutcome outcome = solve_staged(instance.graph, instance.platform,
                                             {true, 0, seed, settings.staged, settings.presolve}, budget, sink);
  if (!outcome.split) return std::nullopt;
  return lift_stages(staged, instance, outcome.split->stages);
}

Budget share_of(Budget& budget, double part, std::uint64_t most_ticks, double least_seconds) {
  const auto ticks = static_cast<double>(budget.ticks_left()) * part;
  const bool fewer = ticks < static_cast<double>(most_ticks);
  return Budget(budget, fewer ? static_cast<std::uint64_t>(ticks) : most_ticks,
                std::max(budget.seconds_left() * part, least_seconds));
}

Budget before_certificate(bool certificate, Budget& budget) {
  constexpr double kPartBeforeCertificate = 0.7;
  return share_of(budget, certificate ? kPartBeforeCertificate : 1, kAnyTicks);
}

std::optional<Start> find_start(const Problem& problem, const StartOptions& options, Budget& budget, const Sink& sink) {
  Budget share = share_of(budget, options.part, options.most_ticks, kLeastSeconds);
  return find_within(problem, options, share, sink);
}

}  // namespace partita::detail
