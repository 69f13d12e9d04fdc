// SPDX-License-Identifier: Apache-2.0
// Splits for the largest forward plus the largest backward load.
//
// Staged: the search of solve/staged/gpipe_staged. The other shapes start from its split, which is legal for them too.
// Their bound is that of max-load for free splits: no device's load in both passes exceeds max forward + max backward,
// and a split of any shape is a free one. Before that every split is looked at where there are few. Where the program
// is small enough, CBC goes on with what is left of the budget; the best split and the best bound so far are kept
// whatever it does.
#include <algorithm>

#include "partita/portfolio/best_so_far.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/staged.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/pass_graphs.h"
#include "partita/solve/free/free.h"
#include "partita/solve/free/free_certificate.h"
#include "partita/solve/free/gpipe_free.h"
#include "partita/solve/staged/gpipe_staged.h"
#include "partita/util/within_limits.h"

namespace partita {
namespace {

constexpr const char* kByMaxLoad = "both passes together: no free split has a smaller largest load";

class ShapelessGpipe {
 public:
  ShapelessGpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan)
      : problem_(problem),
        options_(options),
        budget_(budget),
        plan_(plan),
        best_(problem, options, budget, sink, plan),
        instance_(make_free_instance(problem)),
        passes_(make_pass_nets(problem, instance_.graph.size(), instance_.group_of)) {}

  void run() {
    if (ruled_out(problem_, instance_.graph, instance_.platform, instance_.group_of, plan_.result)) return;
    within_limits(budget_, [this] { work(); });
    best_.settle();
  }

 private:
  void work() {
    best_.raise_bound(0, "loads are not negative");
    start_from_staged();
    anneal(kFirstMoves);  // quick, and max-load may take all the time there is
    best_.try_every_split();
    const std::uint64_t slice = std::min<std::uint64_t>(kMaxLoadTicks, kTicksPerGroup * instance_.graph.size());
    const bool converged = bound_by_max_load(slice);
    anneal(kMostMoves);
    if (!best_.found() || program_size() <= kLargestProgram) {
      if (!best_.done()) best_.ask_integer_program();
    } else if (!converged) {
      keep_at_it(slice);
    }
  }

  void offer(Split split) {
    if (best_.offer(std::move(split))) best_.tell(Progress::Event::Split, 0, {});
  }

  void start_from_staged() {
    Problem staged = problem_;
    staged.shape = Shape::Staged;
    const StagedInstance instance = make_staged_instance(staged);
    const PassGraphs graphs = make_pass_graphs(staged, instance.graph, instance.group_of);
    Budget slice(budget_, kStagedTicks);
    const StagedOutcome outcome =
        solve_staged_gpipe(graphs, instance.platform, {true, options_.gap, options_.seed}, slice, {});
    if (outcome.split) offer(lift_stages(staged, instance, outcome.split->stages));
  }

  // A free split of max-load may be a split of this problem too, and starts the annealing. True if more time would not
  // help.
  bool bound_by_max_load(std::uint64_t ticks) {
    if (best_.done()) return true;
    std::optional<FreeSplit> start;
    if (best_.found()) start = to_free(problem_, instance_, best_.split());
    Budget slice(budget_, ticks);
    const FreeOutcome outcome =
        solve_free(instance_, start, {options_.gap, options_.seed}, certificate_check(problem_, instance_), slice, {});
    if (best_.raise_bound(outcome.bound, kByMaxLoad)) {
      best_.tell(Progress::Event::Bound, 0, kByMaxLoad);
      if (outcome.proof) plan_.certificate = make_certificate(problem_, instance_, *outcome.proof);
    }
    if (outcome.split && problem_.shape == Shape::Free) {
      max_load_split_ = outcome.split;
      offer(lift_free(problem_, instance_, *outcome.split));
    }
    return !slice.exhausted();
  }

  void keep_at_it(std::uint64_t slice) {
    bool converged = false;
    while (!best_.done() && !converged) {
      slice *= 3;
      converged = bound_by_max_load(slice);
      anneal(kMostMoves);
    }
  }

  // From the best split, and from that of max-load: the former may be staged and a long way from any free one.
  void anneal(std::uint64_t most) {
    if (problem_.shape != Shape::Free) return;
    const std::uint64_t moves = std::min<std::uint64_t>(most, 5000 * instance_.graph.size());
    if (max_load_split_ && !best_.done()) anneal_from(*max_load_split_, moves);
    if (best_.found() && !best_.done()) anneal_from(to_free(problem_, instance_, best_.split()), moves);
  }

  void anneal_from(const FreeSplit& start, std::uint64_t moves) {
    const FreeSplit better = anneal_free_gpipe(passes_, instance_.platform, start, moves,
                                               best_.bound() * (1 + kOptimalGap / 2), options_.seed, budget_);
    offer(lift_free(problem_, instance_, better));
  }

  // Groups and nets times devices.
  std::size_t program_size() const {
    const std::size_t devices = static_cast<std::size_t>(instance_.platform.accelerators + instance_.platform.hosts);
    return devices * (instance_.graph.size() + passes_[0].net_count() + passes_[1].net_count());
  }

  static constexpr std::uint64_t kStagedTicks = 8'000'000, kMaxLoadTicks = 20'000'000, kTicksPerGroup = 50'000,
                                 kFirstMoves = 1'000'000, kMostMoves = 6'000'000;
  static constexpr std::size_t kLargestProgram = 100'000;  // beyond, CBC gets nowhere

  const Problem& problem_;
  const PlanOptions& options_;
  Budget& budget_;
  Plan& plan_;
  BestSoFar best_;
  const FreeInstance instance_;
  const PassNets passes_;
  std::optional<FreeSplit> max_load_split_;
};

}  // namespace

void plan_gpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  if (problem.shape == Shape::Staged) {
    plan_by_stages(problem, options, budget, sink, plan,
                   [&](const StagedInstance& instance, const StagedOptions& staged) {
                     const PassGraphs graphs = make_pass_graphs(problem, instance.graph, instance.group_of);
                     return solve_staged_gpipe(graphs, instance.platform, staged, budget, sink);
                   });
  } else {
    ShapelessGpipe(problem, options, budget, sink, plan).run();
  }
}

}  // namespace partita
