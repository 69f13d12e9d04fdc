// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/contiguous/contiguous_bound.h"

#include <algorithm>

#include "partita/model/result.h"
#include "partita/solve/free/bound_climber.h"
#include "partita/solve/free/volume.h"
#include "partita/solve/shared/incumbent.h"
#include "partita/util/statistics.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

constexpr double kFirstConvexTurn = 2'000'000, kConvexTurnGrowth = 1.3;  // ticks
constexpr double kBelowVolumeOfWork = 1e-6;

const char* words_for(Refutation answer) {
  switch (answer) {
    case Refutation::Refuted: return "limit refuted";
    case Refutation::LpFeasible: return "the relaxation allows the limit";
    default: return "limit undecided";
  }
}

}  // namespace

FreeOutcome bound_contiguous(const FreeInstance& instance, const ConvexOrder& order, const FreeSplit& start,
                             const FreeOptions& options, const ProofCheck& check, const SplitCheck& legal,
                             Budget& budget, const Sink& sink) {
  Incumbent<FreeSplit> best(budget, sink);
  best.offer(start);
  std::optional<ProofTree> proof;
  within_limits(budget, [&] {
    Technique technique(budget, "contiguous.configuration_lp", "bounds raised");
    BoundClimber climber(instance, order, options, check, budget);
    // Limits below the volume of work are not worth a try. Its prices are no start: where hosts take part they are flat
    // in what hosts do well, and prices nearer to a proof over convex sets are hardly ever found from there.
    const double floor = volume_bound(instance, &budget).bound * (1 - kBelowVolumeOfWork);
    double turn = kFirstConvexTurn;
    while (!budget.exhausted() && !climber.finished() && best.value() > 0 &&
           !best.closed(std::max(options.gap, kClosedGap))) {
      auto news = climber.climb(*best.split(), std::max(floor, best.bound()), static_cast<std::uint64_t>(turn));
      turn *= kConvexTurnGrowth;
      if (!news) continue;
      best.tell(Progress::Event::Searching, instance.graph.size(), words_for(news->answer));
      if (news->split && legal(*news->split)) best.offer(std::move(*news->split));
      if (!news->proof) continue;
      const bool by_cases = news->proof->size() > 1;
      if (!best.raise_bound(news->proof->front().limit,
                            by_cases ? "configuration LP over convex sets, case by case; its certificate was verified"
                                     : "configuration LP over convex sets; its certificate was verified"))
        continue;
      proof = std::move(news->proof);
      technique.yield(1);
    }
  });
  return {best.outcome(), std::move(proof)};
}

}  // namespace partita::detail
