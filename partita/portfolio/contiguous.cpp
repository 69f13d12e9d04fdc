// SPDX-License-Identifier: Apache-2.0
// Contiguous splits lie between staged and free ones, and each side lends what it has.
//
// 1. A split: the staged optimum is contiguous. It can be made better where devices may depend on each other and where
//    backward nodes need not be mirrored; a short search looks for that (contiguous_anneal.h).
// 2. A bound: what the configuration LP refutes for free splits is refuted for contiguous ones, certificate and all.
// 3. A look at every split, where there are few.
// 4. The integer program closes what is left: started from the split, ended as soon as a solution meets the bound.
// Work ends as soon as value and bound agree. Tests: tests/property/plan_test.cpp, tests/golden.
#include "partita/portfolio/best_so_far.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/free_instance.h"
#include "partita/solve/free/free.h"
#include "partita/solve/free/free_certificate.h"
#include "partita/util/statistics.h"

namespace partita {
namespace {

constexpr std::uint64_t kStartTicks = 80'000'000;  // 20 s or so
// The bound of free splits comes quickly or not at all: the paper's inputs get theirs in a few seconds; where memory
// decides, little comes.
constexpr std::uint64_t kFreeTicksPerGroup = 80'000;
constexpr double kFreeSecondsPerGroup = 0.04;
constexpr int kFruitlessLimits = 20;  // tried in a row without a better bound

class ContiguousPortfolio {
 public:
  ContiguousPortfolio(const Problem& problem, const FreeInstance& instance, const PlanOptions& options, Budget& budget,
                      const Sink& sink, Plan& plan)
      : problem_(problem),
        instance_(instance),
        options_(options),
        budget_(budget),
        plan_(plan),
        best_(problem, options, budget, sink, plan) {}

  void run() {
    look_for_splits();
    if (settings().free_bound && best_.found() && !best_.done()) bound_by_free_splits();
    best_.try_every_split();
    best_.close_by_integer_program();
    best_.settle();
  }

 private:
  const PortfolioSettings& settings() const { return options_.settings.portfolio; }

  void look_for_splits() {
    const Sink splits = [this](const Progress& progress) { best_.pass_on(progress, progress.value, 0); };
    const std::optional<Start> start = find_start(
        problem_, {settings().contiguous_start_share, kStartTicks, options_.seed, options_.settings}, budget_, splits);
    if (start && best_.offer(start->split)) best_.raise_bound(0, "loads are not negative");
  }

  void bound_by_free_splits() {
    Technique free(budget_, "portfolio.free_bound", "bounds raised");
    const std::size_t groups = instance_.graph.size();
    Budget share = share_of(budget_, settings().contiguous_bound_share, kFreeTicksPerGroup * groups);
    Budget part(share, share.limits().ticks, kFreeSecondsPerGroup * static_cast<double>(groups));
    int fruitless = 0;
    const Sink bounds = [&](const Progress& progress) {
      if (progress.event == Progress::Event::Split) return;
      fruitless = progress.event == Progress::Event::Bound ? 0 : fruitless + 1;
      if (fruitless == kFruitlessLimits) part.cancel();
      best_.pass_on(progress, best_.value(), progress.bound);
    };
    const FreeOutcome outcome = solve_free(instance_, to_free(problem_, instance_, best_.split()),
                                           {options_.gap, options_.seed, 1, options_.settings.free},
                                           certificate_check(problem_, instance_), part, bounds);
    free.yield(best_.raise_bound(outcome.bound, "for free splits: " + outcome.proof_text));
    if (outcome.proof && outcome.bound == best_.bound())
      plan_.certificate = make_certificate(problem_, instance_, *outcome.proof);
    if (outcome.split && outcome.split->value < best_.value())
      best_.offer(lift_free(problem_, instance_, *outcome.split));
  }

  const Problem& problem_;
  const FreeInstance& instance_;
  const PlanOptions& options_;
  Budget& budget_;
  Plan& plan_;
  BestSoFar best_;
};

}  // namespace

void plan_contiguous(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  const FreeInstance instance = make_free_instance(problem);
  if (ruled_out(problem, instance.graph, instance.platform, instance.group_of, plan.result)) return;
  ContiguousPortfolio(problem, instance, options, budget, sink, plan).run();
}

}  // namespace partita
