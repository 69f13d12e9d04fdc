// SPDX-License-Identifier: Apache-2.0
#include "partita/compare/compare.h"

#include <fmt/format.h>

#include <stdexcept>

#include "partita/check/describe.h"
#include "partita/compare/run_algorithm.h"
#include "partita/model/contention.h"
#include "partita/model/made_sound.h"
#include "partita/model/result.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

std::vector<const AlgorithmEntry*> named(const std::vector<std::string>& names) {
  std::vector<const AlgorithmEntry*> entries;
  for (const std::string& name : names) {
    const AlgorithmEntry* entry = find_algorithm(name);
    if (!entry) {
      std::string known;
      for (const AlgorithmEntry& a : algorithms()) known += (known.empty() ? "" : ", ") + std::string(a.name);
      throw InputError(ErrorKind::Usage, "CompareOptions::algorithms",
                       fmt::format("'{}' is not an algorithm; expected some of {}", name, known));
    }
    entries.push_back(entry);
  }
  return entries;
}

AlgorithmRun not_run(const AlgorithmEntry& entry, AlgorithmRun::Outcome outcome, const std::string& reason) {
  AlgorithmRun run;
  run.algorithm = entry.name;
  run.baseline = entry.baseline;
  run.outcome = outcome;
  run.reason = reason;
  return run;
}

void withdraw_claim(AlgorithmRun& run, const AlgorithmRun& refuted_by) {
  run.bound = 0;
  run.unverified = run.optimal = false;
  run.proof = fmt::format("loads are not negative; a foreign solver's bound was refuted by {}", refuted_by.algorithm);
}

// Whoever searches a shape proves its bound for the splits of that shape, however they were found. What contradicts a
// proof of ours is our bug; what contradicts a foreign solver's word is that solver's.
void refuse_contradictions(Comparison& comparison) {
  for (AlgorithmRun& proved : comparison.runs) {
    for (const AlgorithmRun& found : comparison.runs) {
      const bool covered = !proved.bound_shape || (found.shape && implies(*found.shape, *proved.bound_shape));
      const bool refuted = found.value < proved.bound * (1 - kOptimalGap) ||
                           (found.legal && proved.outcome == AlgorithmRun::Outcome::Infeasible);
      if (!found.legal || !covered || !refuted) continue;
      if (proved.unverified) {
        withdraw_claim(proved, found);
        continue;
      }
      throw std::logic_error(fmt::format("{} found a split of value {}, which {} proved impossible: {}",
                                         found.algorithm, found.value, proved.algorithm, proved.proof));
    }
  }
}

}  // namespace

Comparison compare(const Problem& asked, const CompareOptions& options, Budget& budget, const CompareWatcher& watcher) {
  const Problem problem = with_busy_times(made_sound(asked));
  const Graph& graph = problem.workload->graph;
  Comparison comparison{problem.workload->name,
                        describe_workload(problem),
                        graph.nodes.size(),
                        graph.edges.size(),
                        problem.objective,
                        problem.shape,
                        {},
                        problem.workload->time_unit};
  std::vector<const AlgorithmEntry*> chosen = named(options.algorithms);
  std::vector<AlgorithmRun> others;
  if (options.algorithms.empty()) {
    for (const AlgorithmEntry& entry : algorithms()) {
      if (!serves(entry, problem)) continue;
      const std::string why = left_out(entry, problem, options.algorithm);
      if (why.empty()) {
        chosen.push_back(&entry);
      } else {
        others.push_back(not_run(entry, AlgorithmRun::Outcome::NotApplicable, why));
      }
    }
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const AlgorithmEntry& entry = *chosen[i];
    if (budget.exhausted()) {
      comparison.runs.push_back(not_run(entry, AlgorithmRun::Outcome::Interrupted, "not begun"));
      continue;
    }
    if (watcher.begins) watcher.begins(entry, i, chosen.size());
    Budget slice(budget, std::numeric_limits<std::uint64_t>::max(), options.seconds);
    comparison.runs.push_back(run_algorithm(entry, problem, options.algorithm, slice, watcher.progress));
    if (watcher.ended) watcher.ended(comparison.runs.back());
  }
  refuse_contradictions(comparison);
  comparison.runs.insert(comparison.runs.end(), others.begin(), others.end());
  return comparison;
}

}  // namespace partita
